/** Bytes before the XML: the length of the whole data unit, themselves included (RFC 5734, section 4). */
const HEADER_BYTES = 4;

/** No command and no answer comes near it; whoever announces more is not heard. */
export const MAX_FRAME_BYTES = 1_048_576;

/** The other side announced a data unit that cannot be: empty, or longer than we take. */
export class EppFrameError extends Error {
  constructor(announced: number) {
    super(`a data unit of ${announced} bytes was announced`);
    this.name = 'EppFrameError';
  }
}

/** An XML document as a data unit: its length in four bytes, big-endian, and the bytes of the document. */
export function encodeFrame(xml: string): Buffer {
  const bytes = Buffer.from(xml, 'utf8');
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(frame.length);
  bytes.copy(frame, HEADER_BYTES);
  return frame;
}

/** Takes the bytes of a connection as they come and gives the documents that are complete. */
export interface FrameDecoder {
  /** @throws EppFrameError before anything of an impossible data unit is kept; the connection is of no use then */
  push(chunk: Uint8Array): Buffer[];
  /** Whether part of a data unit has come. */
  isInside(): boolean;
}

/** @param maxBytes the longest data unit that is taken, its header included */
export function createFrameDecoder(maxBytes = MAX_FRAME_BYTES): FrameDecoder {
  let chunks: Uint8Array[] = [];
  let held = 0;
  /** Bytes of the data unit that is being read; undefined until its header is there. */
  let total: number | undefined;

  const take = (bytes: number): Buffer => {
    const all = Buffer.concat(chunks, held);
    const rest = all.subarray(bytes);
    chunks = rest.length > 0 ? [rest] : [];
    held = rest.length;
    return all.subarray(0, bytes);
  };

  return {
    push(chunk) {
      const documents: Buffer[] = [];
      chunks.push(chunk);
      held += chunk.length;
      for (;;) {
        if (total === undefined) {
          if (held < HEADER_BYTES) return documents;
          const announced = take(HEADER_BYTES).readUInt32BE();
          // A negative length of a client that counts with a sign reads as far too long.
          if (announced <= HEADER_BYTES || announced > maxBytes) throw new EppFrameError(announced);
          total = announced - HEADER_BYTES;
        }
        if (held < total) return documents;
        documents.push(take(total));
        total = undefined;
      }
    },
    isInside: () => total !== undefined || held > 0,
  };
}

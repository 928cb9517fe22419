/** Bytes before the XML: the length of the whole data unit, themselves included (RFC 5734, section 4). */
const HEADER_BYTES = 4;

/** No command and no answer comes near it; whoever announces more is not heard. */
export const MAX_FRAME_BYTES = 1_048_576;

/** What is kept of a data unit that is too long: enough to say what it is about. */
const HEAD_BYTES = 65_536;
/** A data unit that is longer is no document, but a length that cannot be. */
const MAX_ANNOUNCED_BYTES = 1_073_741_824;

/** The other side announced a data unit that cannot be: empty, or longer than we take. */
export class EppFrameError extends Error {
  /** The first bytes of the document, when they were kept. */
  readonly head: Uint8Array | undefined;

  constructor(announced: number, head?: Uint8Array) {
    super(`a data unit of ${announced} bytes was announced`);
    this.name = 'EppFrameError';
    this.head = head;
  }
}

/** An XML document as a data unit: its length in four bytes, big-endian, and the bytes of the document. */
export function encodeFrame(xml: string | Uint8Array): Buffer {
  const bytes = typeof xml === 'string' ? Buffer.from(xml, 'utf8') : xml;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(frame.length);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Takes the bytes of a connection as they come and gives the documents that are complete. */
export interface FrameDecoder {
  /** @throws EppFrameError at the header of an impossible data unit; the connection is of no use then */
  push(chunk: Uint8Array): Buffer[];
  /** Whether part of a data unit has come. */
  isInside(): boolean;
}

/**
 * @param options.maxBytes the longest data unit that is taken, its header included
 * @param options.keepHead whether the beginning of a longer one is waited for, and is in the error
 */
export function createFrameDecoder({
  maxBytes = MAX_FRAME_BYTES,
  keepHead = false,
}: {
  maxBytes?: number;
  keepHead?: boolean;
} = {}): FrameDecoder {
  let chunks: Uint8Array[] = [];
  let held = 0;
  /** Bytes of the data unit that is being read; undefined until its header is there. */
  let total: number | undefined;
  /** The length of one that is too long, while its beginning is read. */
  let tooLong: number | undefined;

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
          const isTooLong = announced > maxBytes;
          const isKept = keepHead && announced <= MAX_ANNOUNCED_BYTES;
          if (announced <= HEADER_BYTES || (isTooLong && !isKept)) {
            throw new EppFrameError(announced);
          }
          if (isTooLong) tooLong = announced;
          total = isTooLong ? Math.min(HEAD_BYTES, maxBytes) : announced - HEADER_BYTES;
        }
        if (held < total) return documents;
        if (tooLong !== undefined) throw new EppFrameError(tooLong, take(total));
        documents.push(take(total));
        total = undefined;
      }
    },
    isInside: () => total !== undefined || held > 0,
  };
}

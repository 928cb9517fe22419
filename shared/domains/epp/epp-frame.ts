/** The header before the XML: the length of the whole data unit, header included (RFC 5734, section 4). */
const HEADER_BYTES = 4;

/** The largest data unit accepted, far above any real command or response. */
export const MAX_FRAME_BYTES = 1_048_576;

/** How much of an oversized data unit is kept: enough to identify its subject. */
const HEAD_BYTES = 65_536;
/** A longer announced length is taken as corrupt, not as an oversized document. */
const MAX_ANNOUNCED_BYTES = 1_073_741_824;

/** The other side announced an invalid data unit: empty, or longer than the limit. */
export class EppFrameError extends Error {
  /** The first bytes of the document, if they were kept. */
  readonly head: Uint8Array | undefined;

  constructor(announced: number, head?: Uint8Array) {
    super(`a data unit of ${announced} bytes was announced`);
    this.name = 'EppFrameError';
    this.head = head;
  }
}

/** Encodes an XML document as a data unit: its length in four bytes, big-endian, and the bytes of the document. */
export function encodeFrame(xml: string | Uint8Array): Buffer {
  const bytes = typeof xml === 'string' ? Buffer.from(xml, 'utf8') : xml;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(frame.length);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Splits the received bytes of a connection into complete documents. */
export interface FrameDecoder {
  /** Returns the documents that this chunk completes. @throws EppFrameError for an invalid header; then disconnect */
  push(chunk: Uint8Array): Buffer[];
  /** Returns whether a data unit has arrived in part. */
  isInside(): boolean;
}

/**
 * @param options.maxBytes the longest data unit accepted, header included
 * @param options.keepHead whether to read the beginning of a longer one and include it in the error
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
  /** Bytes of the current data unit; undefined until its header has arrived. */
  let total: number | undefined;
  /** The announced length of an oversized data unit while its beginning is read. */
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
          // A negative length from a client with signed integers reads as far too long.
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

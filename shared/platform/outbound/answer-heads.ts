import type { Socket } from 'node:net';
import { OutboundError } from './outbound-error.ts';

/** The parser has a lower limit of its own, so it refuses longer heads. */
const MAX_HEAD_BYTES = 20_000;
/** Maximum informational responses before one answer; no well-behaved server sends more. */
const MAX_INFORMATIONAL = { heads: 20, bytes: 20_000 };
const NOTHING = Buffer.alloc(0);
const START = 'HTTP/1.';
const STATUS = /^HTTP\/1\.[01] (\d{3})(?: |\r|\n|$)/;
const END = /\r?\n\r?\n$/;
const CR = 13;
const LF = 10;
const LENGTH = /^content-length:(.*)$/gim;

/**
 * Simplifies responses that RFC 9110 and 9112 allow but undici's parser refuses: an unrequested informational response,
 * the same `Content-Length` twice, and a 204 or 304 with a length. Ambiguous responses, such as two different lengths,
 * pass unchanged, so that the parser refuses them.
 */
export interface AnswerHeads {
  /** Called when bytes of a request are sent. */
  sending(): void;
  /**
   * Returns the bytes to pass to the parser; none while a head is incomplete.
   * @throws OutboundError for too many informational responses: the parser would accept them without end
   */
  receive(chunk: Buffer): Buffer;
  /** Returns the bytes held back, once the connection has ended. */
  rest(): Buffer;
  /** Whether we await an answer and have received no byte of it, on a connection that has answered before. */
  isStale(): boolean;
}

/** Creates the filter for one connection, which handles one request at a time. */
export function readAnswerHeads(): AnswerHeads {
  let answers = 0;
  let isAwaited = false;
  let isSilent = true;
  let held: Buffer = NOTHING;
  let informational = { heads: 0, bytes: 0 };

  /** Passes bytes on once the answer's head is complete, or if it isn't a valid one. */
  const passOn = (bytes: Buffer): Buffer => {
    isAwaited = false;
    answers += 1;
    held = NOTHING;
    informational = { heads: 0, bytes: 0 };
    return bytes;
  };

  return {
    sending() {
      if (!isAwaited) isSilent = true;
      isAwaited = true;
    },
    receive(chunk) {
      if (!isAwaited) return chunk;
      isSilent = false;
      let bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (;;) {
        if (!START.startsWith(bytes.toString('latin1', 0, START.length))) return passOn(bytes);
        const end = endOfHead(bytes);
        if (end === undefined) {
          if (bytes.length >= MAX_HEAD_BYTES) return passOn(bytes);
          held = bytes;
          return NOTHING;
        }
        const head = bytes.toString('latin1', 0, end).replace(END, '');
        const status = Number(STATUS.exec(head)?.[1]);
        const after = bytes.subarray(end);
        const isInformational = status >= 100 && status < 200 && status !== 101;
        if (!isInformational) {
          const plain = plainHead(head, status);
          if (plain === head) return passOn(bytes);
          return passOn(Buffer.concat([Buffer.from(`${plain}\r\n\r\n`, 'latin1'), after]));
        }
        informational.heads += 1;
        informational.bytes += end;
        if (
          informational.heads > MAX_INFORMATIONAL.heads ||
          informational.bytes > MAX_INFORMATIONAL.bytes
        ) {
          throw new OutboundError(
            'connection_failed',
            'too many informational (1xx) answers came before the answer',
          );
        }
        bytes = after;
      }
    },
    rest() {
      const bytes = held;
      held = NOTHING;
      return bytes;
    },
    isStale: () => isAwaited && isSilent && answers > 0,
  };
}

/** Returns the position after the empty line that ends the head, or undefined if it isn't there yet. */
function endOfHead(bytes: Buffer): number | undefined {
  const inReach = bytes.subarray(0, MAX_HEAD_BYTES);
  for (let at = inReach.indexOf(LF); at !== -1; at = inReach.indexOf(LF, at + 1)) {
    const next = inReach[at + 1] === CR ? at + 2 : at + 1;
    if (inReach[next] === LF) return next + 1;
  }
  return undefined;
}

function plainHead(head: string, status: number): string {
  // Folded header lines are left to the parser.
  if (/\n[ \t]/.test(head)) return head;
  if (status === 204 || status === 304) {
    if (!/^(content-length|transfer-encoding):/im.test(head)) return head;
    // RFC 9112, section 6.3: the response ends with its head. The server may not know that, so we close.
    return `${withoutLines(head, /^(content-length|transfer-encoding|connection):/i)}\r\nConnection: close`;
  }
  const lengths = Array.from(head.matchAll(LENGTH), ([, values = '']) => values.split(','))
    .flat()
    .map((value) => value.trim());
  const [length] = lengths;
  const isSaidTwice = lengths.length > 1 && lengths.every((each) => each === length);
  if (!isSaidTwice) return head;
  return `${withoutLines(head, /^content-length:/i)}\r\nContent-Length: ${length}`;
}

function withoutLines(head: string, names: RegExp): string {
  return head
    .split('\r\n')
    .filter((line) => !names.test(line))
    .join('\r\n');
}

/**
 * Puts {@link AnswerHeads} between a socket and its reader. Adds a socket error to `stale` if it hits a kept-alive
 * connection before the first byte of the answer: the server had closed the connection and did not see the request.
 */
export function filterAnswers(socket: Socket, stale: WeakSet<Error>): void {
  const heads = readAnswerHeads();
  const push = socket.push.bind(socket);
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  // The socket passes incoming data to `push`; a stream in between would cost as much as the parser.
  socket.push = (chunk: Buffer | null) => {
    if (chunk !== null) {
      let bytes: Buffer;
      try {
        bytes = heads.receive(chunk);
      } catch (error) {
        socket.destroy(error as Error);
        return false;
      }
      return bytes.length === 0 || push(bytes);
    }
    const rest = heads.rest();
    if (rest.length > 0) push(rest);
    return push(null);
  };
  socket.write = (...args: unknown[]) => {
    heads.sending();
    return write(...args);
  };
  socket.on('error', (error) => {
    if (heads.isStale()) stale.add(error);
  });
}

import { isUtf8 } from 'node:buffer';
import { invalid } from './errors.ts';
import { visibleExcerpt } from './terminal-text.ts';

/** The maximum length of a line, in characters; longer lines are not kept. */
const MAX_LINE = 65_536;

/** The error for a line longer than {@link MAX_LINE}. */
export const TOO_LONG = `is longer than ${MAX_LINE} characters`;

export interface Line {
  /** The line number, starting at 1. */
  number: number;
  /** The text of the line; only the start of one that is too long. */
  text: string;
  isTooLong: boolean;
}

/** A line of a file that an import refused. */
export interface RejectedLine {
  /** The line number, starting at 1. */
  line: number;
  reason: string;
  /** The start of the line, with control characters escaped. */
  row: string;
}

/** The number of characters that are enough to find a row and see what is wrong. */
const MAX_ROW = 200;

export function rejectedLine(line: number, row: string, reason: string): RejectedLine {
  return { line, reason, row: visibleExcerpt(row, MAX_ROW) };
}

/**
 * Reads the lines of a UTF-8 stream, without their ends (LF, CRLF or CR).
 * @throws validation_error at the first line that is not UTF-8
 */
export async function* readLines(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 1;
  let rest = '';
  let startOfTooLong: string | undefined;
  let isOver = false;
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw notUtf8(number + linesBeforeFault(bytes));
    }
  };
  /** Finds the end of the first line received so far; a final CR may be half of a CRLF. */
  const nextEnd = () => {
    const found = /\r\n|\n|\r/.exec(rest);
    return found && (isOver || found[0] !== '\r' || found.index < rest.length - 1) ? found : null;
  };
  function* lines(): Generator<Line> {
    for (let end = nextEnd(); end; end = nextEnd()) {
      yield toLine(number, rest.slice(0, end.index), startOfTooLong);
      rest = rest.slice(end.index + end[0].length);
      number += 1;
      startOfTooLong = undefined;
    }
  }
  for await (const chunk of source) {
    rest += typeof chunk === 'string' ? chunk : decoded(chunk);
    yield* lines();
    if (rest.length > MAX_LINE) {
      startOfTooLong ??= rest.slice(0, MAX_START);
      rest = rest.endsWith('\r') ? '\r' : '';
    }
  }
  rest += decoded();
  isOver = true;
  yield* lines();
  if (rest !== '' || startOfTooLong !== undefined) yield toLine(number, rest, startOfTooLong);
}

/** The number of characters kept of a line that is too long. */
const MAX_START = 1_000;

function toLine(number: number, text: string, startOfTooLong: string | undefined): Line {
  const isTooLong = startOfTooLong !== undefined || text.length > MAX_LINE;
  return {
    number,
    isTooLong,
    text: isTooLong ? (startOfTooLong ?? text.slice(0, MAX_START)) : text,
  };
}

/** Returns the complete lines of a chunk before the first one that is not UTF-8. */
function linesBeforeFault(chunk: Uint8Array | undefined): number {
  const lines = Buffer.from(chunk ?? [])
    .toString('latin1')
    .split(/\r\n|\n|\r/);
  const fault = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  return Math.max(0, fault);
}

/** The error for a file in another encoding, such as Windows-1252 or UTF-16. */
function notUtf8(line: number): Error {
  return invalid([
    {
      path: '/file',
      message: `is not UTF-8 (line ${line}): save it as "CSV UTF-8" and import it again`,
    },
  ]);
}

/** The parsed content of an NDJSON line, or why it can't be read. */
export type JsonLine = { line: number; text: string } & (
  | { value: Record<string, unknown> }
  | { reason: string }
);

/** Reads the objects of an NDJSON stream and skips empty lines. A bad line does not affect others. */
export async function* readJsonLines(lines: AsyncIterable<Line>): AsyncGenerator<JsonLine> {
  for await (const { number, text, isTooLong } of lines) {
    if (isTooLong) yield { line: number, text, reason: TOO_LONG };
    else if (text.trim() !== '') yield parseJsonLine(number, text);
  }
}

function parseJsonLine(line: number, text: string): JsonLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, text, reason: 'is not valid JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, text, reason: 'is not a JSON object' };
  }
  return { line, text, value: value as Record<string, unknown> };
}

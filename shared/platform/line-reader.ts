/** Longer lines are not kept. */
export const MAX_LINE = 65_536;

export interface Line {
  /** From 1. */
  number: number;
  /** Null when the line was too long to keep. */
  text: string | null;
}

/** The lines of a UTF-8 stream, without their ends. */
export async function* readLines(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let number = 1;
  let rest = '';
  let tooLong = false;
  for await (const chunk of source) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const text = rest.slice(0, end).replace(/\r$/, '');
      yield { number, text: tooLong || text.length > MAX_LINE ? null : text };
      rest = rest.slice(end + 1);
      number += 1;
      tooLong = false;
    }
    if (rest.length > MAX_LINE) {
      tooLong = true;
      rest = '';
    }
  }
  rest += decoder.decode();
  if (rest !== '' || tooLong) yield { number, text: tooLong ? null : rest.replace(/\r$/, '') };
}

/** What a line of NDJSON says, or why it can't be read. */
export type JsonLine =
  | { line: number; value: Record<string, unknown> }
  | { line: number; reason: string };

/** The objects of an NDJSON stream; empty lines are left out. A bad line costs no other line. */
export async function* readJsonLines(lines: AsyncIterable<Line>): AsyncGenerator<JsonLine> {
  for await (const { number, text } of lines) {
    if (text === null) yield { line: number, reason: `is longer than ${MAX_LINE} characters` };
    else if (text.trim() !== '') yield parseJsonLine(number, text);
  }
}

function parseJsonLine(line: number, text: string): JsonLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, reason: 'is not valid JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, reason: 'is not a JSON object' };
  }
  return { line, value: value as Record<string, unknown> };
}

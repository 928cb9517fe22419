import type { LiveStream } from './live-stream.ts';

/** What a handler answers: a status and either a JSON value, text that is JSON already, or nothing. */
export interface Reply {
  status: number;
  body?: unknown;
  /** JSON text that must go out unchanged (an idempotent replay). */
  text?: string;
  headers?: Readonly<Record<string, string>>;
  /** Writes the answer itself (a CSV stream); everything else is ignored then. */
  stream?: { contentType: string; chunks: AsyncIterable<string> };
  /** The same without an end of its own (server-sent events). */
  live?: LiveStream;
}

export function reply(status: number, body?: unknown, headers?: Record<string, string>): Reply {
  return { status, body, ...(headers && { headers }) };
}

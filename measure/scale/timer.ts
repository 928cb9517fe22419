import { Pool } from 'undici';
import type { WireRequest } from '../support/signed-request.ts';

/** A response as received, and its duration. */
export interface TimedAnswer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: examples read answers field by field
  body: any;
  ms: number;
}

/** Sends requests over one connection, in sequence. */
export class TimingClient {
  readonly #pool: Pool;

  constructor(baseUrl: string) {
    this.#pool = new Pool(baseUrl, { connections: 1, headersTimeout: 0, bodyTimeout: 0 });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** @throws Error with the response if it is an error or redirects to a sign-in page */
  async send({ method, path, headers, body }: WireRequest): Promise<TimedAnswer> {
    const began = performance.now();
    const answer = await this.#pool.request({ method, path, headers, body: body ?? null });
    const text = await answer.body.text();
    const ms = performance.now() - began;
    const { statusCode: status } = answer;
    const refused = status >= 400 || /sign-in/.test(String(answer.headers.location ?? ''));
    if (refused) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return { status, text, body: parsed(text), ms };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** How long a route or a piece of work takes, in milliseconds. */
export interface Timing {
  /** `partner`, `console`, `task`. */
  group: string;
  /** The operation id, the path of a page, the name of a job or task. */
  name: string;
  calls: number;
  p50: number;
  p99: number;
}

/** Returns the median and the p99, which is the second longest of 150 times. */
export function timingOf(group: string, name: string, times: readonly number[]): Timing {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { group, name, calls: sorted.length, p50: at(0.5), p99: at(0.99) };
}

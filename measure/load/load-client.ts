import { Pool } from 'undici';
import type { WireRequest } from '../support/signed-request.ts';

/** The outcome of a request: accepted, shed to keep the others fast (503, 429), or failed. */
export type Outcome = 'taken' | 'shed' | 'failed';

export interface Answered {
  outcome: Outcome;
  /** From when the request was due to the last byte of the response. */
  ms: number;
  /** When it was due, in milliseconds after the start of the stage. */
  dueMs: number;
}

const CONNECTIONS = 512;
const TIMEOUT_MS = 30_000;

/** Sends a mix of requests to a service, as a closed or an open loop. */
export class LoadClient {
  readonly #pool: Pool;
  readonly #next: () => WireRequest;
  /** The count of each unexpected response. */
  readonly failures = new Map<string, number>();

  constructor(baseUrl: string, next: () => WireRequest) {
    this.#pool = new Pool(baseUrl, {
      connections: CONNECTIONS,
      pipelining: 1,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    this.#next = next;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Returns the throughput of a closed loop per second. */
  async capacity(atOnce: number, seconds: number): Promise<number> {
    const began = performance.now();
    const taken = await this.taken(atOnce, seconds);
    return taken / ((performance.now() - began) / 1_000);
  }

  /** Closed loop: each of `atOnce` callers sends its next request after a response. Returns how many were accepted. */
  async taken(atOnce: number, seconds: number): Promise<number> {
    const began = performance.now();
    const until = began + seconds * 1_000;
    let taken = 0;
    const caller = async () => {
      while (performance.now() < until) {
        if ((await this.#send(performance.now())).outcome === 'taken') taken += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    return taken;
  }

  /**
   * Open loop: requests are due at random moments, `perSecond` on average, regardless of earlier responses. A request
   * sent late, because this process was busy, has waited since it was due.
   */
  async arrivals(perSecond: number, seconds: number): Promise<Answered[]> {
    const began = performance.now();
    const answers: Promise<Answered>[] = [];
    let dueMs = 0;
    await new Promise<void>((resolve) => {
      const send = () => {
        const now = performance.now() - began;
        while (dueMs <= now && dueMs < seconds * 1_000) {
          const due = dueMs;
          answers.push(this.#send(began + due).then((answer) => ({ ...answer, dueMs: due })));
          dueMs += (-Math.log(1 - Math.random()) / perSecond) * 1_000;
        }
        if (dueMs >= seconds * 1_000) resolve();
        else setTimeout(send, Math.max(0, dueMs - now));
      };
      send();
    });
    return Promise.all(answers);
  }

  async #send(due: number): Promise<Omit<Answered, 'dueMs'>> {
    const { method, path, headers, body } = this.#next();
    let outcome: Outcome;
    try {
      const answer = await this.#pool.request({ method, path, headers, body: body ?? null });
      await answer.body.dump();
      outcome = this.#judge(method, path, answer.statusCode, answer.headers['retry-after']);
    } catch (error) {
      outcome = this.#failed(`${method} ${path.split('?')[0]}: ${(error as Error).message}`);
    }
    return { outcome, ms: performance.now() - due };
  }

  #judge(method: string, path: string, status: number, retryAfter: unknown): Outcome {
    if (status < 400) return 'taken';
    if ((status === 503 || status === 429) && retryAfter !== undefined) return 'shed';
    // Another caller has just reserved or bought the name: a valid response.
    if (status === 409) return 'taken';
    return this.#failed(
      `${method} ${path.split('?')[0]?.replace(/[^/]+\.[^/]+$/, ':domain')}: ${status}`,
    );
  }

  #failed(what: string): Outcome {
    this.failures.set(what, (this.failures.get(what) ?? 0) + 1);
    return 'failed';
  }
}

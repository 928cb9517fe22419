import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Counter, Gauge } from 'prom-client';
import { fail } from '../../shared/platform/errors.ts';
import { randomBase62, randomFraction } from '../../shared/platform/ids.ts';
import { errorEnvelope } from './error-response.ts';

/** Decides when a process starts a request, and which requests it refuses unread because it is overloaded. */
export interface LoadShedding {
  /** Calls `begin` now or once there is room, or refuses the request with 503. */
  admit(req: IncomingMessage, res: ServerResponse, begin: () => void): void;
  stop(): void;
}

export const SAMPLE_MS = 50;
/** The share of a sample for which the event loop must be busy to count as saturated. */
const BUSY = 0.9;
/** How often the queue is checked if no finished request frees a place. */
const LOOK_MS = 10;
/** Always answered: an orchestrator uses them to decide whether the process is alive and gets traffic. */
const PROBES = new Set(['/healthz', '/readyz']);
/** Randomized, so that clients refused together do not come back together. */
const RETRY_AFTER_SECONDS = { least: 1, more: 3 };

/**
 * Sheds load as `AdmissionControl` decides. A process is saturated when its event loop or its Postgres connections are.
 */
export function createLoadShedding({
  targetMs,
  poolSize,
  usedConnections,
  shed,
  limit,
  now = () => performance.now(),
}: {
  targetMs: number;
  poolSize: number;
  usedConnections: () => number;
  shed: Counter;
  limit: Gauge;
  /** The clock, in milliseconds, that measures waiting and working times. */
  now?: () => number;
}): LoadShedding {
  let busy = false;
  let last = performance.eventLoopUtilization();
  const admission = new AdmissionControl({
    targetMs,
    isSaturated: () => busy || usedConnections() >= poolSize,
    now,
  });
  const sample = setInterval(() => {
    const now = performance.eventLoopUtilization();
    busy = performance.eventLoopUtilization(now, last).utilization >= BUSY;
    last = now;
    admission.sample();
    limit.set(admission.limit);
  }, SAMPLE_MS).unref();
  let looking: NodeJS.Timeout | undefined;
  const lookAgain = () => {
    if (looking || admission.waiting === 0) return;
    looking = setTimeout(() => {
      looking = undefined;
      admission.advance();
      lookAgain();
    }, LOOK_MS).unref();
  };

  return {
    admit(req, res, begin) {
      if (PROBES.has(req.url ?? '')) return begin();
      res.once('close', () => admission.end(res));
      admission.add(res, begin, () => {
        shed.inc();
        answerBusy(res);
      });
      lookAgain();
    },
    stop() {
      clearInterval(sample);
      clearTimeout(looking);
    },
  };
}

/**
 * How many requests a saturated process works on at once. They share each turn of the event loop, and a request takes
 * several turns: with few at work, each finishes soon, and new requests are read soon.
 */
export const AT_WORK = 8;
/** After this time a request is waiting for another service or a lock, so it no longer counts as work here. */
export const AT_WORK_MS = 500;
/** How long a request may wait before it begins. */
export const WAIT_MS = 2_000;
/** The limit until a queue has lasted for a whole sample: the size of a burst that may arrive at once. */
export const BURST = 64;
/** How many samples the response rate is averaged over. */
const SAMPLES = 20;

interface Options {
  targetMs: number;
  isSaturated: () => boolean;
  now: () => number;
}

interface Waiting {
  since: number;
  begin(): void;
  refuse(): void;
}

/**
 * Starts every request at once while the process is not saturated. A saturated process works on a few requests, and the
 * others wait unread in order of arrival. Requests beyond `limit` are refused at once.
 *
 * The limit follows the response rate. If a request has been waiting at every moment of a sample, the queue is a
 * standing one (CoDel tells it from a burst in the same way), and the process responded as fast as it can. By Little's
 * law, a request with `rate × targetMs` requests ahead of it gets its response after `targetMs`.
 */
export class AdmissionControl {
  readonly #options: Options;
  /** Requests being worked on that may keep others waiting, with their start times. */
  readonly #working = new Map<ServerResponse, number>();
  readonly #waiting = new Map<ServerResponse, Waiting>();
  /** The number of responses in each of the last samples, for as long as the queue stands. */
  #answers: number[] = [];
  #answersOfSample = 0;
  /** Whether a request has been waiting throughout this sample. */
  #stands = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The number of requests, at work and waiting, above which a saturated process refuses more. */
  get limit(): number {
    if (this.#answers.length === 0) return BURST;
    const answers = this.#answers.reduce((sum, each) => sum + each, 0);
    const perMs = answers / (this.#answers.length * SAMPLE_MS);
    return Math.min(BURST, Math.max(2 * AT_WORK, Math.round(perMs * this.#options.targetMs)));
  }

  /** The number of requests that have not started. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls either `begin` or `refuse`, now or later. */
  add(res: ServerResponse, begin: () => void, refuse: () => void): void {
    const { isSaturated, now } = this.#options;
    const atWork = this.#atWork();
    if (this.#waiting.size === 0 && (atWork < AT_WORK || !isSaturated())) this.#begin(res, begin);
    else if (atWork + this.#waiting.size < this.limit) {
      this.#waiting.set(res, { since: now(), begin, refuse });
    } else refuse();
  }

  /** Must be called when a request has its response or its client has disconnected. */
  end(res: ServerResponse): void {
    this.#waiting.delete(res);
    if (this.#working.delete(res) && res.headersSent) this.#answersOfSample += 1;
    this.advance();
  }

  /** Starts waiting requests while there are free places. */
  advance(): void {
    for (const [res, { since, begin, refuse }] of this.#waiting) {
      const late = this.#options.now() - since > WAIT_MS;
      const hasPlace = this.#atWork() < AT_WORK;
      if (!late && !hasPlace && this.#options.isSaturated()) break;
      this.#waiting.delete(res);
      if (late) refuse();
      else this.#begin(res, begin);
      // This request may saturate the process; that shows only once it is running.
      if (!late && !hasPlace) break;
    }
    if (this.#waiting.size === 0) this.#stands = false;
  }

  /** Must be called every `SAMPLE_MS`. */
  sample(): void {
    this.#answers = this.#stands ? [...this.#answers, this.#answersOfSample].slice(-SAMPLES) : [];
    this.#answersOfSample = 0;
    this.#stands = this.#waiting.size > 0;
  }

  #begin(res: ServerResponse, begin: () => void): void {
    this.#working.set(res, this.#options.now());
    begin();
  }

  #atWork(): number {
    const longAgo = this.#options.now() - AT_WORK_MS;
    for (const [res, since] of this.#working) {
      if (!res.headersSent && since >= longAgo) continue;
      this.#working.delete(res);
      if (res.headersSent) this.#answersOfSample += 1;
    }
    return this.#working.size;
  }
}

function answerBusy(res: ServerResponse): void {
  const requestId = `req_${randomBase62(22)}`;
  const { least, more } = RETRY_AFTER_SECONDS;
  const error = fail('service_unavailable', {
    message:
      'The service is busy. Nothing was done. Retry after the number of seconds in Retry-After.',
  });
  const body = JSON.stringify(errorEnvelope(error, requestId));
  res.writeHead(503, {
    'X-Request-Id': requestId,
    'Retry-After': String(least + Math.floor(randomFraction() * (more + 1))),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}

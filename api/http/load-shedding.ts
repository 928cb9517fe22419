import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Counter } from 'prom-client';
import { fail } from '../../shared/platform/errors.ts';
import { randomBase62, randomFraction } from '../../shared/platform/ids.ts';
import { errorEnvelope } from './error-response.ts';

/** Decides which requests a process refuses unread because it has more to do than it can. */
export interface LoadShedding {
  /** Refuses the request with 503 when the process is overloaded; returns whether it did. */
  refuse(req: IncomingMessage, res: ServerResponse, underWay: Iterable<ServerResponse>): boolean;
  stop(): void;
}

const SAMPLE_MS = 100;
/** The share of a sample in which the event loop never rested. */
const BUSY = 0.9;
/** Requests that wait for a connection of Postgres, for each connection there is. */
const WAITING_PER_CONNECTION = 4;
/** Answered always: whoever asks decides whether the process is to live and to get traffic. */
const PROBES = new Set(['/healthz', '/readyz']);
/** Clients that were refused together must not come back together. */
const RETRY_AFTER_SECONDS = { least: 1, more: 3 };

/**
 * Sheds load: as soon as `maxUnderWay` requests have no answer yet and the process is saturated (its event loop, or
 * its connections to Postgres), further ones get 503 with `Retry-After` at once, before anything is read or looked
 * up. So those that are taken are answered in time, however many come. Requests that wait for somebody else (a WHOIS
 * server, a stream) are no reason as long as there is room beside them.
 */
export function createLoadShedding({
  maxUnderWay,
  poolSize,
  waitingForPostgres,
  shed,
}: {
  maxUnderWay: number;
  poolSize: number;
  waitingForPostgres: () => number;
  shed: Counter;
}): LoadShedding {
  let busy = false;
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    busy = performance.eventLoopUtilization(now, last).utilization >= BUSY;
    last = now;
  }, SAMPLE_MS).unref();

  const isSaturated = () => busy || waitingForPostgres() >= WAITING_PER_CONNECTION * poolSize;
  const isFull = (underWay: Iterable<ServerResponse>) => {
    let unanswered = 0;
    for (const res of underWay) {
      if (!res.headersSent) unanswered += 1;
      if (unanswered >= maxUnderWay) return true;
    }
    return false;
  };

  return {
    refuse(req, res, underWay) {
      if (!isSaturated() || PROBES.has(req.url ?? '') || !isFull(underWay)) return false;
      shed.inc();
      answerBusy(res);
      return true;
    },
    stop: () => clearInterval(timer),
  };
}

function answerBusy(res: ServerResponse): void {
  const requestId = `req_${randomBase62(22)}`;
  const { least, more } = RETRY_AFTER_SECONDS;
  const error = fail('service_unavailable', {
    message: 'The service is busy. Nothing was done; retry after the seconds of Retry-After.',
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

import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import { Redis } from 'ioredis';
import pg from 'pg';
import { HOUR } from '../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeExampleCalls } from './example-calls.ts';
import type { Call } from './recorded-examples.ts';

/** What a call asks of Postgres and Redis before it is answered. */
export interface Cost {
  statements: number;
  /** How often it waits for Postgres: statements that travel together are one. */
  roundTrips: number;
  /** Transactions that it opens. */
  transactions: number;
  redisCommands: number;
}

const NOTHING: Cost = { statements: 0, roundTrips: 0, transactions: 0, redisCommands: 0 };
const FRAME = /^(begin|commit|rollback)\b/i;
/** Sent now and then, for many requests at once. */
const FOR_MANY = /pg_notify|into api_requests|update credentials set last_used/i;

type Emit = (this: Server, ...given: unknown[]) => boolean;
type Query = (statement: string | { text: string }, ...more: unknown[]) => unknown;

/** Notes what the requests of this process ask of Postgres and Redis. */
function watchRequests(): { take(): Cost; end(): void } {
  const request = new AsyncLocalStorage<Cost>();
  let latest = NOTHING;
  /** How many statements each connection has not answered. */
  const open = new WeakMap<object, number>();

  const { query } = pg.Client.prototype as unknown as { query: Query };
  const counting = function (
    this: object,
    statement: string | { text: string },
    ...more: unknown[]
  ) {
    const text = typeof statement === 'string' ? statement : statement.text;
    const cost = FOR_MANY.test(text) ? undefined : request.getStore();
    const answer = more.at(-1);
    if (cost && typeof answer === 'function') {
      const unanswered = open.get(this) ?? 0;
      if (unanswered === 0) cost.roundTrips += 1;
      if (!FRAME.test(text)) cost.statements += 1;
      if (/^begin\b/i.test(text)) cost.transactions += 1;
      open.set(this, unanswered + 1);
      more[more.length - 1] = (...given: unknown[]) => {
        open.set(this, (open.get(this) ?? 1) - 1);
        return answer(...given);
      };
    }
    return query.call(this, statement, ...more);
  };
  const { sendCommand } = Redis.prototype;
  const { emit } = Server.prototype as unknown as { emit: Emit };
  Object.assign(pg.Client.prototype, { query: counting });
  Redis.prototype.sendCommand = function (...given) {
    const cost = request.getStore();
    if (cost) cost.redisCommands += 1;
    return sendCommand.apply(this, given);
  };
  const emitting: Emit = function (this: Server, ...given) {
    if (given[0] !== 'request') return emit.apply(this, given);
    latest = { ...NOTHING };
    return request.run(latest, () => emit.apply(this, given));
  };
  Object.assign(Server.prototype, { emit: emitting });
  return {
    take: () => ({ ...latest }),
    end() {
      Object.assign(pg.Client.prototype, { query });
      Redis.prototype.sendCommand = sendCommand;
      Object.assign(Server.prototype, { emit });
    },
  };
}

/** What every operation of both APIs costs: their documented calls, one after the other. */
export async function readRouteCosts(): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  // Read once: how many calls a machine makes in a few seconds is no cost of theirs.
  const app: TestApp = await startTestApp({ credentialCacheMs: HOUR });
  const watch = watchRequests();
  const counted =
    (call: Call): Call =>
    async (operationId, request) => {
      const answer = await call(operationId, request);
      const cost = watch.take();
      costs.set(operationId, leastOf(costs.get(operationId) ?? cost, cost, Math.max));
      return answer;
    };
  try {
    await makeExampleCalls(app, counted);
  } finally {
    watch.end();
    await app.stop();
  }
  return costs;
}

/** The least of each figure of two calls, but as many round trips as `of` takes. */
export function leastOf(one: Cost, other: Cost, of: typeof Math.max = Math.min): Cost {
  return {
    statements: Math.min(one.statements, other.statements),
    roundTrips: of(one.roundTrips, other.roundTrips),
    transactions: Math.min(one.transactions, other.transactions),
    redisCommands: Math.min(one.redisCommands, other.redisCommands),
  };
}

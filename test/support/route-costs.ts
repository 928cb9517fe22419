import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import { Redis } from 'ioredis';
import pg from 'pg';
import { HOUR } from '../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeExampleCalls } from './example-calls.ts';
import type { Call } from './recorded-examples.ts';

/** What a call costs in Postgres and Redis before its response. */
export interface Cost {
  statements: number;
  /** How often it waits for Postgres: statements sent together count once. */
  roundTrips: number;
  /** The number of transactions. */
  transactions: number;
  redisCommands: number;
}

const NOTHING: Cost = { statements: 0, roundTrips: 0, transactions: 0, redisCommands: 0 };
const FRAME = /^(begin|commit|rollback)\b/i;
/** Statements sent occasionally, for many requests at once. */
const FOR_MANY = /pg_notify|into api_requests|update credentials set last_used/i;

type Emit = (this: Server, ...given: unknown[]) => boolean;
type Query = (statement: string | { text: string }, ...more: unknown[]) => unknown;

/** Counts what the requests of this process send to Postgres and Redis. */
function watchRequests(): { take(): Cost; end(): void } {
  const request = new AsyncLocalStorage<Cost>();
  let latest = NOTHING;
  /** How many statements are pending on each connection. */
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

/** Measures every operation of both APIs, by making their documented calls one after another. */
export async function readRouteCosts(): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  // Cached for an hour: how many calls a machine makes in a few seconds is not part of their cost.
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

/** Returns the lowest figures of two calls, except that `of` selects the round trips. */
export function leastOf(one: Cost, other: Cost, of: typeof Math.max = Math.min): Cost {
  return {
    statements: Math.min(one.statements, other.statements),
    roundTrips: of(one.roundTrips, other.roundTrips),
    transactions: Math.min(one.transactions, other.transactions),
    redisCommands: Math.min(one.redisCommands, other.redisCommands),
  };
}

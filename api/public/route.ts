import type { TSchema } from 'typebox';
import type { Runtime } from '../../shared/runtime.ts';
import type { Cursors } from '../http/pagination.ts';
import type { Reply } from '../http/reply.ts';
import type { InputOf, RouteDefinition } from '../http/route-table.ts';
import type { PublicCaller } from './caller.ts';
import type { PublicLimitGroup, PublicLimits } from './limits.ts';

/** An admitted and validated request, as a handler sees it. */
export interface PublicCall<Params = unknown, Query = unknown, Body = unknown> {
  caller: PublicCaller;
  params: Params;
  query: Query;
  body: Body;
  accept: string;
  requestId: string;
  /** There only where the row accepts one and the caller sent it. */
  idempotencyKey?: string | undefined;
}

/** What every handler works with. */
export interface PublicContext extends Runtime {
  cursors: Cursors;
  limits: PublicLimits;
}

export type PublicHandler<P = unknown, Q = unknown, B = unknown> = (
  context: PublicContext,
  call: PublicCall<P, Q, B>,
) => Promise<Reply>;

/** One row of the public API's table; its path is below `/api`, and below `/api/v1` as well. */
export interface PublicRoute extends RouteDefinition {
  limit: PublicLimitGroup;
  /** Only for callers who signed in and granted this scope. */
  scope?: 'domains:manage';
  /** Whether the handler answers once for an `Idempotency-Key`. */
  idempotencyKey?: 'accepted';
  handler: PublicHandler;
}

/** A row whose handler is typed by its schemas. */
export function publicRoute<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  row: Omit<PublicRoute, 'params' | 'query' | 'body' | 'handler'> & {
    params?: P;
    query?: Q;
    body?: B;
    handler: PublicHandler<InputOf<P>, InputOf<Q>, InputOf<B>>;
  },
): PublicRoute {
  return row as unknown as PublicRoute;
}

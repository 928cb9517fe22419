import type { TSchema } from 'typebox';
import type { Caller, Scope } from '../../shared/people/partners/credential.ts';
import type { ApiServices } from '../compose-api.ts';
import type { Cursors } from '../http/pagination.ts';
import type { LimitGroup } from '../http/rate-limit.ts';
import type { Reply } from '../http/reply.ts';
import type { InputOf, RouteDefinition } from '../http/route-table.ts';

/** An authenticated and validated request, as a handler sees it. */
export interface PartnerCall<Params = unknown, Query = unknown, Body = unknown> {
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  /** The `Idempotency-Key`; always there on a route that requires it. */
  idempotencyKey: string | undefined;
  method: string;
  /** The route's path with its prefix, as the caller spelled it. */
  path: string;
  accept: string;
  requestId: string;
}

/** What every handler works with. */
export interface PartnerContext extends ApiServices {
  cursors: Cursors;
}

export type PartnerHandler<P = unknown, Q = unknown, B = unknown> = (
  context: PartnerContext,
  call: PartnerCall<P, Q, B>,
) => Promise<Reply>;

/** One row of the partner API's table; its path is below `/api/partner`. */
export interface PartnerRoute extends RouteDefinition {
  /** Any one of these opens the route. */
  scopes: readonly Scope[];
  limit: LimitGroup;
  idempotencyKey?: 'required';
  /** For SANDBOX credentials only: others see no such path. */
  sandboxOnly?: boolean;
  handler: PartnerHandler;
}

/** A row whose handler is typed by its schemas. */
export function partnerRoute<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  row: Omit<PartnerRoute, 'params' | 'query' | 'body' | 'handler'> & {
    params?: P;
    query?: Q;
    body?: B;
    handler: PartnerHandler<InputOf<P>, InputOf<Q>, InputOf<B>>;
  },
): PartnerRoute {
  return row as unknown as PartnerRoute;
}

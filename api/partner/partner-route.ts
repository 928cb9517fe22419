import type { Caller, Scope } from '../../shared/people/partners/credential.ts';
import type { ApiServices } from '../compose-api.ts';
import type { Cursors } from '../http/pagination.ts';
import type { LimitGroup } from '../http/rate-limit.ts';
import type { Reply } from '../http/reply.ts';
import { type RequestParts, type RouteDefinition, routeDefiner } from '../http/route-table.ts';

/** The caller and its credential's scopes. */
export interface PartnerCaller extends Caller {
  scopes: readonly Scope[];
}

/** An authenticated and validated request, as a handler sees it. */
export interface PartnerCall extends RequestParts {
  caller: PartnerCaller;
  /** The `Idempotency-Key`; always set on a route that requires it. */
  idempotencyKey: string | undefined;
  method: string;
  /** The route's path with its prefix, as the caller spelled it. */
  path: string;
  accept: string;
  requestId: string;
}

/** What every handler works with. */
export interface PartnerContext extends ApiServices {
  cursors: Pick<Cursors, 'ofPartner'>;
}

/** A route of the partner API; its path is below `/api/partner`. */
export interface PartnerRoute extends RouteDefinition {
  /** Any one of these scopes is enough. */
  scopes: readonly Scope[];
  limit: LimitGroup;
  idempotencyKey?: 'required';
  /** For SANDBOX credentials only; others get 404. */
  sandboxOnly?: boolean;
  /**
   * Uses real time instead of the sandbox clock, which costs a statement: for data that partners share, for webhook
   * deliveries, and for reads that do not depend on the time.
   */
  realTime?: boolean;
  handler(context: PartnerContext, call: PartnerCall): Promise<Reply>;
}

/** Defines a route whose handler is typed by its schemas. */
export const partnerRoute = routeDefiner<PartnerRoute, PartnerContext, PartnerCall>();

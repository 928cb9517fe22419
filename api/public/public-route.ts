import { type Answer, answerOnce } from '../../shared/messaging/unit-of-work/idempotency.ts';
import type { UnitOfWork } from '../../shared/messaging/unit-of-work/unit-of-work.ts';
import type { ApiServices } from '../compose-api.ts';
import type { Cursors } from '../http/pagination.ts';
import type { Reply } from '../http/reply.ts';
import { type RequestParts, type RouteDefinition, routeDefiner } from '../http/route-table.ts';
import type { PublicCaller } from './public-caller.ts';
import type { PublicLimitGroup, PublicLimits } from './public-limits.ts';

/** An admitted and validated request, as a handler sees it. */
export interface PublicCall extends RequestParts {
  caller: PublicCaller;
  accept: string;
  requestId: string;
  /** Present only if the route accepts one and the caller sent it. */
  idempotencyKey?: string | undefined;
}

/** What every handler works with. */
export interface PublicContext extends ApiServices {
  cursors: Pick<Cursors, 'of'>;
  limits: PublicLimits;
}

/** A route of the public API, served below `/api` and below `/api/v1`. */
export interface PublicRoute extends RouteDefinition {
  limit: PublicLimitGroup;
  /** Requires a signed-in caller whose token was granted this scope. */
  scope?: 'domains:manage';
  /** Whether the handler supports an `Idempotency-Key`. */
  idempotencyKey?: 'accepted';
  handler(context: PublicContext, call: PublicCall): Promise<Reply>;
}

/** Defines a route whose handler is typed by its schemas. */
export const publicRoute = routeDefiner<PublicRoute, PublicContext, PublicCall>();

/**
 * Runs a write in one transaction with its response; with a key, repeated requests of this user with that key and body
 * get the same response. `path` is the full path, without a version.
 * @throws conflict (`key_reused`)
 */
export async function replyIdempotently(
  context: PublicContext,
  request: { userId: string; key: string | undefined; path: string; body: unknown },
  work: (uow: UnitOfWork) => Promise<Answer>,
): Promise<Reply> {
  const { userId, key, path, body } = request;
  if (key === undefined) return context.db.transactFor(userId, work);
  const scope = { credential: userId, method: 'POST', path, key };
  return answerOnce(context, userId, scope, body, work);
}

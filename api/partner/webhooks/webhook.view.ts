import type { Attempt, Delivery } from '../../../shared/webhooks/delivery.ts';
import type { Endpoint } from '../../../shared/webhooks/endpoint.ts';

/** An endpoint as its partner sees it; the secret is no part of it. */
export function endpointView(endpoint: Endpoint) {
  return {
    url: endpoint.url,
    active: endpoint.active,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: endpoint.lastFailureAt?.toISOString() ?? null,
    previous_secret_until: endpoint.previousSecretUntil?.toISOString() ?? null,
  };
}

/** A delivery with its attempts. */
export function deliveryView(delivery: Delivery) {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts.map(attemptView),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
    resend_of: delivery.resendOf,
  };
}

function attemptView(attempt: Attempt) {
  return {
    attempt: attempt.attempt,
    started_at: attempt.startedAt.toISOString(),
    elapsed_ms: attempt.elapsedMs,
    status_code: attempt.statusCode,
    outcome: attempt.outcome,
    detail: attempt.detail,
    response_excerpt: attempt.responseExcerpt,
  };
}

import { type PingSlots, sendPing } from '../../messaging/events/pings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { endpointNotFound } from '../../messaging/webhooks/manage-endpoint.ts';
import {
  cancelReplay,
  type Replay,
  type ReplayInput,
  replayNotFound,
  startReplay,
} from '../../messaging/webhooks/replay.ts';
import { resendDelivery, resendEvent } from '../../messaging/webhooks/requested-deliveries.ts';
import { withAuditTrail } from '../../people/audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { fail, invalid } from '../../platform/errors.ts';
import {
  selectDeliveryOwner,
  selectEndpointOwner,
  selectEventOwner,
  selectReplayOwner,
} from './webhook-overview.store.ts';

// Operators send test events and replays to any partner's endpoints. Each call is recorded in the audit trail.

interface SendRuntime {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}

/** What to send again: exactly one of the two. */
export interface ResendRequest {
  deliveryId?: string | undefined;
  eventId?: string | undefined;
}

/**
 * Sends a delivery or an event of any partner again. Returns the ids of the new deliveries.
 * @throws validation_error (none or both), not_found, conflict (endpoint_disabled)
 */
export async function resendForOps(
  runtime: SendRuntime,
  actor: string,
  { deliveryId, eventId }: ResendRequest,
): Promise<string[]> {
  const subject = deliveryId ?? eventId;
  if (subject === undefined || (deliveryId !== undefined && eventId !== undefined)) {
    throw invalid([{ path: '/delivery', message: 'or /event is required, and not both' }]);
  }
  const { db } = runtime;
  const owner =
    deliveryId === undefined
      ? await selectEventOwner.first(db.knex, { id: subject })
      : await selectDeliveryOwner.first(db.knex, { id: subject });
  if (!owner) throw fail('not_found', { message: `There is nothing to send under ${subject}.` });
  const recorded = withTrail(runtime, { actor, action: 'webhook:resend', subject });
  if (deliveryId !== undefined) return [await resendDelivery(recorded, owner, deliveryId)];
  return resendEvent(recorded, owner, subject);
}

/** Sends a ping to an endpoint of any partner; returns the delivery's id. @throws not_found, conflict (endpoint_disabled), rate_limited */
export async function testForOps(
  runtime: SendRuntime & { pingSlots: PingSlots },
  actor: string,
  endpointId: string,
): Promise<string> {
  const owner = await ownerOf(runtime, endpointId);
  const recorded = withTrail(runtime, { actor, action: 'webhook:test', subject: endpointId });
  return sendPing(recorded, owner, endpointId);
}

/**
 * Requests a replay of a period to any partner's endpoint.
 * @throws not_found, validation_error, conflict (endpoint_disabled)
 */
export async function replayForOps(
  runtime: SendRuntime,
  actor: string,
  endpointId: string,
  input: ReplayInput,
): Promise<Replay> {
  const owner = await ownerOf(runtime, endpointId);
  const recorded = withTrail(runtime, { actor, action: 'webhook:replay', subject: endpointId });
  return startReplay(recorded, owner, endpointId, input);
}

/** Cancels any partner's replay. @throws not_found, conflict (invalid_state) */
export async function cancelReplayForOps(
  runtime: SendRuntime,
  actor: string,
  replayId: string,
): Promise<Replay> {
  const owner = await selectReplayOwner.first(runtime.db.knex, { id: replayId });
  if (!owner) throw replayNotFound();
  const action = 'webhook:cancel-replay';
  return cancelReplay(withTrail(runtime, { actor, action, subject: replayId }), owner, replayId);
}

async function ownerOf({ db }: SendRuntime, endpointId: string) {
  const owner = await selectEndpointOwner.first(db.knex, { id: endpointId });
  if (!owner) throw endpointNotFound();
  return owner;
}

function withTrail<R extends SendRuntime>(
  runtime: R,
  entry: { actor: string; action: string; subject: string },
): R {
  return { ...runtime, db: withAuditTrail(runtime, entry) };
}

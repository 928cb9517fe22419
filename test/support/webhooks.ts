import {
  type AttemptRecord,
  attemptRecord,
  attemptRequest,
  createOpener,
} from '../../shared/delivery/webhooks/attempt.ts';
import type { DeliveryState } from '../../shared/delivery/webhooks/delivery.ts';
import {
  type ClaimedDelivery,
  upsertHeartbeat,
} from '../../shared/delivery/webhooks/delivery-engine.store.ts';
import { claimDeliveries, recordAttempts } from '../../shared/delivery/webhooks/delivery-engine.ts';
import type { EndpointOwner } from '../../shared/delivery/webhooks/endpoint.ts';
import { registerEndpoint } from '../../shared/delivery/webhooks/manage-endpoint.ts';
import type { OutboundResult } from '../../shared/platform/outbound/http-client.ts';
import { recordedOrder } from './events.ts';
import { givenPartner, unique } from './factories.ts';
import type { Runtime } from './runtime.ts';

export const SECRET = 'whsec_c2VjcmV0LW9mLWFuLWV4YW1wbGUtcGFydG5lcg==';

/** A partner with an endpoint at `url`. */
export async function givenEndpoint(
  runtime: Runtime,
  url: string,
  options: { secret?: string; environment?: 'SANDBOX' | 'LIVE' } = {},
): Promise<EndpointOwner & { endpointId: string; keyId: string; keySecret: string }> {
  const { environment = 'SANDBOX', secret = SECRET } = options;
  const partner = await givenPartner(runtime, { environment });
  const owner: EndpointOwner = { partnerId: partner.partnerId, environment };
  await registerEndpoint(runtime, owner, { url, secret });
  const { id } = await runtime.db
    .knex('webhook_endpoints')
    .where('partner_id', owner.partnerId)
    .first('id');
  return { ...owner, endpointId: id, keyId: partner.keyId, keySecret: partner.secret };
}

/**
 * Records `count` events in one transaction, which schedules their deliveries; each about an order of its own unless
 * `subjectOf` names them.
 */
export async function givenEvents(
  runtime: Runtime,
  { partnerId, environment }: EndpointOwner,
  count: number,
  subjectOf: (at: number) => string = givenSubject,
): Promise<void> {
  const events = Array.from({ length: count }, (_, at) => recordedOrder(subjectOf(at)));
  await runtime.db.transact(async (uow) => uow.events.add({ partnerId, environment }, ...events));
}

/** The id of an order that events can be about. */
export function givenSubject(): string {
  return `ord_example${unique()}`;
}

export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  state: DeliveryState;
  attempts: number;
  epoch: number;
  next_attempt_at: Date;
  finished_at: Date | null;
  resend_of: string | null;
}

/** The deliveries of an endpoint, oldest first. */
export function deliveriesOf(runtime: Runtime, endpointId: string): Promise<DeliveryRow[]> {
  return runtime.db.knex('webhook_deliveries').where('endpoint_id', endpointId).orderBy('id');
}

/** How many deliveries there are of each state. */
export async function countStates(
  runtime: Runtime,
): Promise<Partial<Record<DeliveryState, number>>> {
  const rows = await runtime.db
    .knex('webhook_deliveries')
    .groupBy('state')
    .select('state', runtime.db.knex.raw('count(*)::int as count'));
  return Object.fromEntries(
    rows.map((row: { state: string; count: number }) => [row.state, row.count]),
  );
}

/**
 * So many partners with an endpoint each, at which one delivery (a retry after so many `attempts`) waits until
 * `due`, made by the database itself: for what has to stay quick however many there are.
 */
export async function givenWaitingEndpoints(
  { db, clock }: Runtime,
  { count, due, attempts = 1 }: { count: number; due: Date; attempts?: number },
): Promise<void> {
  const bindings = { count, due, attempts, now: clock.now() };
  for (const statement of [
    `insert into partners (id, name, created_at) select 'ptr_many' || n, 'Partner ' || n, :now
     from generate_series(1, :count) n`,
    `insert into webhook_endpoints (id, partner_id, environment, url, secret_ciphertext, created_at, updated_at)
     select 'whe_many' || n, 'ptr_many' || n, 'LIVE', 'https://partner.example/hook', '', :now, :now
     from generate_series(1, :count) n`,
    `insert into events (id, partner_id, environment, position, type, subject, body, created_at)
     select 'evt_many' || n, 'ptr_many' || n, 'LIVE', 1, 'order.recorded', 'ord_many' || n, '{}', :now
     from generate_series(1, :count) n`,
    `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, attempts,
       next_attempt_at, created_at)
     select 'dlv_many' || n, 'whe_many' || n, 'ptr_many' || n, 'LIVE', 'evt_many' || n, :attempts, :due, :now
     from generate_series(1, :count) n`,
  ]) {
    await db.knex.raw(statement, bindings);
  }
  await db.knex.raw('vacuum analyze webhook_deliveries');
  await db.knex.raw('vacuum analyze webhook_endpoints');
}

/** Claims as the worker `workerId`. */
export async function claim(
  runtime: Runtime,
  limit = 100,
  workerId = 'worker',
): Promise<ClaimedDelivery[]> {
  return (await claimDeliveries(runtime, workerId, limit)).claimed;
}

/** An answer as a request gets it. */
export function answered(status: number, body = '', headers = {}): OutboundResult {
  return {
    kind: 'response',
    status,
    headers,
    body: Buffer.from(body),
    truncated: false,
    elapsedMs: 7,
  };
}

/** What is recorded of an attempt that got this answer. */
export function attemptOf(
  runtime: Runtime,
  claimed: ClaimedDelivery,
  result: OutboundResult,
): AttemptRecord {
  const now = runtime.clock.now();
  return attemptRecord(
    claimed,
    attemptRequest(claimed, createOpener(runtime.secrets), now),
    result,
    {
      startedAt: now,
      endedAt: now,
      scheduleMs: runtime.config.webhookScheduleMs,
    },
  );
}

/** Records an attempt; undefined when the delivery was another claim's by then. */
export async function record(
  runtime: Runtime,
  claimed: ClaimedDelivery,
  result: OutboundResult,
): Promise<DeliveryState | undefined> {
  const states = await recordAttempts(runtime, [attemptOf(runtime, claimed, result)]);
  return states.get(claimed.id);
}

/** Makes what every worker held due again, as after their death. Returns how many deliveries that were. */
export async function takeOver(runtime: Runtime): Promise<number> {
  const beat = { workerId: 'heir', held: [], evicts: true, deadAfterMs: 0, since: '' };
  return (await upsertHeartbeat.one(runtime.db.knex, beat)).takenBack;
}

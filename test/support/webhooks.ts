import {
  type AttemptRecord,
  attemptRecord,
  attemptRequest,
  createAttempts,
} from '../../shared/messaging/webhooks/attempt.ts';
import type { DeliveryStatus } from '../../shared/messaging/webhooks/delivery.ts';
import {
  type DueDelivery,
  type HealthRecord,
  type ServedEndpoint,
  selectServed,
} from '../../shared/messaging/webhooks/delivery-work.store.ts';
import { DueDeliveries } from '../../shared/messaging/webhooks/due-deliveries.ts';
import type { EndpointOwner } from '../../shared/messaging/webhooks/endpoint.ts';
import { registerEndpoint } from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { DELIVER_KEY } from '../../shared/messaging/webhooks/webhook.jobs.ts';
import { createOpener } from '../../shared/platform/crypto/secrets.ts';
import type { OutboundResult } from '../../shared/platform/outbound/http-client.ts';
import { recordedOrder } from './events.ts';
import { givenPartner, unique } from './factories.ts';
import type { Runtime } from './runtime.ts';

export const SECRET = 'whsec_c2VjcmV0LW9mLWFuLWV4YW1wbGUtcGFydG5lcg==';

/** Creates a partner with an endpoint at `url`. */
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
 * Records `count` events in one transaction, which schedules their deliveries; each about a different order unless
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

/** Returns the id of an order for events. */
export function givenSubject(): string {
  return `ord_example${unique()}`;
}

export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  state: DeliveryStatus;
  attempts: number;
  next_attempt_at: Date;
  finished_at: Date | null;
  resend_of: string | null;
}

/** Returns the deliveries of an endpoint, oldest first. */
export function deliveriesOf(runtime: Runtime, endpointId: string): Promise<DeliveryRow[]> {
  return runtime.db.knex('webhook_deliveries').where('endpoint_id', endpointId).orderBy('id');
}

/** Returns how many deliveries there are in each state. */
export async function countStates(
  runtime: Runtime,
): Promise<Partial<Record<DeliveryStatus, number>>> {
  const rows = await runtime.db
    .knex('webhook_deliveries')
    .groupBy('state')
    .select('state', runtime.db.knex.raw('count(*)::int as count'));
  return Object.fromEntries(
    rows.map((row: { state: string; count: number }) => [row.state, row.count]),
  );
}

/**
 * Creates this many partners, each with an endpoint that has one delivery (a retry after `attempts` attempts) waiting
 * until `due`, inside the database: to test what must stay fast however many there are.
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
    `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, attempts,
       next_attempt_at, created_at)
     select 'dlv_many' || n, 'whe_many' || n, 'ptr_many' || n, 'LIVE', 'evt_many' || n, 'order.recorded', :attempts, :due, :now
     from generate_series(1, :count) n`,
  ]) {
    await db.knex.raw(statement, bindings);
  }
  await db.knex.raw('vacuum analyze webhook_deliveries');
  await db.knex.raw('vacuum analyze webhook_endpoints');
}

/** What an endpoint's job sees of it. */
export interface DueTo {
  endpoint: ServedEndpoint;
  /** Takes up to `limit` due deliveries that were not taken before, at most `retries` of them retries. */
  take(limit?: number, retries?: number): Promise<DueDelivery[]>;
  /** Must be called when a taken delivery has ended. */
  end(delivery: DueDelivery): void;
  /** Marks what was read ahead as outdated. */
  age(): void;
}

/** Returns an endpoint and its due deliveries, as seen by its job, which need not run. */
export async function dueTo(runtime: Runtime, endpointId: string): Promise<DueTo> {
  const endpoint = await servedEndpoint(runtime, endpointId);
  const { readDue, config, clock } = runtime;
  const found = new DueDeliveries(readDue, endpointId, config.webhookRetrySharePercent);
  return {
    endpoint,
    async take(limit = 100, retries = limit) {
      // Like a job that was woken.
      found.look();
      const taken: DueDelivery[] = [];
      for (;;) {
        await found.readAhead(limit - taken.length, clock.now());
        const retriesTaken = taken.filter(({ attempts }) => attempts > 0).length;
        const next = taken.length < limit && found.take(retriesTaken < retries);
        if (!next) return taken;
        taken.push(next);
      }
    },
    end: (delivery) => found.end(delivery),
    age: () => found.look(true),
  };
}

/** Returns the endpoint as its job reads it; starts the job for that. */
async function servedEndpoint({ db }: Runtime, endpointId: string): Promise<ServedEndpoint> {
  const job = await jobOf({ db }, endpointId);
  const { id: outboxId, epoch, attempts: attempt } = job;
  await db.knex('outbox').where({ id: outboxId }).update({ state: 'dispatched' });
  return selectServed.one(db.indexed, { endpointId, outboxId, epoch, attempt });
}

/** Returns the outbox row of an endpoint's job. */
export async function jobOf(
  { db }: Pick<Runtime, 'db'>,
  endpointId: string,
): Promise<{ id: number; epoch: number; attempts: number; run_at: Date; state: string }> {
  const key = db
    .knex('job_keys')
    .where({ dedupe_key: `${DELIVER_KEY}${endpointId}` })
    .select('job_id');
  const job = await db.knex('outbox').whereIn('id', key).first();
  if (!job) throw new Error('the endpoint has no job');
  return { ...job, id: Number(job.id) };
}

/** Returns a response as the HTTP client returns it. */
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

/** Returns the record of an attempt that got this response. */
export function attemptOf(
  runtime: Runtime,
  endpoint: ServedEndpoint,
  delivery: DueDelivery,
  result: OutboundResult,
): AttemptRecord {
  const now = runtime.clock.now();
  const opener = createOpener(runtime.secrets);
  const time = { startedAt: now, endedAt: now, scheduleMs: runtime.config.webhookScheduleMs };
  return attemptRecord(delivery, attemptRequest(endpoint, delivery, opener, now), result, time);
}

/** Records an attempt as a job does; undefined if it was already recorded. */
export function record(
  runtime: Runtime,
  attempt: AttemptRecord,
  health?: HealthRecord,
): Promise<DeliveryStatus | undefined> {
  const { signal } = new AbortController();
  return createAttempts(runtime).record({ record: attempt, health: () => health, signal });
}

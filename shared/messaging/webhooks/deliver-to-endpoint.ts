import { addMs, type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import { createWaker } from '../../platform/concurrency/waker.ts';
import type { Config } from '../../platform/config/config.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { beginSpan } from '../../platform/observability/tracing.ts';
import { AlreadyFinished, type JobReference, type PayloadOf } from '../jobs/job.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { AttemptRecord, Attempts } from './attempt.ts';
import { updatePendingCancelled } from './delivery.store.ts';
import type { DeliveryPool, WakeJob } from './delivery-pool.ts';
import * as store from './delivery-work.store.ts';
import { DueDeliveries, type ReadDue } from './due-deliveries.ts';
import { endpointDisabled } from './endpoint-disabled.ts';
import { afterAttempt, healthOf, isFailing, reasonToDisable } from './endpoint-health.ts';
import { DELIVER_KEY, deliverJob } from './webhook.jobs.ts';

export interface DeliveryServices {
  config: Config;
  log: Logger;
  clock: Clock;
  db: Database;
  metrics: Metrics;
  deliveryPool: DeliveryPool;
  readDue: ReadDue;
  webhookAttempts: Attempts;
}

/** What an endpoint's job receives in addition to its payload. */
export interface DeliveryJob {
  job: JobReference;
  attempt: number;
  /** When the job was due. */
  dueAt: Date;
  /** Aborts the open requests; they do not count as attempts. */
  signal: AbortSignal;
  /** Aborted when the process is stopping: no new requests are sent, but open ones may finish. */
  stopping: AbortSignal;
  /** Reports progress to operators. */
  tell(progress: object): void;
}

/** How long the settings of an endpoint are cached. */
const FRESH_MS = 250;
/** How long a job waits when nothing is due, which costs less than ending it and starting another. */
const LINGER_MS = 2 * SECOND;
/** How long a job may run before it is requeued: when alone, and when other jobs are waiting for its slot. */
const TURN_MS = { alone: MINUTE, crowded: 2 * SECOND };
/** How often a job polls without a wake-up, records the health after a success, and reports progress. */
const POLL_MS = SECOND;
/** How often a job retries when the process has no free request slot. */
const FULL_MS = 50;
/** The minimum wait for a request slot for doubtful requests; the maximum is twice as long. */
const NO_PLACE_MS = 5 * SECOND;
/** How much of an endpoint's rate may be used in one burst, so that no second exceeds the rate by much. */
const BURST_MS = 100;

/**
 * Delivers an endpoint's due deliveries with the concurrency, ordering and rate that the endpoint allows, alternating
 * first attempts and retries. Ends when nothing has been due for a while, after a bounded time, or when the queue is
 * paused; it then adds the next job, due when the next delivery is. Returns a summary for operators.
 * @throws AlreadyFinished when another worker has taken the job over
 */
export function deliverToEndpoint(
  services: DeliveryServices,
  job: DeliveryJob,
  payload: PayloadOf<typeof deliverJob>,
): Promise<object> {
  return new EndpointJob(services, job, payload).run();
}

class EndpointJob {
  readonly #services: DeliveryServices;
  readonly #job: DeliveryJob;
  readonly #of: Pick<PayloadOf<typeof deliverJob>, 'endpoint' | 'partner' | 'environment'>;
  readonly #due: DueDeliveries;
  readonly #waker = createWaker();
  readonly #sending = new Set<Promise<void>>();
  readonly #beganAt = performance.now();
  /** The endpoint, with its health as of the last attempt, and when its settings were read. */
  #endpoint: store.ServedEndpoint | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  /** When the endpoint's rate allows the next request; the previous job may just have used it up. */
  #usedUntil: number;
  #workedAt = performance.now();
  #toldAt = 0;
  #healthTold = { at: 0, failing: false, most: 0 };
  /** Whether a due delivery found no free request slot. */
  #noPlace = false;
  #disable: 'gone' | 'failing' | undefined;
  #told: { sent: number; failed: number; last_answer?: string };

  constructor(
    services: DeliveryServices,
    job: DeliveryJob,
    { endpoint, partner, environment, last_answer }: PayloadOf<typeof deliverJob>,
  ) {
    this.#services = services;
    this.#job = job;
    this.#of = { endpoint, partner, environment };
    this.#told = { sent: 0, failed: 0, ...(last_answer !== undefined && { last_answer }) };
    const { readDue, config } = services;
    this.#due = new DueDeliveries(readDue, endpoint, config.webhookRetrySharePercent);
    this.#usedUntil = Number(services.clock.now());
  }

  /** Handles a wake-up: a delivery may be due, a slot may be free, or the endpoint was changed. */
  readonly #hear: WakeJob = ({ isChanged }) => {
    if (isChanged) this.#readAt = Number.NEGATIVE_INFINITY;
    this.#due.look(isChanged);
    this.#waker.wake();
  };

  async run(): Promise<object> {
    const { deliveryPool, db, clock } = this.#services;
    const { stopping, signal, dueAt } = this.#job;
    const { wake } = this.#waker;
    const leave = deliveryPool.enter(this.#of.endpoint, this.#hear);
    for (const each of [stopping, signal]) each.addEventListener('abort', wake);
    try {
      if (dueAt > addMs(clock.now(), SECOND)) {
        // Operators started the job before it was due.
        const now = clock.now();
        await store.updateTriedNow.run(db.knex, { endpointId: this.#of.endpoint, now });
      }
      await this.#deliver();
      await Promise.all(this.#sending);
      signal.throwIfAborted();
      if (this.#disable) await this.#putOutOfService(this.#disable);
      return await this.#end();
    } finally {
      // Otherwise the next job would send deliveries that are still being sent.
      await Promise.allSettled(this.#sending);
      leave();
      for (const each of [stopping, signal]) each.removeEventListener('abort', wake);
    }
  }

  /** Sends due deliveries until none is left or the job's turn is over. */
  async #deliver(): Promise<void> {
    while (!this.#isOver()) {
      const endpoint = await this.#read();
      if (!endpoint.active) return;
      await this.#sendDue(endpoint);
      if (this.#sending.size > 0) this.#workedAt = performance.now();
      const lingerMs = this.#services.deliveryPool.isCrowded ? 0 : LINGER_MS;
      const idleMs = this.#workedAt + lingerMs - performance.now();
      const restMs = this.#restMs(endpoint);
      const isFar = restMs > lingerMs && restMs < Number.POSITIVE_INFINITY;
      // A job that ended while it waits for the rate would leave the same wait to the next one, for ever.
      const isRated = eachMs(endpoint) > 0 && restMs <= SECOND;
      const stays = this.#noPlace ? lingerMs > 0 : isRated || (idleMs > 0 && !isFar);
      if (this.#sending.size === 0 && !stays) return;
      if (this.#noPlace) this.#services.deliveryPool.queueForPlace(this.#hear);
      if (performance.now() - this.#toldAt > POLL_MS) this.#tell();
      const isBusy = this.#sending.size > 0 || this.#noPlace || isRated;
      const stayMs = isBusy ? POLL_MS : Math.min(POLL_MS, idleMs);
      await this.#waker.rest(Math.min(stayMs, restMs));
    }
  }

  #isOver(): boolean {
    const { stopping, signal } = this.#job;
    const { isPaused, isCrowded } = this.#services.deliveryPool;
    if (this.#disable || isPaused || stopping.aborted || signal.aborted) return true;
    const turnMs = isCrowded ? TURN_MS.crowded : TURN_MS.alone;
    return performance.now() - this.#beganAt > turnMs;
  }

  /** Returns the endpoint's current settings. @throws AlreadyFinished if another job has taken over */
  async #read(): Promise<store.ServedEndpoint> {
    const known = this.#endpoint;
    if (known && performance.now() - this.#readAt < FRESH_MS) return known;
    const { job, attempt } = this.#job;
    const of = { ...job, endpointId: this.#of.endpoint, attempt };
    const read = await store.selectServed.first(this.#services.db.indexed, of);
    if (!read) throw new AlreadyFinished();
    this.#readAt = performance.now();
    // The partner may have changed the endpoint, which may reset its health.
    const isNew = read.version !== this.#endpoint?.version;
    this.#endpoint = isNew ? read : { ...read, ...healthOf(this.#endpoint ?? read) };
    return this.#endpoint;
  }

  /** Returns the milliseconds until more may be sent, unless a request ends sooner; infinity if unknown. */
  #restMs(endpoint: store.ServedEndpoint): number {
    const now = Number(this.#services.clock.now());
    const opensAt = Number(endpoint.openUntil);
    if (opensAt > now) return opensAt - now;
    if (this.#sending.size >= this.#most(endpoint)) return Number.POSITIVE_INFINITY;
    if (this.#noPlace) return Number.POSITIVE_INFINITY;
    const isFull = this.#services.deliveryPool.room(this.#sending.size) === 0;
    const freeAt = this.#usedUntil + eachMs(endpoint);
    return Math.max(this.#due.nextAt - now, eachMs(endpoint) && freeAt - now, isFull ? FULL_MS : 0);
  }

  /** Returns how many requests to the endpoint may be open at once. */
  #most(endpoint: store.ServedEndpoint): number {
    if (isFailing(endpoint)) return 1;
    return Math.floor(Math.min(endpoint.concurrency, this.#services.config.webhookMaxInFlight));
  }

  /** Returns how many requests the endpoint's rate allows now. */
  #roomOfRate(endpoint: store.ServedEndpoint): number {
    const ms = eachMs(endpoint);
    const now = Number(this.#services.clock.now());
    this.#usedUntil = Math.max(this.#usedUntil, now - Math.max(ms, BURST_MS));
    return ms === 0 ? Number.POSITIVE_INFINITY : Math.floor((now - this.#usedUntil) / ms + 0.001);
  }

  /** Returns how many requests may be started now. */
  #room(endpoint: store.ServedEndpoint): number {
    if (endpoint.openUntil !== null && endpoint.openUntil > this.#services.clock.now()) return 0;
    const open = this.#sending.size;
    const own = this.#most(endpoint) - open;
    return Math.min(own, this.#services.deliveryPool.room(open), this.#roomOfRate(endpoint));
  }

  async #sendDue(endpoint: store.ServedEndpoint): Promise<void> {
    const { clock, deliveryPool } = this.#services;
    const failing = isFailing(endpoint);
    this.#noPlace = failing && !deliveryPool.hasDoubtfulRoom;
    const wanted = this.#noPlace ? 0 : this.#room(endpoint);
    if (wanted <= 0) return;
    await this.#due.readAhead(wanted, clock.now());
    // Other jobs may have taken slots meanwhile.
    for (let room = this.#room(endpoint); room > 0; room -= 1) {
      const mayDoubt = deliveryPool.hasDoubtfulRoom;
      const delivery = failing && !mayDoubt ? undefined : this.#due.take(mayDoubt);
      this.#noPlace = !delivery && !mayDoubt && this.#due.hasAny;
      if (!delivery) return;
      this.#start(endpoint, delivery);
    }
  }

  #start(endpoint: store.ServedEndpoint, delivery: store.DueDelivery): void {
    const { deliveryPool, log } = this.#services;
    const leave = deliveryPool.take(isFailing(endpoint) || delivery.attempts > 0);
    this.#usedUntil += eachMs(endpoint);
    const sent = this.#send(endpoint, delivery)
      // This is a bug on our side: deliveries that were not recorded become due again.
      .catch((err) => log.error({ err, delivery: delivery.id }, 'deliveries: went wrong'))
      .finally(() => {
        leave();
        this.#due.end(delivery);
        this.#sending.delete(sent);
        this.#waker.wake();
      });
    this.#sending.add(sent);
  }

  async #send(endpoint: store.ServedEndpoint, delivery: store.DueDelivery): Promise<void> {
    const { webhookAttempts, metrics } = this.#services;
    const { signal } = this.#job;
    const span = beginSpan({
      name: 'webhook attempt',
      kind: 'client',
      parent: delivery.traceParent,
      facts: { 'webhook.event_type': delivery.eventType, 'webhook.attempt': delivery.attempts + 1 },
    });
    const attempt = () => webhookAttempts.make({ endpoint, delivery, signal });
    const record = await (span ? span.within(attempt) : attempt());
    if (!record) return span?.end({ facts: { 'webhook.outcome': 'released' }, failed: true });
    this.#judge(endpoint, record);
    const state = await webhookAttempts.record({ record, health: () => this.#news(), signal });
    if (record.nextAttemptAt) this.#due.expect(record.nextAttemptAt);
    const outcome = state === 'pending' ? 'retry' : (state ?? 'stale');
    span?.end({ facts: { 'webhook.outcome': outcome }, failed: outcome !== 'delivered' });
    const labels = { class: isFailing(endpoint) ? 'failing' : 'healthy' };
    metrics.webhookAttempts.inc({ ...labels, outcome });
    metrics.webhookAttemptSeconds.observe(labels, record.elapsedMs / 1_000);
    const takenMs = Math.max(0, Number(record.endedAt) - Number(delivery.createdAt));
    if (delivery.attempts === 0) {
      const waitedMs = Math.max(0, takenMs - record.elapsedMs);
      metrics.webhookFirstAttemptSeconds.observe(labels, waitedMs / 1_000);
    }
    if (outcome === 'delivered') metrics.webhookDeliverySeconds.observe(labels, takenMs / 1_000);
  }

  /**
   * Updates the endpoint's health after an attempt. A failure at an address that was replaced meanwhile does not count
   * against the new one.
   */
  #judge(endpoint: store.ServedEndpoint, record: AttemptRecord): void {
    const failed = Number(record.outcome !== 'delivered');
    this.#told.sent += 1;
    this.#told.failed += failed;
    this.#told.last_answer = record.status === null ? record.outcome : `HTTP ${record.status}`;
    if (!this.#endpoint || endpoint.url !== this.#endpoint.url) return;
    const { webhookMaxInFlight: cap, webhookDisableAfterMs } = this.#services.config;
    const saturated = this.#sending.size >= this.#most(endpoint);
    const health = afterAttempt(this.#endpoint, record, { saturated, cap });
    this.#endpoint = { ...this.#endpoint, ...health };
    this.#disable ??= reasonToDisable(health, record, webhookDisableAfterMs);
  }

  /**
   * Returns the endpoint's health if it is worth writing: after a failure, a recovery, a rise in concurrency, or a
   * success some time after the last write.
   */
  #news(): store.HealthRecord | undefined {
    const endpoint = this.#endpoint;
    if (!endpoint) return undefined;
    const { at, failing, most } = this.#healthTold;
    const isSame = !failing && !isFailing(endpoint) && this.#most(endpoint) === most;
    if (isSame && performance.now() - at < POLL_MS) return undefined;
    const told = { failing: isFailing(endpoint), most: this.#most(endpoint) };
    this.#healthTold = { at: performance.now(), ...told };
    return { id: endpoint.id, version: endpoint.version, ...healthOf(endpoint) };
  }

  /** Disables the endpoint, and records the event in the partner's history. */
  async #putOutOfService(reason: 'gone' | 'failing'): Promise<void> {
    const endpoint = this.#endpoint;
    await this.#services.db.transact(async (uow) => {
      if (!endpoint) return;
      const { id: endpointId, version } = endpoint;
      const row = { endpointId, version, reason, now: uow.now };
      if ((await store.updateDisabled.run(uow.sql, row)) === 0) return;
      uow.events.add(endpoint, endpointDisabled(endpoint, reason, uow.now));
    });
  }

  /**
   * Ends this job, and adds another for the remaining deliveries. Locks the stream, so nothing is scheduled meanwhile.
   */
  #end(): Promise<object> {
    const { endpoint: endpointId, partner: partnerId, environment } = this.#of;
    const ordering = this.#endpoint?.ordering ?? 'none';
    return this.#services.db.transact(async (uow) => {
      const { sql, now } = uow;
      const [, left] = await Promise.all([
        uow.events.hold({ partnerId, environment }),
        store.selectLeft[ordering].first(sql, { endpointId, now }),
      ]);
      uow.jobs.finish(this.#job.job, `${DELIVER_KEY}${endpointId}`);
      if (left && !left.active) await updatePendingCancelled.run(sql, { endpointId, now });
      const { sent, failed, ...answer } = this.#told;
      const about = { ...this.#of, ...answer, waiting: left?.active ? left.waiting : 0 };
      if (!left?.active || !left.nextAt) return { ...about, sent, failed };
      const placeAt = addMs(now, this.#noPlace ? NO_PLACE_MS * (1 + randomFraction()) : 0);
      const runAt = new Date(Math.max(...[left.nextAt, left.openUntil, placeAt].map(Number)));
      const next = { ...about, next_try: runAt.toISOString() };
      uow.jobs.add(deliverJob, next, { runAt });
      return { ...next, sent, failed };
    });
  }

  #tell(): void {
    this.#toldAt = performance.now();
    if (this.#told.sent > 0) this.#job.tell({ ...this.#of, ...this.#told });
  }
}

/** Returns the milliseconds per request that the endpoint's rate implies; 0 if it has no rate. */
function eachMs({ maxPerSecond }: store.ServedEndpoint): number {
  return maxPerSecond === null ? 0 : SECOND / maxPerSecond;
}

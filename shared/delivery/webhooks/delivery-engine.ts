import { setTimeout as sleep } from 'node:timers/promises';
import { addMs, type Clock, DAY, daysAgo, MINUTE, SECOND } from '../../platform/clock.ts';
import { backoffMs } from '../../platform/concurrency/backoff.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { transientDatabaseError } from '../../platform/database/database-errors.ts';
import { listenForWake } from '../../platform/database/postgres.ts';
import { idRangeAt, isId, randomBase62, randomFraction, timeOfId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { beginSpan, type OpenSpan } from '../../platform/observability/tracing.ts';
import type { HttpClient } from '../../platform/outbound/http-client.ts';
import type { Database } from '../unit-of-work/database.ts';
import {
  type AttemptRecord,
  type AttemptRequest,
  type AttemptResult,
  attemptRecord,
  attemptRequest,
  createOpener,
  type OpenSealed,
} from './attempt.ts';
import type { DeliveryState } from './delivery.ts';
import type { ClaimedDelivery } from './delivery-engine.store.ts';
import * as store from './delivery-engine.store.ts';
import { endpointDisabled } from './endpoint-disabled.ts';

export interface EngineServices {
  config: Config;
  log: Logger;
  clock: Clock;
  db: Database;
  secrets: SecretBox;
  http: HttpClient;
  metrics: Metrics;
}

/**
 * The circuit breaker of an endpoint: it opens when so many of the attempts of a window failed. Any success closes
 * it, and a failed probe opens it for twice as long as before.
 */
export const BREAKER = {
  breakerWindowMs: 5 * MINUTE,
  breakerMinAttempts: 10,
  breakerFailureShare: 0.7,
  breakerOpenMs: 30 * SECOND,
  breakerMaxOpenMs: 10 * MINUTE,
};

/** A worker whose heartbeat was missed so often is dead, and what it held is taken over. */
const MISSED_BEATS = 5;
/** Deliveries that one statement claims or records at most. */
const BATCH = 200;
/** With so many requests under way, results wait a moment for each other before they are recorded. */
const MANY = 32;
const GATHER_MS = 5;
/** How long a claim that found nothing to take, though something is due, waits before the next. */
const CONTENDED_MS = 10;
/** How soon an endpoint with a rate of its own is looked at again. */
const RATE_MS = 50;
/** How often weeks in which all is delivered are told apart, to leave them out of claims. */
const OPEN_SINCE_MS = MINUTE;
/** Before any id. */
const FROM_THE_FIRST = '';
/** Before anything failed. */
const LONG_AGO = new Date(0);
const MAX_RESPONSE_BYTES = 64 * 1_024;
const RETRY = { firstMs: 100, maxMs: 1_000 };

/** An attempt that has ended, to be recorded. */
interface Ended {
  claimed: ClaimedDelivery;
  record: AttemptRecord;
  span: OpenSpan | undefined;
}

/**
 * Delivers webhooks: claims due deliveries, sends them, and records what came of it, each in one statement for many.
 * What it holds belongs to its worker in Postgres for as long as the worker's heartbeat goes on.
 */
export class DeliveryEngine {
  readonly #services: EngineServices;
  readonly #shutdown: AbortSignal;
  readonly #workerId = randomBase62(20);
  readonly #open: OpenSealed;
  /** Claimed and not recorded yet, by id. */
  readonly #held = new Map<string, ClaimedDelivery>();
  readonly #sending = new Set<Promise<void>>();
  #ended: Ended[] = [];
  #recording: Promise<void> | undefined;
  /** When heartbeats were last written, and since when none was missed; of the monotonic clock. */
  #heartbeat = { at: Number.NEGATIVE_INFINITY, since: Number.NEGATIVE_INFINITY };
  /** An id before which no delivery is open, and when that was found. */
  #openSince = FROM_THE_FIRST;
  #openSinceAt = Number.NEGATIVE_INFINITY;
  #cancelledAt = Number.NEGATIVE_INFINITY;
  /** Whether the last claim took as much as there were free slots. */
  #full = false;
  #stopping = false;
  #woken = false;
  #endPause: (() => void) | undefined;
  #loop: Promise<void> | undefined;
  #listener: { stop(): Promise<void> } | undefined;

  /** @param shutdown ends the requests that are under way: their deliveries are given back, and it was no attempt */
  constructor(services: EngineServices, shutdown: AbortSignal) {
    this.#services = services;
    this.#shutdown = shutdown;
    this.#open = createOpener(services.secrets);
  }

  start(): void {
    const { config, log } = this.#services;
    this.#listener = listenForWake(config.databaseDirectUrl, log, () => this.wake());
    this.#loop = this.#run();
  }

  /** Looks for due deliveries now. */
  wake(): void {
    this.#woken = true;
    this.#endPause?.();
  }

  /** Claims nothing more, waits for what is under way, and gives back what is left after `shutdown`. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await Promise.all([this.#loop, this.#listener?.stop()]);
    await Promise.all(this.#sending);
    await this.#recording;
    const { db, log } = this.#services;
    await store.deleteWorker
      .run(db.knex, { workerId: this.#workerId })
      .catch((err) => log.warn({ err }, 'deliveries: left to the heartbeat'));
  }

  async #run(): Promise<void> {
    const { log } = this.#services;
    let failures = 0;
    while (!this.#stopping) {
      this.#woken = false;
      try {
        await this.#beat();
        await this.#pause(await this.#claim());
        failures = 0;
      } catch (err) {
        if (failures === 0) log.warn({ err }, 'deliveries: failed, trying again');
        failures += 1;
        await sleep(backoffMs(failures, RETRY));
      }
    }
  }

  /** Waits until it is woken, at most so long. */
  #pause(ms: number): Promise<void> {
    if (this.#woken) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#endPause?.(), ms);
      this.#endPause = () => {
        clearTimeout(timer);
        this.#endPause = undefined;
        resolve();
      };
    });
  }

  /** Says that this worker is alive, when it is time to, and takes over from those that are not. */
  async #beat(): Promise<void> {
    const { config, db, clock, log } = this.#services;
    const now = performance.now();
    if (now - this.#heartbeat.at < config.webhookHeartbeatMs) return;
    const deadAfterMs = MISSED_BEATS * config.webhookHeartbeatMs;
    const isFirst = this.#heartbeat.at === Number.NEGATIVE_INFINITY;
    if (!isFirst && now - this.#heartbeat.at > deadAfterMs) this.#heartbeat.since = now;
    if (now - this.#openSinceAt >= OPEN_SINCE_MS) {
      const recent = idRangeAt('webhookDelivery', daysAgo(clock, 1)).first;
      this.#openSince = (await store.selectOpenSince.one(db.indexed, { recent })).since;
      this.#openSinceAt = now;
    }
    const { takenBack } = await store.upsertHeartbeat.one(db.indexed, {
      workerId: this.#workerId,
      held: [...this.#held.keys()],
      // After an outage of Postgres every worker gets the time to come back.
      evicts: now - this.#heartbeat.since > deadAfterMs,
      deadAfterMs,
      since: this.#openSince,
    });
    this.#heartbeat.at = now;
    if (takenBack > 0) log.warn({ takenBack }, 'deliveries: of lost workers are due again');
    if (now - this.#cancelledAt < config.reconcileMs) return;
    this.#cancelledAt = now;
    await store.updateUndeliverableCancelled.run(db.knex, { now: clock.now() });
  }

  /** Claims what is due, as far as slots are free, and begins to send it. Returns when to look again, in milliseconds. */
  async #claim(): Promise<number> {
    const { config } = this.#services;
    const pollMs = Math.min(config.outboxPollMs, config.webhookHeartbeatMs);
    const limit = Math.min(this.#freeSlots(), BATCH);
    if (limit === 0) return pollMs;
    const { claimed, missed } = await claimDeliveries(
      this.#services,
      this.#workerId,
      limit,
      this.#openSince,
    );
    if (performance.now() - this.#heartbeat.at > (MISSED_BEATS - 1) * config.webhookHeartbeatMs) {
      // This process stood still: they may be another's by now. Those that are not are given back with the next beat.
      return 0;
    }
    for (const each of claimed) {
      const sent = this.#deliver(each).finally(() => this.#sending.delete(sent));
      this.#sending.add(sent);
    }
    this.#full = claimed.length === limit;
    if (missed > 0 && claimed.length === 0) return CONTENDED_MS * (0.5 + randomFraction());
    return claimed.some((each) => each.rateLimited) ? Math.min(RATE_MS, pollMs) : pollMs;
  }

  /** Requests that may begin now. What could not be recorded yet takes a slot, so that it never is too much. */
  #freeSlots(): number {
    return Math.max(0, this.#services.config.webhookConcurrency - this.#held.size);
  }

  async #deliver(claimed: ClaimedDelivery): Promise<void> {
    const { http, clock, config, log } = this.#services;
    this.#held.set(claimed.id, claimed);
    const span = beginSpan({
      name: 'webhook attempt',
      kind: 'client',
      parent: claimed.traceParent,
      facts: { 'webhook.event_type': claimed.eventType, 'webhook.attempt': claimed.attempts + 1 },
    });
    const startedAt = clock.now();
    let request: AttemptRequest | undefined;
    const send = () => {
      request = attemptRequest(claimed, this.#open, startedAt);
      return http.request({
        method: 'POST',
        ...request,
        deadlineMs: config.webhookTimeoutMs,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        signal: this.#shutdown,
      });
    };
    const sent: Promise<AttemptResult> = span
      ? span.within(async () => send())
      : (async () => send())();
    const result = await sent.catch((err): AttemptResult => {
      // A secret that no key opens, or a header that is none.
      log.error({ err, delivery: claimed.id }, 'deliveries: can not be sent');
      return {
        kind: 'failure',
        reason: 'unsendable',
        detail: 'the request could not be made',
        elapsedMs: 0,
      };
    });
    if (result.kind === 'failure' && result.reason === 'aborted') {
      // This process goes; that says nothing about the receiver, so it is no attempt.
      span?.end({ facts: { 'webhook.outcome': 'released' }, failed: true });
      return;
    }
    const record = attemptRecord(claimed, request, result, {
      startedAt,
      endedAt: clock.now(),
      scheduleMs: config.webhookScheduleMs,
    });
    this.#ended.push({ claimed, record, span });
    this.#recording ??= this.#record().finally(() => {
      this.#recording = undefined;
    });
  }

  /** Records what has ended, and what ends meanwhile. */
  async #record(): Promise<void> {
    while (this.#ended.length > 0) {
      // While many are under way, more of them go into one statement.
      if (this.#sending.size >= MANY) await sleep(GATHER_MS);
      const batch = this.#ended.splice(0, BATCH);
      const states = await this.#write(batch);
      for (const each of batch) {
        // Taken over and claimed again meanwhile, it is held by that claim.
        if (this.#held.get(each.claimed.id) === each.claimed) this.#held.delete(each.claimed.id);
        this.#tell(each, states.get(each.claimed.id));
      }
      // A claim for a few free slots costs as much as one for many.
      const { webhookConcurrency } = this.#services.config;
      const frees = this.#full
        ? this.#freeSlots() >= Math.min(webhookConcurrency / 2, BATCH)
        : batch.some(({ claimed }) => claimed.saturated || claimed.ordered);
      if (frees) this.wake();
    }
  }

  /**
   * Writes a batch, again and again while Postgres is away: what was sent must not be sent again because nobody
   * knows of it. Returns the states of the deliveries; one that is missing was another claim's by then.
   */
  async #write(batch: readonly Ended[]): Promise<Map<string, DeliveryState>> {
    const { log } = this.#services;
    for (let failures = 1; ; failures += 1) {
      try {
        return await recordAttempts(
          this.#services,
          batch.map(({ record }) => record),
        );
      } catch (err) {
        if (failures === 1)
          log.warn({ err, attempts: batch.length }, 'deliveries: not recorded yet');
        if (this.#shutdown.aborted) return new Map();
        if (!transientDatabaseError(err)) return this.#writeApart(batch, err);
        await sleep(backoffMs(failures, RETRY));
      }
    }
  }

  /** One of a batch is what Postgres does not take: the others are recorded, and of it what is certain. */
  async #writeApart(batch: readonly Ended[], cause: unknown): Promise<Map<string, DeliveryState>> {
    const [first] = batch;
    if (!first) return new Map();
    if (batch.length > 1) {
      const written = await Promise.all(batch.map((each) => this.#write([each])));
      return new Map(written.flatMap((states) => [...states]));
    }
    const { record } = first;
    if (record.requestHeaders === null) {
      this.#services.log.error(
        { err: cause, delivery: record.id },
        'deliveries: can not be recorded',
      );
      return new Map();
    }
    const certain = {
      detail: null,
      requestHeaders: null,
      responseHeaders: null,
      responseBody: null,
    };
    return this.#write([{ ...first, record: { ...record, ...certain } }]);
  }

  /** Metrics and trace of an attempt; `state` is where it left the delivery, undefined when it was not recorded. */
  #tell({ claimed, record, span }: Ended, state: DeliveryState | undefined): void {
    const { metrics } = this.#services;
    const outcome = state === 'pending' ? 'retry' : (state ?? 'stale');
    const labels = { class: claimed.failing ? 'failing' : 'healthy' };
    metrics.webhookAttempts.inc({ ...labels, outcome });
    metrics.webhookAttemptSeconds.observe(labels, record.elapsedMs / 1_000);
    if (outcome === 'delivered') {
      const waitedMs = Math.max(0, record.endedAt.getTime() - claimed.createdAt.getTime());
      metrics.webhookDeliverySeconds.observe(labels, waitedMs / 1_000);
    }
    span?.end({ facts: { 'webhook.outcome': outcome }, failed: outcome !== 'delivered' });
  }
}

/** Claims up to `limit` due deliveries for a worker, fairly; `missed` counts endpoints that another claim had just then. */
export async function claimDeliveries(
  { db, clock, config }: Pick<EngineServices, 'db' | 'clock' | 'config'>,
  workerId: string,
  limit: number,
  since = FROM_THE_FIRST,
): Promise<{ claimed: ClaimedDelivery[]; missed: number }> {
  const rows = await store.updateClaimed.all(db.indexed, {
    now: clock.now(),
    workerId,
    since,
    eventsSince: isId('webhookDelivery', since)
      ? idRangeAt('event', addMs(timeOfId(since), -DAY)).first
      : since,
    limit,
    cap: config.webhookMaxInFlight,
    // Each as often as the other.
    newestFirst: randomFraction() < 0.5,
    somewhere: randomFraction(),
    retryShare: config.webhookRetrySharePercent,
    // The slots of one worker process, so that the promise holds for the smallest fleet.
    doubtfulSlots: Math.max(
      1,
      Math.floor((config.webhookConcurrency * config.webhookRetrySharePercent) / 100),
    ),
  });
  const missing = rows.filter(({ id, body }) => id !== null && body === null);
  const ids = missing.flatMap(({ eventId }) => eventId ?? []);
  const older = ids.length > 0 ? await store.selectEvents.all(db.knex, { ids }) : [];
  const events = new Map(older.map((event) => [event.eventId, event]));
  const whole = rows.map((row) => ({ ...row, ...events.get(row.eventId ?? '') }));
  const claimed = whole.filter((row): row is typeof row & ClaimedDelivery => row.body !== null);
  return { claimed, missed: rows[0]?.missed ?? 0 };
}

/**
 * Records attempts; returns the states of those deliveries that were still the claims' own. An endpoint that is
 * disabled by them says so in its partner's history.
 */
export async function recordAttempts(
  { db, clock, config }: Pick<EngineServices, 'db' | 'clock' | 'config'>,
  attempts: readonly AttemptRecord[],
): Promise<Map<string, DeliveryState>> {
  const now = clock.now();
  const disableBefore = addMs(now, -config.webhookDisableAfterMs);
  const params = { ...BREAKER, attempts, now, cap: config.webhookMaxInFlight };
  const failed = attempts.filter(({ outcome }) => outcome !== 'delivered');
  const mayDisable = failed.some(
    ({ gone, failingSince }) => gone || (failingSince && failingSince <= disableBefore),
  );
  const rows = mayDisable
    ? await db.transact(async (uow) => {
        const written = await store.recordAttempts.inTransaction.all(uow.sql, {
          ...params,
          disableBefore,
        });
        const ids = failed.map(({ endpointId }) => endpointId);
        for (const each of await store.selectDisabled.all(uow.sql, { ids, at: now })) {
          uow.events.add(each, endpointDisabled(each, each.reason, now));
        }
        return written;
      })
    : // It disables none: its event would need the transaction.
      await store.recordAttempts.planned.all(db.indexed, { ...params, disableBefore: LONG_AGO });
  return new Map(rows.map(({ id, state }) => [id, state]));
}

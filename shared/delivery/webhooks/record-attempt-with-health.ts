import { addMs, type Clock } from '../../platform/clock.ts';
import { batchCallsByKey } from '../../platform/concurrency/call-batcher.ts';
import type { Config } from '../../platform/config/config.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import {
  type AttemptRow,
  claimNext,
  claimOf,
  lockPresent,
  writeAttempts,
} from './attempt.store.ts';
import { type AttemptOutcome, type EndedAttempt, ownLeaseEnd, toRecord } from './attempt-result.ts';
import { updatePendingCancelled } from './delivery.store.ts';
import { nextAttemptDelayMs } from './delivery-backoff.ts';
import { lockHealth, saveHealth } from './endpoint.store.ts';
import type { EndpointHealth } from './endpoint.ts';
import { recordOutcome, shouldDisable } from './endpoint-breaker.ts';

/** What became of the delivery; `stale` when it was another claim's by now, and then nothing was changed. */
export type Recorded = 'delivered' | 'retry' | 'exhausted' | 'cancelled' | 'stale';

/** An attempt whose outcome says something about its endpoint. */
export interface HealthRelevantAttempt {
  attempt: EndedAttempt;
  outcome: AttemptOutcome;
  /** Whether its worker would send the endpoint's next delivery. */
  goOn: boolean;
}

export interface RecordedWithHealth {
  outcome: Recorded;
  /** The claimed delivery that took the place of the ended one. */
  next: AttemptRow | undefined;
}

export interface HealthRuntime {
  db: Database;
  clock: Clock;
  config: Config;
}

/** How many attempts one transaction records. */
const TOGETHER = 200;

/**
 * Records attempts with what they say about their endpoint, one after the other as they ended. Those of one
 * endpoint that end while its row is held by this process go together: an endpoint that fails now and then is
 * not served at the pace of one commit a delivery. The place of each that was delivered is filled with the
 * endpoint's next first attempt, for who wants to go on.
 */
export function createHealthRecorder(
  runtime: HealthRuntime,
): (ended: HealthRelevantAttempt) => Promise<RecordedWithHealth> {
  return batchCallsByKey(
    ({ attempt }: HealthRelevantAttempt) => attempt.started.endpointId,
    (endpointId, ended) => recordAll(runtime, endpointId, ended),
    TOGETHER,
  );
}

/** The endpoint's lock comes first, here as in a claim or a removal: whoever disables it decides what is cancelled. */
async function recordAll(
  { db, clock, config }: HealthRuntime,
  endpointId: string,
  ended: readonly HealthRelevantAttempt[],
): Promise<RecordedWithHealth[]> {
  const now = clock.now();
  return db.transact(async (uow) => {
    const before = await lockHealth(uow.sql, endpointId, now);
    const present = await lockPresent(
      uow.sql,
      ended.map(({ attempt }) => attempt.started),
    );
    let health = before;
    const records: ReturnType<typeof toRecord>[] = [];
    const all = ended.map(({ attempt, outcome }): Recorded => {
      // Taken out, so that a claim that was worked on twice is recorded once.
      if (!present.delete(claimOf(attempt.started))) return 'stale';
      // What an address said that was replaced meanwhile is nothing against the new one.
      if (before.url === attempt.started.request.url) {
        health = nextHealth(health, outcome, now, config);
      }
      const step = { now, random: randomFraction(), config };
      const { recorded, delayMs } = nextStep(attempt, outcome, health.active, step);
      const state = recorded === 'retry' ? 'pending' : recorded;
      const next = delayMs === null ? null : addMs(now, delayMs);
      records.push(toRecord(attempt, outcome, state, next, now));
      return recorded;
    });
    await writeAttempts(uow.sql, records);
    if (health !== before) await saveHealth(uow.sql, endpointId, health, now);
    if (before.active && !health.active) {
      await updatePendingCancelled.run(uow.sql, { endpointId, now });
    }
    const goesOn = ended.map(({ goOn }, at) => goOn && all[at] === 'delivered');
    const places = isHealthy(health) ? goesOn.filter(Boolean).length : 0;
    const leaseUntil = ownLeaseEnd(now, config);
    const next =
      places > 0 ? await claimNext(uow.sql, { endpointId, places, now, leaseUntil }) : [];
    return all.map((outcome, at) => ({ outcome, next: goesOn[at] ? next.shift() : undefined }));
  });
}

/** Whether an endpoint gets more than one delivery at a time. */
function isHealthy({ active, failingSince, breaker }: EndpointHealth): boolean {
  return active && failingSince === null && breaker.openUntil === null;
}

function nextHealth<T extends EndpointHealth>(
  before: T,
  outcome: AttemptOutcome,
  now: Date,
  config: Config,
): T {
  const breaker = recordOutcome(before.breaker, outcome.ok, now);
  if (outcome.ok) return { ...before, breaker, failingSince: null, lastSuccessAt: now };
  const failing = {
    ...before,
    breaker,
    failingSince: before.failingSince ?? now,
    lastFailureAt: now,
  };
  const reason = shouldDisable({
    gone: outcome.disable,
    failingSince: failing.failingSince,
    now,
    disableAfterMs: config.webhookDisableAfterMs,
  });
  return reason && before.active ? { ...failing, active: false, disabledReason: reason } : failing;
}

function nextStep(
  { started, result }: EndedAttempt,
  outcome: AttemptOutcome,
  endpointActive: boolean,
  { now, random, config }: { now: Date; random: number; config: Config },
): { recorded: Exclude<Recorded, 'stale'>; delayMs: number | null } {
  if (outcome.ok) return { recorded: 'delivered', delayMs: null };
  if (!endpointActive) return { recorded: 'cancelled', delayMs: null };
  const delayMs = nextAttemptDelayMs({
    attempt: started.attempt,
    now,
    random,
    schedule: config.webhookScheduleMs,
    ...(result.kind === 'response' && {
      status: result.status,
      retryAfter: result.headers['retry-after'],
    }),
  });
  return { recorded: delayMs === null ? 'exhausted' : 'retry', delayMs };
}

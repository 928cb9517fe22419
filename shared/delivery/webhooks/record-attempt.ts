import { addMs, type Clock, SECOND } from '../../platform/clock.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { Database } from '../unit-of-work/database.ts';
import { recordRoutineSuccesses } from './attempt.store.ts';
import { classifyAttempt, type EndedAttempt, ownLeaseEnd, toRecord } from './attempt-result.ts';
import { type StartedAttempt, startAttempt } from './begin-attempt.ts';
import { createHealthRecorder, type Recorded } from './record-attempt-with-health.ts';

export interface RecordRuntime {
  db: Database;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
}

export interface RecordedAttempt {
  outcome: Recorded;
  /** Another delivery to the same endpoint, which took the place of the ended one. */
  next: StartedAttempt | undefined;
}

/** How old an endpoint's noted success may get under steady traffic. */
const SUCCESS_NOTE_MS = SECOND;

/** How many attempts one statement records. */
const BATCH = 200;

/**
 * Records an ended attempt with its delivery's next state and its endpoint's health. Successes that say
 * nothing new about their endpoint share a statement; any others of one endpoint share a transaction. Both
 * also claim the endpoint's next delivery for who wants to go on.
 */
export function createAttemptRecorder(
  runtime: RecordRuntime,
): (ended: EndedAttempt, goOn?: boolean) => Promise<RecordedAttempt> {
  const { db, clock, config, secrets } = runtime;
  const recordWithHealth = createHealthRecorder(runtime);
  const recordUneventful = batchCalls(
    async (ended: readonly { attempt: EndedAttempt; goOn: boolean }[]) => {
      const now = clock.now();
      const latest = latestClaims(ended);
      const going = latest.filter(({ goOn }) => goOn);
      const inOrder = [...going, ...latest.filter(({ goOn }) => !goOn)];
      const recorded = await recordRoutineSuccesses(
        db.knex,
        inOrder.map(({ attempt }) => toRecord(attempt, { ok: true }, 'delivered', null, now)),
        {
          now,
          notedSince: addMs(now, -SUCCESS_NOTE_MS),
          goingOn: going.length,
          leaseUntil: ownLeaseEnd(now, config),
        },
      );
      return ended.map((each) => {
        const { id } = each.attempt.started;
        if (!recorded.has(id) || !latest.includes(each)) return undefined;
        return { next: recorded.get(id) };
      });
    },
    BATCH,
  );

  return async (attempt, goOn = false) => {
    const outcome = classifyAttempt(attempt.result);
    const uneventful =
      outcome.ok && attempt.started.calm ? await recordUneventful({ attempt, goOn }) : undefined;
    const recorded = uneventful
      ? { outcome: 'delivered' as const, ...uneventful }
      : await recordWithHealth({ attempt, outcome, goOn });
    const { next } = recorded;
    return { ...recorded, next: next && startAttempt(next, secrets, clock.now()) };
  };
}

/** Of a delivery that was worked on more than once its latest claim, and of that the run that ended first. */
function latestClaims<T extends { attempt: EndedAttempt }>(ended: readonly T[]): T[] {
  const latest = new Map<string, T>();
  for (const each of ended) {
    const { id, epoch } = each.attempt.started;
    const known = latest.get(id);
    if (!known || known.attempt.started.epoch < epoch) latest.set(id, each);
  }
  return [...latest.values()];
}

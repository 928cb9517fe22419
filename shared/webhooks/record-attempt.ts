import { inBatches } from '../platform/batch.ts';
import { type Clock, later, SECOND } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { writeUneventful } from './attempt.store.ts';
import { type EndedAttempt, toRecord } from './attempt-record.ts';
import { type StartedAttempt, startAttempt } from './begin-attempt.ts';
import { classifyAttempt } from './outcome.ts';
import { createHealthRecorder, type Recorded } from './record-with-health.ts';

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

/** What a delivery that is sent at once may take beyond its time-out until it is recorded. */
const RECORDING_MS = 5 * SECOND;

/**
 * Records an ended attempt with its delivery's next state and its endpoint's health. Successes that say
 * nothing new about their endpoint share a statement, which also claims the endpoint's next delivery for
 * who wants to go on; any others of one endpoint share a transaction.
 */
export function createAttemptRecorder(
  runtime: RecordRuntime,
): (ended: EndedAttempt, goOn?: boolean) => Promise<RecordedAttempt> {
  const { db, clock, config, secrets } = runtime;
  const recordWithHealth = createHealthRecorder(runtime);
  const recordUneventful = inBatches(
    async (ended: readonly { attempt: EndedAttempt; goOn: boolean }[]) => {
      const now = clock.now();
      const going = ended.filter(({ goOn }) => goOn);
      const inOrder = [...going, ...ended.filter(({ goOn }) => !goOn)];
      const recorded = await writeUneventful(
        db.knex,
        inOrder.map(({ attempt }) => toRecord(attempt, { ok: true }, 'delivered', null, now)),
        {
          now,
          notedSince: later(now, -SUCCESS_NOTE_MS),
          goingOn: going.length,
          leaseUntil: later(
            now,
            Math.min(config.outboxLeaseMs, config.webhookTimeoutMs + RECORDING_MS),
          ),
        },
      );
      return ended.map(({ attempt: { started } }) => {
        if (!recorded.has(started.id)) return undefined;
        const next = recorded.get(started.id);
        return { next: next && startAttempt(next, secrets, clock.now()) };
      });
    },
    BATCH,
  );

  return async (attempt, goOn = false) => {
    const outcome = classifyAttempt(attempt.result);
    const recorded = outcome.ok ? await recordUneventful({ attempt, goOn }) : undefined;
    if (recorded) return { outcome: 'delivered', ...recorded };
    return { outcome: await recordWithHealth({ attempt, outcome }), next: undefined };
  };
}

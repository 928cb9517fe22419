import { inBatches } from '../platform/batch.ts';
import { type Clock, later, SECOND } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { OutboundResult } from '../platform/http-client.ts';
import { randomFraction } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { type AttemptRecord, writeAttempt, writeUneventful } from './attempt.store.ts';
import { nextAttemptDelayMs } from './backoff.ts';
import { type StartedAttempt, startAttempt } from './begin-attempt.ts';
import { recordOutcome, shouldDisable } from './breaker.ts';
import { cancelPending } from './delivery.store.ts';
import { lockHealth, saveHealth } from './endpoint.store.ts';
import type { EndpointHealth } from './endpoint.ts';
import { type AttemptOutcome, classifyAttempt } from './outcome.ts';

export interface RecordRuntime {
  db: Database;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
}

/** An attempt and what came of it. */
export interface EndedAttempt {
  started: StartedAttempt;
  result: OutboundResult;
}

/** What became of the delivery; `stale` when it was another claim's by now, and then nothing was changed. */
export type Recorded = 'delivered' | 'retry' | 'exhausted' | 'cancelled' | 'stale';

export interface RecordedAttempt {
  outcome: Recorded;
  /** Another delivery to the same endpoint, which took the place of the ended one. */
  next: StartedAttempt | undefined;
}

/** Characters of an answer that the log keeps. */
const EXCERPT_LENGTH = 1_000;

/** How old an endpoint's noted success may get under steady traffic. */
const SUCCESS_NOTE_MS = SECOND;

/** How many attempts one statement records. */
const BATCH = 200;

/** What a delivery that is sent at once may take beyond its time-out until it is recorded. */
const RECORDING_MS = 5 * SECOND;

/**
 * Records an ended attempt with its delivery's next state and its endpoint's health. Successes that say
 * nothing new about their endpoint share a statement, which also claims the endpoint's next delivery for
 * who wants to go on; any other attempt is a transaction of its own.
 */
export function createAttemptRecorder(
  runtime: RecordRuntime,
): (ended: EndedAttempt, goOn?: boolean) => Promise<RecordedAttempt> {
  const { db, clock, config, secrets } = runtime;
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
    return { outcome: await recordWithHealth(runtime, attempt, outcome), next: undefined };
  };
}

/** The endpoint's lock comes first, here as in a claim or a removal: whoever disables it decides what is cancelled. */
async function recordWithHealth(
  { db, clock, config }: RecordRuntime,
  ended: EndedAttempt,
  outcome: AttemptOutcome,
): Promise<Recorded> {
  const { endpointId, request } = ended.started;
  const now = clock.now();
  const random = randomFraction();
  return db.transact(async (tx) => {
    const before = await lockHealth(tx, endpointId, now);
    // What an address said that was replaced meanwhile is nothing against the new one.
    const same = before.url === request.url;
    const health = same ? nextHealth(before, outcome, now, config) : before;
    const { recorded, delayMs } = nextStep(ended, outcome, health.active, { now, random, config });
    const state = recorded === 'retry' ? 'pending' : recorded;
    const next = delayMs === null ? null : later(now, delayMs);
    if (!(await writeAttempt(tx, toRecord(ended, outcome, state, next, now)))) return 'stale';
    if (same) await saveHealth(tx, endpointId, health, now);
    if (before.active && !health.active) await cancelPending(tx, endpointId, now);
    return recorded;
  });
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

function toRecord(
  { started, result }: EndedAttempt,
  outcome: AttemptOutcome,
  state: AttemptRecord['state'],
  nextAttemptAt: Date | null,
  now: Date,
): AttemptRecord {
  const { id, epoch, endpointId, attempt, startedAt } = started;
  const answered = result.kind === 'response';
  return {
    id,
    epoch,
    endpointId,
    attempt,
    state,
    startedAt,
    endedAt: now,
    elapsedMs: result.elapsedMs,
    status: answered ? result.status : null,
    outcome: outcome.ok ? 'delivered' : outcome.reason,
    detail: answered ? null : result.detail,
    responseExcerpt: answered ? excerptOf(result.body) : null,
    nextAttemptAt,
  };
}

/** The beginning of an answer as text that Postgres can store. */
function excerptOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  // Four bytes a character are enough; a character cut in two becomes a replacement mark.
  const text = body.subarray(0, 4 * EXCERPT_LENGTH).toString('utf8');
  return [...text].slice(0, EXCERPT_LENGTH).join('').replaceAll('\u0000', '\ufffd');
}

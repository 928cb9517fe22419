import { addMs, SECOND } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { OutboundResult } from '../platform/http-client.ts';
import type { AttemptRecord } from './attempt.store.ts';
import type { StartedAttempt } from './begin-attempt.ts';
import type { AttemptOutcome } from './outcome.ts';

/** An attempt and what came of it. */
export interface EndedAttempt {
  started: StartedAttempt;
  result: OutboundResult;
}

/** Characters of an answer that the log keeps. */
const EXCERPT_LENGTH = 1_000;

/** What a delivery that is sent at once may take beyond its time-out until it is recorded. */
const RECORDING_MS = 5 * SECOND;

/** An ended attempt as it goes into the log, with where it leaves its delivery. */
export function toRecord(
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

/** Until when a delivery that a worker sends at once is its own: the time-out of a request and a little more. */
export function ownLeaseEnd(
  now: Date,
  config: Pick<Config, 'outboxLeaseMs' | 'webhookTimeoutMs'>,
): Date {
  return addMs(now, Math.min(config.outboxLeaseMs, config.webhookTimeoutMs + RECORDING_MS));
}

/** The beginning of an answer as text that Postgres can store. */
function excerptOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  // Four bytes a character are enough; a character cut in two becomes a replacement mark.
  const text = body.subarray(0, 4 * EXCERPT_LENGTH).toString('utf8');
  return [...text].slice(0, EXCERPT_LENGTH).join('').replaceAll('\u0000', '\ufffd');
}

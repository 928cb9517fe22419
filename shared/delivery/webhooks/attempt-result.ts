import { addMs, SECOND } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { OutboundFailure, OutboundResult } from '../../platform/outbound/http-client.ts';
import type { AttemptRecord } from './attempt.store.ts';
import type { StartedAttempt } from './begin-attempt.ts';

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

export type AttemptFailure = OutboundFailure | 'redirect' | 'gone' | 'http_status';

/** `disable`: the receiver said that it is gone for good (410). */
export type AttemptOutcome = { ok: true } | { ok: false; reason: AttemptFailure; disable: boolean };

/** What an answer means for a delivery (partner API docs, webhooks): any 2xx is success, all else fails. */
export function classifyAttempt(result: OutboundResult): AttemptOutcome {
  if (result.kind === 'failure') return { ok: false, reason: result.reason, disable: false };
  const { status } = result;
  if (status >= 200 && status < 300) return { ok: true };
  if (status === 410) return { ok: false, reason: 'gone', disable: true };
  const reason = status >= 300 && status < 400 ? 'redirect' : 'http_status';
  return { ok: false, reason, disable: false };
}

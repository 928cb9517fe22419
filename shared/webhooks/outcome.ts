import type { OutboundFailure, OutboundResult } from '../platform/http-client.ts';

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

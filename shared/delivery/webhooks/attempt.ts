import { addMs } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { OutboundFailure, OutboundResult } from '../../platform/outbound/http-client.ts';
import type { DeliveryState } from './delivery.ts';
import { nextAttemptDelayMs } from './delivery-backoff.ts';
import type { ClaimedDelivery } from './delivery-engine.store.ts';
import { deliveryHeaders } from './webhook-signature.ts';

/** A signed request, and what its record needs to know of it. */
export interface AttemptRequest {
  url: string;
  requireHttps: boolean;
  headers: Record<string, string>;
  body: string;
  /** Names of the endpoint's own headers, whose values are not for the log. */
  ownHeaders: readonly string[];
}

/** An attempt as it goes into the log, where it leaves its delivery, and what it says about the endpoint. */
export interface AttemptRecord {
  id: string;
  epoch: number;
  endpointId: string;
  url: string;
  /** 1 for the first. */
  attempt: number;
  state: DeliveryState;
  startedAt: Date;
  endedAt: Date;
  elapsedMs: number;
  status: number | null;
  /** `delivered`, or why not. */
  outcome: 'delivered' | AttemptFailure;
  detail: string | null;
  requestHeaders: Record<string, string> | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
  /** Null when the delivery is at its end. */
  nextAttemptAt: Date | null;
  /** Whether the endpoint had more to do than it can: it gets fewer at a time. */
  overloaded: boolean;
  /** Whether the receiver said that it is gone for good (410). */
  gone: boolean;
  /** Since when every attempt of the endpoint failed, when this one was claimed. */
  failingSince: Date | null;
  /** Whether the endpoint was as busy as it may be, and answered well: it may get more at a time. */
  grows: boolean;
}

/** Why an attempt failed; `unsendable` is a request that we could not make. */
export type AttemptFailure = OutboundFailure | 'unsendable' | 'redirect' | 'gone' | 'http_status';

/** What came of a request. */
export type AttemptResult =
  | OutboundResult
  | { kind: 'failure'; reason: 'unsendable'; detail: string; elapsedMs: number };

/** How much of an answer the log keeps. */
const BODY_BYTES = 4_096;

/** An answer that takes longer is no reason to send more at a time. */
const QUICK_MS = 1_000;

/** Opens sealed values, and keeps some of them open: an endpoint's secret is needed for every delivery. */
export type OpenSealed = (sealed: Buffer, context: string) => string;

/** @param most values kept open at a time */
export function createOpener(secrets: SecretBox, most = 1_000): OpenSealed {
  const open = new Map<string, string>();
  return (sealed, context) => {
    const key = `${context}:${sealed.toString('latin1')}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    if (open.size >= most) open.clear();
    const plain = secrets.open(sealed, context);
    open.set(key, plain);
    return plain;
  };
}

/** The request of an attempt that is to be made now: the event's bytes, signed. */
export function attemptRequest(
  claimed: ClaimedDelivery,
  open: OpenSealed,
  now: Date,
): AttemptRequest {
  const { endpointId, eventId, eventType, attempts, previousSecret } = claimed;
  const body = claimed.payload === 'thin' ? thinBody(claimed) : claimed.body;
  const own = claimed.headers === null ? {} : ownHeaders(open(claimed.headers, endpointId));
  const signed = deliveryHeaders({
    eventId,
    eventType,
    attempt: attempts + 1,
    body,
    now,
    secret: open(claimed.secret, endpointId),
    previousSecrets: previousSecret ? [open(previousSecret, endpointId)] : [],
  });
  return {
    url: claimed.url,
    requireHttps: claimed.environment === 'LIVE',
    headers: { ...own, ...signed },
    body,
    ownHeaders: Object.keys(own),
  };
}

/** In lower case, like ours, which come after them and win. */
function ownHeaders(sealed: string): Record<string, string> {
  const headers = Object.entries(JSON.parse(sealed) as Record<string, string>);
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
}

/** What a `thin` endpoint gets: which event it is, to be fetched from the history. The same bytes at each attempt. */
function thinBody({ body, subject }: ClaimedDelivery): string {
  const { id, type, created_at, partner_id } = JSON.parse(body);
  return JSON.stringify({ id, type, created_at, partner_id, subject });
}

/** The record of an attempt that has ended. */
export function attemptRecord(
  claimed: ClaimedDelivery,
  request: AttemptRequest | undefined,
  result: AttemptResult,
  time: { startedAt: Date; endedAt: Date; scheduleMs: readonly number[] },
): AttemptRecord {
  const answered = result.kind === 'response';
  const status = answered ? result.status : null;
  const outcome = outcomeOf(result);
  const attempt = claimed.attempts + 1;
  const delayMs =
    outcome === 'delivered'
      ? null
      : nextAttemptDelayMs({
          attempt,
          now: time.endedAt,
          random: randomFraction(),
          schedule: time.scheduleMs,
          ...(answered && { status: result.status, retryAfter: result.headers['retry-after'] }),
        });
  const endState = outcome === 'delivered' ? 'delivered' : 'exhausted';
  return {
    id: claimed.id,
    epoch: claimed.epoch,
    endpointId: claimed.endpointId,
    url: claimed.url,
    attempt,
    state: delayMs === null ? endState : 'pending',
    startedAt: time.startedAt,
    endedAt: time.endedAt,
    elapsedMs: result.elapsedMs,
    status,
    outcome,
    detail: answered ? null : storable(result.detail),
    requestHeaders: request ? withoutValues(request.headers, request.ownHeaders) : null,
    responseHeaders: answered ? result.headers : null,
    responseBody: answered ? beginningOf(result.body) : null,
    nextAttemptAt: delayMs === null ? null : addMs(time.endedAt, delayMs),
    overloaded: status === null || status === 429 || status >= 500,
    gone: outcome === 'gone',
    failingSince: claimed.failingSince,
    grows: claimed.saturated && outcome === 'delivered' && result.elapsedMs < QUICK_MS,
  };
}

/** What an answer means for a delivery (partner API docs, webhooks): any 2xx is success, all else fails. */
export function outcomeOf(result: AttemptResult): 'delivered' | AttemptFailure {
  if (result.kind === 'failure') return result.reason;
  const { status } = result;
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

function withoutValues(headers: Record<string, string>, names: readonly string[]) {
  if (names.length === 0) return headers;
  return { ...headers, ...Object.fromEntries(names.map((name) => [name, '(hidden)'])) };
}

/** The beginning of an answer; of a character that is cut in two nothing is kept. */
function beginningOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  return storable(new TextDecoder().decode(body.subarray(0, BODY_BYTES), { stream: true }));
}

/** Text as Postgres stores it, which has no NUL. */
function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd');
}

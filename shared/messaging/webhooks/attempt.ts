import { addMs, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { OpenSealed } from '../../platform/crypto/secrets.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type {
  HttpClient,
  OutboundFailure,
  OutboundResult,
} from '../../platform/outbound/http-client.ts';
import type { Attempt, DeliveryStatus } from './delivery.ts';
import { nextAttemptDelayMs } from './delivery-backoff.ts';
import type { DueDelivery, ServedEndpoint } from './delivery-work.store.ts';
import { deliveryHeaders } from './webhook-signature.ts';

/** A signed request, with the data for its log record. */
export interface AttemptRequest {
  url: string;
  requireHttps: boolean;
  headers: Record<string, string>;
  body: string;
  /** Names of the endpoint's custom headers, whose values are not logged. */
  ownHeaders: readonly string[];
}

/** An attempt to log, with the resulting state of its delivery. */
export interface AttemptRecord extends Omit<Attempt, 'statusCode'> {
  /** The id of the delivery. */
  id: string;
  state: DeliveryStatus;
  endedAt: Date;
  status: number | null;
  outcome: 'delivered' | AttemptFailure;
  /** Null when there is no further attempt. */
  nextAttemptAt: Date | null;
}

/** Why an attempt failed; `unsendable` means that we could not make the request. */
export type AttemptFailure = OutboundFailure | 'unsendable' | 'redirect' | 'gone' | 'http_status';

/** The result of a request. */
export type AttemptResult =
  | OutboundResult
  | { kind: 'failure'; reason: 'unsendable'; detail: string; elapsedMs: number };

/** How much of a response body the log keeps. */
const BODY_BYTES = 4_096;

/** How much of a response body is read; the log keeps its beginning. */
const MAX_RESPONSE_BYTES = 64 * 1_024;

/**
 * Makes an attempt now. Returns undefined, and counts nothing, if `signal` aborted it before the receiver responded.
 */
export async function makeAttempt(
  { http, clock, config, log }: { http: HttpClient; clock: Clock; config: Config; log: Logger },
  of: { endpoint: ServedEndpoint; delivery: DueDelivery; open: OpenSealed; signal: AbortSignal },
): Promise<AttemptRecord | undefined> {
  const { endpoint, delivery, open, signal } = of;
  const startedAt = clock.now();
  let request: AttemptRequest | undefined;
  let result: AttemptResult;
  try {
    request = attemptRequest(endpoint, delivery, open, startedAt);
    const bounds = { deadlineMs: config.webhookTimeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES };
    result = await http.request({ method: 'POST', ...request, ...bounds, signal });
  } catch (err) {
    // No key decrypts the secret, or a custom header is invalid.
    log.error({ err, delivery: delivery.id }, 'deliveries: can not be sent');
    const detail = 'the request could not be made';
    result = { kind: 'failure', reason: 'unsendable', detail, elapsedMs: 0 };
  }
  if (result.kind === 'failure' && result.reason === 'aborted') return undefined;
  const time = { startedAt, endedAt: clock.now(), scheduleMs: config.webhookScheduleMs };
  return attemptRecord(delivery, request, result, time);
}

/** Builds the request of an attempt made now: the event's bytes, signed. */
export function attemptRequest(
  endpoint: ServedEndpoint,
  delivery: DueDelivery,
  open: OpenSealed,
  now: Date,
): AttemptRequest {
  const { id, previousSecret, previousSecretUntil } = endpoint;
  const { eventId, eventType, attempts } = delivery;
  const body = endpoint.payload === 'thin' ? thinBody(delivery) : delivery.body;
  const own = endpoint.headers === null ? {} : ownHeaders(open(endpoint.headers, id));
  const overlaps = previousSecret && previousSecretUntil && previousSecretUntil > now;
  const signed = deliveryHeaders({
    eventId,
    eventType,
    attempt: attempts + 1,
    body,
    now,
    secret: open(endpoint.secret, id),
    previousSecrets: overlaps ? [open(previousSecret, id)] : [],
  });
  return {
    url: endpoint.url,
    requireHttps: endpoint.environment === 'LIVE',
    headers: { ...own, ...signed },
    body,
    ownHeaders: Object.keys(own),
  };
}

/** Returns the endpoint's custom headers in lower case. Our headers are added later and override them. */
function ownHeaders(sealed: string): Record<string, string> {
  const headers = Object.entries(JSON.parse(sealed) as Record<string, string>);
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Returns the body for a `thin` endpoint: the event's identity, to fetch it by. Every attempt sends the same bytes.
 */
function thinBody({ body, subject }: DueDelivery): string {
  const { id, type, created_at, partner_id } = JSON.parse(body);
  return JSON.stringify({ id, type, created_at, partner_id, subject });
}

/** Builds the record of an attempt that has ended. */
export function attemptRecord(
  delivery: Pick<DueDelivery, 'id' | 'attempts'>,
  request: AttemptRequest | undefined,
  result: AttemptResult,
  time: { startedAt: Date; endedAt: Date; scheduleMs: readonly number[] },
): AttemptRecord {
  const answered = result.kind === 'response';
  const status = answered ? result.status : null;
  const outcome = outcomeOf(result);
  const attempt = delivery.attempts + 1;
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
    id: delivery.id,
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
  };
}

/** Returns the outcome of a request for its delivery (docs/webhooks.md): any 2xx is a success, all else a failure. */
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

/** Returns the beginning of a response body, without a character that the limit cut in two. */
function beginningOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  return storable(new TextDecoder().decode(body.subarray(0, BODY_BYTES), { stream: true }));
}

/** Replaces NUL characters, which Postgres cannot store. */
function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd');
}

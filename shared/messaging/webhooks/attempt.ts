import { setTimeout as sleep } from 'node:timers/promises';
import { addMs, type Clock } from '../../platform/clock.ts';
import { backoffMs } from '../../platform/concurrency/backoff.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import type { Config } from '../../platform/config/config.ts';
import { createOpener, type OpenSealed, type SecretBox } from '../../platform/crypto/secrets.ts';
import { transientDatabaseError } from '../../platform/database/database-errors.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type {
  HttpClient,
  OutboundFailure,
  OutboundResult,
} from '../../platform/outbound/http-client.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { Attempt, DeliveryStatus } from './delivery.ts';
import { nextAttemptDelayMs } from './delivery-backoff.ts';
import {
  type DueDelivery,
  type HealthRecord,
  recordAttempts,
  type ServedEndpoint,
} from './delivery-work.store.ts';
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

/** The maximum number of attempts that one statement records. */
const RECORD_BATCH = 200;
const RECORD_RETRY = { firstMs: 100, maxMs: 1_000 };

/** An attempt that has ended, to be recorded. */
interface EndedAttempt {
  record: AttemptRecord;
  /** Returns the endpoint's current health; undefined if there is nothing new to write. */
  health(): HealthRecord | undefined;
  /** Stops the retries while Postgres is unavailable. */
  signal: AbortSignal;
}

/** Makes and records the attempts of all jobs of a process. */
export interface Attempts {
  /**
   * Makes an attempt now. Returns undefined, and counts nothing, if `signal` aborted it before the receiver responded.
   */
  make(of: {
    endpoint: ServedEndpoint;
    delivery: DueDelivery;
    signal: AbortSignal;
  }): Promise<AttemptRecord | undefined>;
  /**
   * Records an attempt, in the log and in its delivery, and the health of its endpoint. Returns the delivery's status,
   * or undefined if another process had recorded the attempt.
   */
  record(ended: EndedAttempt): Promise<DeliveryStatus | undefined>;
}

interface Services {
  http: HttpClient;
  clock: Clock;
  config: Config;
  log: Logger;
  db: Database;
  secrets: SecretBox;
}

/** Attempts of the jobs of a process share statements and decrypted secrets, so a process creates this once. */
export function createAttempts(services: Services): Attempts {
  const open = createOpener(services.secrets);
  return { make: (of) => makeAttempt(services, open, of), record: createRecorder(services) };
}

async function makeAttempt(
  { http, clock, config, log }: Services,
  open: OpenSealed,
  { endpoint, delivery, signal }: Parameters<Attempts['make']>[0],
): Promise<AttemptRecord | undefined> {
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

/**
 * Attempts that end while others are being recorded share the next statement. Retries while Postgres is unavailable: an
 * unrecorded attempt would be sent again.
 */
function createRecorder({ db, log }: Pick<Services, 'db' | 'log'>): Attempts['record'] {
  const write = async (batch: readonly EndedAttempt[]): Promise<Map<string, DeliveryStatus>> => {
    for (let failures = 1; ; failures += 1) {
      try {
        const attempts = batch.map(({ record }) => record);
        const ids = attempts.map(({ id }) => id);
        const health = new Map(batch.flatMap((each) => each.health() ?? []).map((h) => [h.id, h]));
        // A fixed order, so that two recordings never deadlock.
        const inOrder = [...health.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
        const rows = await recordAttempts.all(db.indexed, { attempts, ids, health: inOrder });
        return new Map(rows.map(({ id, state }) => [id, state]));
      } catch (err) {
        if (failures === 1)
          log.warn({ err, attempts: batch.length }, 'deliveries: not recorded yet');
        if (batch.every(({ signal }) => signal.aborted)) return new Map();
        if (!transientDatabaseError(err)) return writeApart(batch, err);
        await sleep(backoffMs(failures, RECORD_RETRY));
      }
    }
  };

  /** Records each attempt of a batch that Postgres rejects on its own; the faulty one without its text fields. */
  const writeApart = async (
    batch: readonly EndedAttempt[],
    cause: unknown,
  ): Promise<Map<string, DeliveryStatus>> => {
    const [first] = batch;
    if (!first) return new Map();
    if (batch.length > 1) {
      const written = await Promise.all(batch.map((each) => write([each])));
      return new Map(written.flatMap((states) => [...states]));
    }
    const { record } = first;
    if (record.requestHeaders === null) {
      log.error({ err: cause, delivery: record.id }, 'deliveries: can not be recorded');
      return new Map();
    }
    const certain = {
      detail: null,
      requestHeaders: null,
      responseHeaders: null,
      responseBody: null,
    };
    return write([{ ...first, record: { ...record, ...certain } }]);
  };

  return batchCalls(async (batch: readonly EndedAttempt[]) => {
    const states = await write(batch);
    return batch.map(({ record }) => states.get(record.id));
  }, RECORD_BATCH);
}

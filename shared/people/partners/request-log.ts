import type { Database } from '../../messaging/unit-of-work/database.ts';
import { SECOND } from '../../platform/clock.ts';
import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { fail } from '../../platform/errors.ts';
import { firstIdOf, newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { cutPageSoFar, idOf, LOOK_THROUGH, type Page } from '../../platform/page.ts';
import { type Caller, canonicalKeyId, isKeyId } from './credential.ts';
import {
  type ApiRequest,
  insertRequests,
  selectRequest,
  selectRequests,
} from './request-log.store.ts';

export type { ApiRequest } from './request-log.store.ts';

/** How long requests are buffered before they are written. */
const FLUSH_MS = 2 * SECOND;
/** The number of requests that triggers an immediate write, and the maximum per statement. */
const BATCH = 1_000;
/** The maximum number of buffered requests. Further ones are dropped. */
const MAX_WAITING = 5_000;
/**
 * The maximum number of buffered requests that no rate limit bounds (over a limit, or without a valid signature), in
 * total and per key, so that nobody can flood a partner's log.
 */
const MAX_UNLIMITED = 500;
const MAX_UNLIMITED_OF_KEY = 20;

const MAX_PATH = 300;
const MAX_CANONICAL = 4_000;
/** Matches secrets, which partners sometimes put where they do not belong. */
const SECRET = /sk_(?:sandbox|test|live)_[\w-]+/g;

/** A request that has been answered. */
interface AnsweredRequest extends Omit<ApiRequest, 'id'> {
  /** Whether its signature was valid. */
  verified: boolean;
}

/** Records the requests of partners in their request log, without delaying requests. */
export interface RequestLog {
  /** Records a request; skips one without a valid key id format. Returns at once and never throws. */
  note(request: AnsweredRequest): void;
  /** Writes the buffered requests. Never throws; requests that cannot be written are dropped. */
  flush(): Promise<void>;
  /** Writes the remaining requests. */
  close(): Promise<void>;
}

/** Creates a log that buffers requests in memory and writes them in batches. Counts dropped requests in the metrics. */
export function createRequestLog(deps: {
  db: Database;
  log: Logger;
  metrics: Metrics;
}): RequestLog {
  const { db, log, metrics } = deps;
  let waiting: ApiRequest[] = [];
  let unlimited = 0;
  const unlimitedOfKey = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function hasRoom({ keyId, verified, status }: AnsweredRequest): boolean {
    if (waiting.length >= MAX_WAITING) return false;
    if (verified && status !== 429) return true;
    const ofKey = unlimitedOfKey.get(keyId) ?? 0;
    if (unlimited >= MAX_UNLIMITED || ofKey >= MAX_UNLIMITED_OF_KEY) return false;
    unlimited += 1;
    unlimitedOfKey.set(keyId, ofKey + 1);
    return true;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const requests = waiting;
    waiting = [];
    unlimited = 0;
    unlimitedOfKey.clear();
    for (let at = 0; at < requests.length; at += BATCH) {
      const batch = requests.slice(at, at + BATCH);
      try {
        await insertRequests.run(db.knex, columnsOf(batch));
      } catch (error) {
        metrics.requestLogDropped.inc({ reason: 'not_written' }, batch.length);
        log.warn({ err: error, requests: batch.length }, 'request log: not written');
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  return {
    note(request) {
      const keyId = canonicalKeyId(request.keyId);
      if (!isKeyId(keyId)) return;
      if (!hasRoom({ ...request, keyId })) {
        metrics.requestLogDropped.inc({ reason: 'no_room' });
        return;
      }
      waiting.push(entryOf(request, keyId));
      if (waiting.length === BATCH) void flush();
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    },
    flush,
    close: flush,
  };
}

function entryOf({ verified: _verified, ...request }: AnsweredRequest, keyId: string): ApiRequest {
  const { path, canonicalString, createdAt } = request;
  return {
    ...request,
    id: newId('apiRequest', createdAt),
    keyId,
    path: withoutSecrets(path).slice(0, MAX_PATH),
    canonicalString: canonicalString && withoutSecrets(canonicalString).slice(0, MAX_CANONICAL),
  };
}

const withoutSecrets = (text: string) => text.replace(SECRET, 'sk_[redacted]');

function columnsOf(requests: readonly ApiRequest[]) {
  return {
    ids: requests.map(({ id }) => id),
    keyIds: requests.map(({ keyId }) => keyId),
    requestIds: requests.map(({ requestId }) => requestId),
    methods: requests.map(({ method }) => method),
    paths: requests.map(({ path }) => path),
    statuses: requests.map(({ status }) => status),
    errorCodes: requests.map(({ errorCode }) => errorCode ?? ''),
    elapsedMs: requests.map(({ elapsedMs }) => elapsedMs),
    canonicalStrings: requests.map(({ canonicalString }) => canonicalString ?? ''),
    createdAts: requests.map(({ createdAt }) => createdAt),
  };
}

export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;

/** A filter for a partner's requests; null matches all. */
export interface RequestFilter {
  statusClass: (typeof STATUS_CLASSES)[number] | null;
  /** A part of the path. */
  path: string | null;
  keyId: string | null;
  requestId: string | null;
  /** Inclusive; `to` is exclusive. */
  from: Date | null;
  to: Date | null;
}

/**
 * Lists a page of a partner's request log, newest first, scanning the next {@link LOOK_THROUGH} requests. A page may be
 * short or empty and still have a next page. `before` is where the previous page ended.
 */
export async function listRequests(
  { db }: { db: Database },
  { partnerId, environment }: Caller,
  { before, limit, ...filter }: RequestFilter & { before: string | null; limit: number },
): Promise<Page<ApiRequest>> {
  const { statusClass, path, keyId, requestId } = filter;
  // Ids sort by time, so a time can be converted to an id.
  const idAt = (at: Date | null) => at && REQUEST_LOG.firstIdAt(at);
  const end = idAt(filter.to);
  const lowest = statusClass === null ? 100 : Number(statusClass[0]) * 100;
  const wanted = {
    partnerId,
    environment,
    minStatus: lowest,
    maxStatus: statusClass === null ? 599 : lowest + 99,
    refused: lowest >= 400,
    path,
    keyId: keyId && canonicalKeyId(keyId),
    requestId,
    fromId: idAt(filter.from),
    before: end !== null && (before === null || end < before) ? end : before,
    lookThrough: LOOK_THROUGH,
  };
  const found = await db.read((sql) => selectRequests.all(sql, { ...wanted, limit: limit + 1 }));
  return cutPageSoFar(found, limit, idOf);
}

/** Returns one entry of a partner's request log. @throws not_found */
export async function readRequest(
  { db }: { db: Database },
  { partnerId, environment }: Caller,
  id: string,
): Promise<ApiRequest> {
  const found = await db.read((sql) => selectRequest.first(sql, { partnerId, environment, id }));
  if (!found) throw fail('not_found', { message: 'This request does not exist, or is too old.' });
  return found;
}

/** The request logs of all partners, in daily partitions. */
export const REQUEST_LOG: PartitionedLog = {
  table: 'api_requests',
  key: 'id',
  firstIdAt: firstIdOf('apiRequest'),
  period: 'day',
};

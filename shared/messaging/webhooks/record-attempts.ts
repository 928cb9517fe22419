import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../platform/concurrency/backoff.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import { transientDatabaseError } from '../../platform/database/database-errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { AttemptRecord } from './attempt.ts';
import type { DeliveryStatus } from './delivery.ts';
import { type HealthRecord, recordAttempts } from './delivery-work.store.ts';

/** Attempts that one statement records at most. */
const BATCH = 200;
const RETRY = { firstMs: 100, maxMs: 1_000 };

/** An attempt that has ended, to be recorded. */
interface EndedAttempt {
  record: AttemptRecord;
  /** How its endpoint fares by now; undefined when that is no news. */
  health(): HealthRecord | undefined;
  /** Ends the waiting for a Postgres that is away. */
  signal: AbortSignal;
}

/** Records an attempt; tells where its delivery stands, undefined when somebody else had recorded that attempt. */
export type RecordAttempt = (ended: EndedAttempt) => Promise<DeliveryStatus | undefined>;

/**
 * Records the attempts of one process, those that end while others are recorded in one statement. It is tried again
 * while Postgres is away: what was sent must not be sent again because nobody knows of it.
 */
export function createRecorder({ db, log }: { db: Database; log: Logger }): RecordAttempt {
  const write = async (batch: readonly EndedAttempt[]): Promise<Map<string, DeliveryStatus>> => {
    for (let failures = 1; ; failures += 1) {
      try {
        const attempts = batch.map(({ record }) => record);
        const ids = attempts.map(({ id }) => id);
        const health = new Map(batch.flatMap((each) => each.health() ?? []).map((h) => [h.id, h]));
        // In one order, so that two recordings never wait for each other.
        const inOrder = [...health.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
        const rows = await recordAttempts.all(db.indexed, { attempts, ids, health: inOrder });
        return new Map(rows.map(({ id, state }) => [id, state]));
      } catch (err) {
        if (failures === 1)
          log.warn({ err, attempts: batch.length }, 'deliveries: not recorded yet');
        if (batch.every(({ signal }) => signal.aborted)) return new Map();
        if (!transientDatabaseError(err)) return writeApart(batch, err);
        await sleep(backoffMs(failures, RETRY));
      }
    }
  };

  /** One of a batch is what Postgres does not take: the others are recorded, and of it what is certain. */
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
  }, BATCH);
}

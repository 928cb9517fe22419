import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../platform/concurrency/backoff.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import { transientDatabaseError } from '../../platform/database/database-errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { AttemptRecord } from './attempt.ts';
import type { DeliveryStatus } from './delivery.ts';
import { type HealthRecord, recordAttempts } from './delivery-work.store.ts';

/** The maximum number of attempts per statement. */
const BATCH = 200;
const RETRY = { firstMs: 100, maxMs: 1_000 };

/** An attempt that has ended, to be recorded. */
interface EndedAttempt {
  record: AttemptRecord;
  /** Returns the endpoint's current health; undefined if there is nothing new to write. */
  health(): HealthRecord | undefined;
  /** Stops the retries while Postgres is unavailable. */
  signal: AbortSignal;
}

/** Records an attempt; returns the delivery's status, or undefined if another process had recorded the attempt. */
export type RecordAttempt = (ended: EndedAttempt) => Promise<DeliveryStatus | undefined>;

/**
 * Creates the recorder of one process's attempts. Attempts that end while others are being recorded share the next
 * statement. Retries while Postgres is unavailable: an unrecorded attempt would be sent again.
 */
export function createRecorder({ db, log }: { db: Database; log: Logger }): RecordAttempt {
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
        await sleep(backoffMs(failures, RETRY));
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
  }, BATCH);
}

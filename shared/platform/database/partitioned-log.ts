import { addMs, DAY } from '../clock.ts';
import { addPartition, dropFinishedPartition, dropPartition } from './partition.store.ts';
import type { Sql } from './postgres.ts';

/** A table partitioned by the time in its ids. Dropping a partition deletes old rows instantly. */
export interface PartitionedLog {
  table: string;
  /** The name of the id column. */
  key: string;
  /** Returns the lowest possible id at a moment. */
  firstIdAt(at: Date): string;
  /** The period of a partition, in UTC. Weeks begin on Monday. */
  period: Period;
  /**
   * The number of partitions created in advance: the table works for as many periods without a worker. Defaults to 3.
   */
  ahead?: number;
  /** States of unfinished rows: a partition with such a row is not dropped. */
  unfinished?: readonly string[];
}

type Period = 'day' | 'week' | 'month';

const AHEAD = 3;

/** Creates the missing partitions for `now` and the next periods; returns the number created. */
export async function addPartitions(sql: Sql, log: PartitionedLog, now: Date): Promise<number> {
  let made = 0;
  let start = startOfPeriod(now, log.period);
  for (let nth = 0; nth <= (log.ahead ?? AHEAD); nth += 1) {
    const end = startOfNext(start, log.period);
    const { added } = await addPartition.one(sql, {
      table: log.table,
      key: log.key,
      name: `${log.table}_${start.toISOString().slice(0, 10).replaceAll('-', '')}`,
      lower: log.firstIdAt(start),
      upper: log.firstIdAt(end),
    });
    if (added) made += 1;
    start = end;
  }
  return made;
}

/** Drops the partitions that end at or before the id `before`, one by one; returns the number dropped. */
export async function dropPartitions(
  sql: Sql,
  { table, key, unfinished }: PartitionedLog,
  before: string,
): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { dropped } = unfinished
      ? await dropFinishedPartition.one(sql, { table, key, before, unfinished })
      : await dropPartition.one(sql, { table, key, before });
    if (dropped === null) return count;
  }
}

/** The first Monday since 1970, from which weeks are counted. */
const FIRST_MONDAY_MS = 4 * DAY;

function startOfPeriod(at: Date, period: Period): Date {
  if (period === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
  const since = period === 'week' ? FIRST_MONDAY_MS : 0;
  const length = lengthOf(period);
  return new Date(Math.floor((at.getTime() - since) / length) * length + since);
}

function startOfNext(start: Date, period: Period): Date {
  if (period !== 'month') return addMs(start, lengthOf(period));
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
}

function lengthOf(period: 'day' | 'week'): number {
  return period === 'week' ? 7 * DAY : DAY;
}

import { addMs, DAY } from '../clock.ts';
import { type IdKind, idRangeAt } from '../ids.ts';
import { addPartition, dropPartition } from './partition.store.ts';
import type { Sql } from './postgres.ts';

/** A table in partitions by the time in its ids. Old rows go with a whole partition, which takes no time. */
export interface PartitionedLog {
  table: string;
  /** The column of its ids. */
  key: string;
  idKind: IdKind;
  /** A partition holds a day, or a week from Monday, in UTC. */
  days: 1 | 7;
}

/** Partitions that are there before their time: so many days, or weeks, may pass without a worker. */
const AHEAD = 3;

/** Makes the partition of `now` and the next ones, where they are missing; returns how many were made. */
export async function addPartitions(sql: Sql, log: PartitionedLog, now: Date): Promise<number> {
  let made = 0;
  for (let nth = 0; nth <= AHEAD; nth += 1) {
    const start = startOfPeriod(addMs(now, nth * log.days * DAY), log.days);
    const { added } = await addPartition.one(sql, {
      table: log.table,
      key: log.key,
      name: `${log.table}_${start.toISOString().slice(0, 10).replaceAll('-', '')}`,
      lower: idRangeAt(log.idKind, start).first,
      upper: idRangeAt(log.idKind, addMs(start, log.days * DAY)).first,
    });
    if (added) made += 1;
  }
  return made;
}

/** Drops the partitions that end at or before the id `before`, one after the other; returns how many. */
export async function dropPartitions(
  sql: Sql,
  { table, key }: PartitionedLog,
  before: string,
): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { dropped } = await dropPartition.one(sql, { table, key, before });
    if (dropped === null) return count;
  }
}

/** The Monday on which the weeks since 1970 begin. */
const FIRST_MONDAY_MS = 4 * DAY;

function startOfPeriod(at: Date, days: 1 | 7): Date {
  const since = days === 7 ? FIRST_MONDAY_MS : 0;
  const length = days * DAY;
  return new Date(Math.floor((at.getTime() - since) / length) * length + since);
}

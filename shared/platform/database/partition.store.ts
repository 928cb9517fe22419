import { defineStatement } from './sql-statement.ts';
import { arrayOf, boolean, nullable, text } from './sql-types.ts';

const TABLE = { table: text, key: text };

/** Makes a partition for keys from `lower` up to `upper`; not when there is one, or when the locks are not free. */
export const addPartition = defineStatement({
  params: { ...TABLE, name: text, lower: text, upper: text },
  row: { added: boolean },
  text: 'select add_range_partition(:table, :key, :name, :lower, :upper) as added',
});

/** Drops the first partition with no key from `before` on; null when there is none, or when the locks are not free. */
export const dropPartition = defineStatement({
  params: { ...TABLE, before: text },
  row: { dropped: nullable(text) },
  text: 'select drop_range_partition(:table, :key, :before) as dropped',
});

/** The same where rows have a state: a partition stays as long as a row of it is in one of `unfinished`. */
export const dropFinishedPartition = defineStatement({
  params: { ...TABLE, before: text, unfinished: arrayOf(text) },
  row: { dropped: nullable(text) },
  text: 'select drop_finished_partition(:table, :key, :before, :unfinished::text[]) as dropped',
});

import { defineStatement } from './sql-statement.ts';
import { arrayOf, boolean, nullable, text } from './sql-types.ts';

const TABLE = { table: text, key: text };

/** Creates a partition for keys from `lower` up to `upper`, unless it exists or its locks are not free. */
export const addPartition = defineStatement({
  params: { ...TABLE, name: text, lower: text, upper: text },
  row: { added: boolean },
  text: 'select add_range_partition(:table, :key, :name, :lower, :upper) as added',
});

/** Drops the first partition with only keys below `before`; null if there is none or its locks are not free. */
export const dropPartition = defineStatement({
  params: { ...TABLE, before: text },
  row: { dropped: nullable(text) },
  text: 'select drop_range_partition(:table, :key, :before) as dropped',
});

/** Like {@link dropPartition}, but keeps partitions with rows in one of the `unfinished` states. */
export const dropFinishedPartition = defineStatement({
  params: { ...TABLE, before: text, unfinished: arrayOf(text) },
  row: { dropped: nullable(text) },
  text: 'select drop_finished_partition(:table, :key, :before, :unfinished::text[]) as dropped',
});

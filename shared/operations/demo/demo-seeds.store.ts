import { defineStatement } from '../../platform/database/sql-statement.ts';
import { text, timestamptz } from '../../platform/database/sql-types.ts';

/** Selects when a part of the demo marketplace was seeded; no row if it was not. */
export const selectSeed = defineStatement({
  params: { part: text },
  row: { seededAt: timestamptz },
  text: 'select seeded_at as "seededAt" from demo_seeds where part = :part',
});

/** Records that a part was seeded. */
export const insertSeed = defineStatement({
  params: { part: text, now: timestamptz },
  text: 'insert into demo_seeds (part, seeded_at) values (:part, :now) on conflict (part) do nothing',
});

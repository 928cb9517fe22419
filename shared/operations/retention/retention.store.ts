import { RETENTION } from '../../../db/retention.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import { bigint, date, timestamptz } from '../../platform/database/sql-types.ts';

/**
 * The retention rule of every table whose rows expire, each with a statement that deletes up to `limit` of them.
 * Locked rows are skipped until a later run.
 */
export const expiries = Object.fromEntries(
  Object.entries(RETENTION).flatMap(([table, retention]) => {
    if (retention.kept !== 'for') return [];
    const rules = retention.rules.map((rule) => ({
      ...rule,
      deleteOldest: defineStatement({
        params: { before: rule.dates ? date : timestamptz, limit: bigint },
        text: `delete from ${table} where ctid = any(array(
          select ctid from ${table}
          where ${rule.since} < :before${rule.only ? ` and ${rule.only}` : ''}
          order by ${rule.since} limit :limit for update skip locked))`,
      }),
    }));
    return [[table, rules]];
  }),
);

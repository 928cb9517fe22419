import { defineStatement } from '../../platform/database/sql-statement.ts';
import { bigint, bytea, nullable, text } from '../../platform/database/sql-types.ts';

/**
 * Selects the links of the chain after `above`, in order, with the text of each entry in the form that the trigger of
 * `audit_log` hashes; null for an entry that is gone.
 */
export const selectLinks = defineStatement({
  params: { above: bigint, limit: bigint },
  row: { position: bigint, entryId: bigint, hash: bytea, text: nullable(text) },
  // The id bounds make Postgres read only the monthly partitions of these entries.
  text: `with links as materialized (
      select position, entry_id, hash from audit_chain where position > :above order by position limit :limit)
    select c.position, c.entry_id as "entryId", c.hash,
      case when a.id is not null then jsonb_build_array(a.id, extract(epoch from a.at), a.actor, a.action,
        a.subject, a.before, a.after)::text end as text
    from links c left join audit_log a on a.id = c.entry_id
      and a.id >= (select min(entry_id) from links) and a.id <= (select max(entry_id) from links)
    order by c.position`,
});

/** Selects the first entry that is in no chain because it bypassed the trigger. */
export const selectUnchained = defineStatement({
  row: { id: bigint },
  text: `select a.id from audit_log a
    where not exists (select from audit_chain c where c.entry_id = a.id) order by a.id limit 1`,
});

import { defineStatement } from '../../platform/database/sql-statement.ts';
import { bigint, bytea, nullable, text } from '../../platform/database/sql-types.ts';

/**
 * The links of the chain above `above`, in order, each with the text of its entry, written as the trigger of
 * `audit_log` writes it; null for an entry that is gone.
 */
export const selectLinks = defineStatement({
  params: { above: bigint, limit: bigint },
  row: { position: bigint, entryId: bigint, hash: bytea, text: nullable(text) },
  // Bounded, so that the months of these entries alone are read.
  text: `with links as materialized (
      select position, entry_id, hash from audit_chain where position > :above order by position limit :limit)
    select c.position, c.entry_id as "entryId", c.hash,
      case when a.id is not null then jsonb_build_array(a.id, extract(epoch from a.at), a.actor, a.action,
        a.subject, a.before, a.after)::text end as text
    from links c left join audit_log a on a.id = c.entry_id
      and a.id >= (select min(entry_id) from links) and a.id <= (select max(entry_id) from links)
    order by c.position`,
});

/** The entries that are in no chain: written around the trigger. */
export const selectUnchained = defineStatement({
  row: { id: bigint },
  text: `select a.id from audit_log a
    where not exists (select from audit_chain c where c.entry_id = a.id) order by a.id limit 1`,
});

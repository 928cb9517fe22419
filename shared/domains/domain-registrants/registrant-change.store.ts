import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  nullable,
  present,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { RegistrantChangeStatus } from './registrant-change.ts';

const CHANGE = {
  id: text,
  domain: text,
  userId: text,
  sealed: nullable(bytea),
  material: boolean,
  status: textOf<RegistrantChangeStatus>(),
  reason: nullable(text),
  createdAt: timestamptz,
  endedAt: nullable(timestamptz),
};
const COLUMNS = `id, domain, user_id as "userId", sealed, material, status, reason, created_at as "createdAt",
  ended_at as "endedAt"`;

/** Inserts a change; does nothing while another change of the domain is open. */
export const insertChange = defineStatement({
  params: {
    id: text,
    domain: text,
    userId: text,
    sealed: bytea,
    material: boolean,
    status: textOf<RegistrantChangeStatus>(),
    now: timestamptz,
  },
  text: `insert into registrant_changes (id, domain, user_id, sealed, material, status, created_at)
    values (:id, :domain, :userId, :sealed, :material, :status, :now)
    on conflict (domain) where ended_at is null do nothing`,
});

/** Selects a change. */
export const selectChange = defineStatement({
  params: { id: text },
  row: CHANGE,
  text: `select ${COLUMNS} from registrant_changes where id = :id`,
});

/** Like {@link selectChange}, but locks the row until the transaction ends. */
export const selectChangeForUpdate = defineStatement({
  params: { id: text },
  row: CHANGE,
  text: `select ${COLUMNS} from registrant_changes where id = :id for update`,
});

/** Selects the last change of a domain that this user requested. */
export const selectLastChange = defineStatement({
  params: { domain: text, userId: text },
  row: CHANGE,
  text: `select ${COLUMNS} from registrant_changes where domain = :domain and user_id = :userId
    order by id desc limit 1`,
});

/** Updates the status of an open change. */
export const updateChange = defineStatement({
  params: {
    id: text,
    status: textOf<RegistrantChangeStatus>(),
    reason: nullable(text),
    now: timestamptz,
  },
  text: `update registrant_changes set status = :status, reason = :reason,
      ended_at = case when :status in ('held', 'pending') then null else :now::timestamptz end,
      sealed = case when :status in ('held', 'pending') then sealed end
    where id = :id and ended_at is null`,
});

/** Selects the next open changes, by ID. */
export const selectOpenAfter = defineStatement({
  params: { after: text, limit: bigint },
  row: { id: text, sealed: present(bytea, 'those that are not over have it') },
  text: `select id, sealed from registrant_changes where ended_at is null and id > :after
    order by id limit :limit`,
});

/** Replaces sealed registrants of open changes, except those that ended meanwhile. */
export const updateChangesSealed = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update registrant_changes c set sealed = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where c.id = r.id and c.sealed = r.before`,
});

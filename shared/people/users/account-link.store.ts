import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  integer,
  nothing,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { LinkKind } from './account-link.ts';

const LINK = {
  id: text,
  kind: textOf<LinkKind>(),
  email: text,
  /** The partner of an invitation; null for staff. */
  partnerId: nullable(text),
  role: nullable(text),
  /** The name of the partner account to open. */
  partnerName: nullable(text),
  createdAt: timestamptz,
  expiresAt: timestamptz,
};
/** A mailed link that lets its recipient do one thing, once. */
export type AccountLink = RowOf<typeof LINK>;

const COLUMNS = `id, kind, email, partner_id as "partnerId", role, partner_name as "partnerName", created_at as "createdAt",
  expires_at as "expiresAt"`;

/** Inserts a link that `actor` requested; null for an anonymous visitor. */
export const insertLink = defineStatement({
  params: { ...LINK, actor: nullable(text) },
  text: `insert into account_links (id, kind, email, partner_id, role, partner_name, created_at,
      expires_at, actor)
    values (:id, :kind, :email, :partnerId, :role, :partnerName, :createdAt, :expiresAt, :actor)`,
});

/** Locks the count with this name until the transaction ends. */
export const lockCount = defineStatement({
  params: { name: text },
  row: { pg_advisory_xact_lock: nothing },
  text: `select pg_advisory_xact_lock(hashtextextended('account-links/' || :name, 0))`,
});

/** Counts the invitations that an account has sent, and those to join a partner, after `since`. */
export const countInvitations = defineStatement({
  params: { actor: text, partnerId: nullable(text), since: timestamptz },
  row: { byActor: integer, toPartner: integer },
  text: `select
      (select count(*)::int from account_links
        where actor = :actor and kind = 'invitation' and created_at > :since) as "byActor",
      (select count(*)::int from account_links
        where partner_id = :partnerId and kind = 'invitation' and created_at > :since) as "toPartner"`,
});

/** Selects a link that is valid at `now`. */
export const selectOpenLink = defineStatement({
  params: { id: text, kind: textOf<LinkKind>(), now: timestamptz },
  row: LINK,
  text: `select ${COLUMNS} from account_links
    where id = :id and kind = :kind and used_at is null and expires_at > :now`,
});

/** Selects the open invitations of a partner, oldest first. */
export const selectOpenInvitations = defineStatement({
  params: { partnerId: text, now: timestamptz },
  row: LINK,
  text: `select ${COLUMNS} from account_links
    where kind = 'invitation' and partner_id = :partnerId and used_at is null and expires_at > :now
    order by id`,
});

/** Uses up a link that is valid at `now`. Of several concurrent calls, only one gets a row. */
export const updateUsed = defineStatement({
  params: { id: text, kind: textOf<LinkKind>(), now: timestamptz },
  row: LINK,
  text: `update account_links set used_at = :now
    where id = :id and kind = :kind and used_at is null and expires_at > :now
    returning ${COLUMNS}`,
});

/** Ends the open links of a kind to an address; for invitations, only those to the same partner or to staff. */
export const updateOthersUsed = defineStatement({
  params: { kind: textOf<LinkKind>(), email: text, partnerId: nullable(text), now: timestamptz },
  text: `update account_links set used_at = :now
    where kind = :kind and email = :email and partner_id is not distinct from :partnerId
      and used_at is null`,
});

/** Counts the links of a kind that were sent to an address after `since`. */
export const countRecentLinks = defineStatement({
  params: { kind: textOf<LinkKind>(), email: text, since: timestamptz },
  row: { count: integer },
  text: `select count(*)::int as count from account_links
    where kind = :kind and email = :email and created_at > :since`,
});

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
  /** What an invitation is for; staff when null. */
  partnerId: nullable(text),
  role: nullable(text),
  /** The name of the partner to open. */
  partnerName: nullable(text),
  createdAt: timestamptz,
  expiresAt: timestamptz,
};
/** What a link in a mail lets its owner do, once. */
export type AccountLink = RowOf<typeof LINK>;

const COLUMNS = `id, kind, email, partner_id as "partnerId", role, partner_name as "partnerName", created_at as "createdAt",
  expires_at as "expiresAt"`;

/** Keeps a link that `actor` had sent; null for a stranger. */
export const insertLink = defineStatement({
  params: { ...LINK, actor: nullable(text) },
  text: `insert into account_links (id, kind, email, partner_id, role, partner_name, created_at,
      expires_at, actor)
    values (:id, :kind, :email, :partnerId, :role, :partnerName, :createdAt, :expiresAt, :actor)`,
});

/** Makes what is counted under a name sequential until the transaction ends. */
export const lockCount = defineStatement({
  params: { name: text },
  row: { pg_advisory_xact_lock: nothing },
  text: `select pg_advisory_xact_lock(hashtextextended('account-links/' || :name, 0))`,
});

/** How many invitations an account sent since `since`, and how many were sent to join a partner. */
export const countInvitations = defineStatement({
  params: { actor: text, partnerId: nullable(text), since: timestamptz },
  row: { byActor: integer, toPartner: integer },
  text: `select
      (select count(*)::int from account_links
        where actor = :actor and kind = 'invitation' and created_at > :since) as "byActor",
      (select count(*)::int from account_links
        where partner_id = :partnerId and kind = 'invitation' and created_at > :since) as "toPartner"`,
});

/** A link that is good at `now`. */
export const selectOpenLink = defineStatement({
  params: { id: text, kind: textOf<LinkKind>(), now: timestamptz },
  row: LINK,
  text: `select ${COLUMNS} from account_links
    where id = :id and kind = :kind and used_at is null and expires_at > :now`,
});

/** The open invitations of a partner, oldest first. */
export const selectOpenInvitations = defineStatement({
  params: { partnerId: text, now: timestamptz },
  row: LINK,
  text: `select ${COLUMNS} from account_links
    where kind = 'invitation' and partner_id = :partnerId and used_at is null and expires_at > :now
    order by id`,
});

/** Uses a link that is good at `now`; of several at once, one finds a row. */
export const updateUsed = defineStatement({
  params: { id: text, kind: textOf<LinkKind>(), now: timestamptz },
  row: LINK,
  text: `update account_links set used_at = :now
    where id = :id and kind = :kind and used_at is null and expires_at > :now
    returning ${COLUMNS}`,
});

/** Ends the open links of a kind to an address; for an invitation, those to the same partner or to staff. */
export const updateOthersUsed = defineStatement({
  params: { kind: textOf<LinkKind>(), email: text, partnerId: nullable(text), now: timestamptz },
  text: `update account_links set used_at = :now
    where kind = :kind and email = :email and partner_id is not distinct from :partnerId
      and used_at is null`,
});

/** How many links of a kind were sent to an address since `since`. */
export const countRecentLinks = defineStatement({
  params: { kind: textOf<LinkKind>(), email: text, since: timestamptz },
  row: { count: integer },
  text: `select count(*)::int as count from account_links
    where kind = :kind and email = :email and created_at > :since`,
});

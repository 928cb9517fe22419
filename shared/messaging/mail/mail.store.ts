import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { MailKind, MailState } from './mail.ts';

/** Inserts the mails of a transaction, except those whose cause was already mailed to the same address. */
export const insertMails = defineStatement({
  params: {
    now: timestamptz,
    ids: arrayOf(text),
    kinds: arrayOf(textOf<MailKind>()),
    causes: arrayOf(text),
    recipients: arrayOf(text),
    partnerIds: arrayOf(nullable(text)),
    environments: arrayOf(nullable(textOf<Environment>())),
    /** JSON. */
    data: arrayOf(text),
    /** JSON arrays. */
    documents: arrayOf(text),
    locales: arrayOf(text),
  },
  row: { id: text },
  text: `insert into mails (id, kind, cause, recipient, partner_id, environment, data, documents, locale, created_at)
    select m.id, m.kind, m.cause, m.recipient, m.partner_id, m.environment, m.data::jsonb,
      array(select jsonb_array_elements_text(m.documents::jsonb)), m.locale, :now
    from unnest(:ids::text[], :kinds::text[], :causes::text[], :recipients::text[], :partnerIds::text[],
      :environments::text[], :data::text[], :documents::text[], :locales::text[])
      as m (id, kind, cause, recipient, partner_id, environment, data, documents, locale)
    on conflict (cause, recipient) do nothing
    returning id`,
});

const MAIL = {
  id: text,
  kind: textOf<MailKind>(),
  cause: text,
  recipient: text,
  partnerId: nullable(text),
  environment: nullable(textOf<Environment>()),
  data: jsonb<unknown>(),
  documents: arrayOf(text),
  locale: text,
  state: textOf<MailState>(),
  attempts: integer,
  messageId: nullable(text),
  reason: nullable(text),
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};
/** A mail as stored. */
export type StoredMail = RowOf<typeof MAIL>;

const COLUMNS = `m.id, m.kind, m.cause, m.recipient, m.partner_id as "partnerId", m.environment, m.data,
  m.documents, m.locale, m.state, m.attempts, m.message_id as "messageId", m.reason,
  m.created_at as "createdAt", m.finished_at as "finishedAt"`;

const MAIL_WITH_BRAND = {
  ...MAIL,
  partnerName: nullable(text),
  displayName: nullable(text),
  supportEmail: nullable(text),
  accentColor: nullable(text),
  /** Whether our staff approved the partner; null if there is no partner. */
  partnerApproved: nullable(boolean),
};
/** A mail with its partner's brand. */
export type MailWithBrand = RowOf<typeof MAIL_WITH_BRAND>;

export const selectMail = defineStatement({
  params: { id: text },
  row: MAIL_WITH_BRAND,
  text: `select ${COLUMNS}, p.name as "partnerName", b.display_name as "displayName",
      b.support_email as "supportEmail", b.accent_color as "accentColor",
      p.live_approved_at is not null as "partnerApproved"
    from mails m left join partners p on p.id = m.partner_id
      left join mail_brands b on b.partner_id = m.partner_id
    where m.id = :id`,
});

/** Counts an attempt of a queued mail; the Message-ID stays that of the first attempt. */
export const updateAttempted = defineStatement({
  params: { id: text, messageId: text },
  row: { attempts: integer, messageId: text },
  text: `update mails set attempts = attempts + 1, message_id = coalesce(message_id, :messageId)
    where id = :id and state = 'queued'
    returning attempts, coalesce(message_id, :messageId) as "messageId"`,
});

/** Stores why the last attempt failed temporarily. */
export const updateReason = defineStatement({
  params: { id: text, reason: text },
  text: `update mails set reason = :reason where id = :id and state = 'queued'`,
});

/** Ends a mail; changes no row if it has already ended. */
export const updateFinished = defineStatement({
  params: { id: text, state: textOf<MailState>(), reason: nullable(text), now: timestamptz },
  text: `update mails set state = :state, reason = :reason, finished_at = :now
    where id = :id and state = 'queued'`,
});

/** Requeues a mail that bounced or was suppressed; changes no row if there is no such mail. */
export const updateRequeued = defineStatement({
  params: { id: text },
  text: `update mails set state = 'queued', attempts = 0, reason = null, finished_at = null
    where id = :id and state in ('bounced', 'suppressed')`,
});

/** Selects mails in one state or any, to one address or any. */
export const selectMails = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { state: nullable(textOf<MailState>()), recipient: nullable(text), ...ID_PAGE },
    row: MAIL,
    text: `select ${COLUMNS} from mails m
      where (:state::text is null or m.state = :state)
        and (:recipient::text is null or m.recipient = :recipient) and ${idPageSql('m.id', sort)}`,
  }),
);

/** Selects the newest mails about a partner that did not reach its members or contacts. */
export const selectBouncedOf = defineStatement({
  params: { partnerId: text, environment: textOf<Environment>(), limit: bigint },
  row: MAIL,
  text: `select ${COLUMNS} from mails m
    where m.partner_id = :partnerId and m.environment = :environment and m.state = 'bounced'
      and m.recipient in (
        select u.email from partner_members p join users u on u.id = p.user_id
          where p.partner_id = :partnerId
        union all select email from mail_contacts where partner_id = :partnerId)
    order by m.id desc limit :limit`,
});

/** Selects whether an address belongs to a member of a partner, or to a contact that our staff added. */
export const selectIsOwnAddress = defineStatement({
  params: { partnerId: text, email: text },
  row: { own: boolean },
  text: `select exists (
      select from partner_members m join users u on u.id = m.user_id
        where m.partner_id = :partnerId and u.email = :email and u.disabled_at is null
      union all
      select from mail_contacts where partner_id = :partnerId and email = :email) as own`,
});

/** Selects the contacts and members of partners, the contacts of staff, and whether a partner's buyers get mail. */
export const selectAudiences = defineStatement({
  params: { partnerIds: arrayOf(text) },
  row: {
    partnerId: nullable(text),
    emails: arrayOf(text),
    members: jsonb<readonly { email: string; role: string }[]>(),
    buyerMail: boolean,
  },
  text: `select a.id as "partnerId",
      array(select c.email from mail_contacts c where c.partner_id is not distinct from a.id order by c.email) as emails,
      coalesce((select jsonb_agg(jsonb_build_object('email', u.email, 'role', m.role) order by u.email)
        from partner_members m join users u on u.id = m.user_id
        where m.partner_id = a.id and u.disabled_at is null), '[]') as members,
      coalesce((select b.buyer_mail from mail_brands b where b.partner_id = a.id), true) as "buyerMail"
    from (select unnest(:partnerIds::text[]) as id union all select null) a`,
});

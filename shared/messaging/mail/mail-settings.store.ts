import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { SuppressionReason } from './mail.ts';

const SUPPRESSION = {
  email: text,
  /** A topic, or `all`. */
  topic: text,
  reason: textOf<SuppressionReason>(),
  createdAt: timestamptz,
};
export type Suppression = RowOf<typeof SUPPRESSION>;
const COLUMNS = 'email, topic, reason, created_at as "createdAt"';

/** Selects whether an address is suppressed for these topics, for these reasons. */
export const selectSuppression = defineStatement({
  params: { email: text, topics: arrayOf(text), reasons: arrayOf(textOf<SuppressionReason>()) },
  row: SUPPRESSION,
  text: `select ${COLUMNS} from mail_suppressions
    where email = :email and topic = any(:topics::text[]) and reason = any(:reasons::text[])
    order by topic limit 1`,
});

/** Selects all suppressions of an address. */
export const selectSuppressionsOf = defineStatement({
  params: { email: text },
  row: SUPPRESSION,
  text: `select ${COLUMNS} from mail_suppressions where email = :email order by topic`,
});

/** Selects suppressions by start time. There are few rows, so Postgres sorts them without an index. */
export const selectSuppressions = variantsOf(LIST_SORTS, (sort) => {
  const direction = sort === 'newest' ? 'desc' : 'asc';
  return defineStatement({
    params: {
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      afterEmail: nullable(text),
      afterTopic: nullable(text),
      limit: bigint,
    },
    row: SUPPRESSION,
    text: `select ${COLUMNS} from mail_suppressions s
      where (:from::timestamptz is null or created_at >= :from)
        and (:to::timestamptz is null or created_at < :to)
        and (:afterEmail::text is null or (created_at, email, topic) ${sort === 'newest' ? '<' : '>'}
          (select a.created_at, a.email, a.topic from mail_suppressions a
           where a.email = :afterEmail and a.topic = :afterTopic))
      order by created_at ${direction}, email ${direction}, topic ${direction} limit :limit`,
  });
});

/** Suppresses a topic for an address. */
export const insertSuppression = defineStatement({
  params: { email: text, topic: text, reason: textOf<SuppressionReason>(), now: timestamptz },
  text: `insert into mail_suppressions (email, topic, reason, created_at)
    values (:email, :topic, :reason, :now) on conflict (email, topic) do nothing`,
});

/** Ends the suppression of a topic for an address. */
export const deleteSuppression = defineStatement({
  params: { email: text, topic: text },
  text: 'delete from mail_suppressions where email = :email and topic = :topic',
});

/** Adds an address for notices to a partner, or to staff if there is no partner. */
export const insertContact = defineStatement({
  params: { partnerId: nullable(text), email: text, now: timestamptz },
  text: `insert into mail_contacts (partner_id, email, created_at) values (:partnerId, :email, :now)
    on conflict (partner_id, email) do nothing`,
});

export const deleteContact = defineStatement({
  params: { partnerId: nullable(text), email: text },
  text: 'delete from mail_contacts where partner_id is not distinct from :partnerId and email = :email',
});

/** Selects the addresses for notices to a partner, or to staff if there is no partner. */
export const selectContacts = defineStatement({
  params: { partnerId: nullable(text) },
  row: { email: text },
  text: `select email from mail_contacts where partner_id is not distinct from :partnerId order by email`,
});

const BRAND = {
  partnerId: text,
  displayName: nullable(text),
  supportEmail: nullable(text),
  accentColor: nullable(text),
  logoUrl: nullable(text),
  supportUrl: nullable(text),
  termsUrl: nullable(text),
  buyerMail: boolean,
};
/** A partner's brand, shown to its buyers in mail and on pages, and whether they get mail. */
export type Brand = RowOf<typeof BRAND>;

export const selectBrand = defineStatement({
  params: { partnerId: text },
  row: BRAND,
  text: `select partner_id as "partnerId", display_name as "displayName", support_email as "supportEmail",
      accent_color as "accentColor", logo_url as "logoUrl", support_url as "supportUrl",
      terms_url as "termsUrl", buyer_mail as "buyerMail"
    from mail_brands where partner_id = :partnerId`,
});

export const upsertBrand = defineStatement({
  params: BRAND,
  text: `insert into mail_brands (partner_id, display_name, support_email, accent_color, logo_url, support_url,
      terms_url, buyer_mail)
    values (:partnerId, :displayName, :supportEmail, :accentColor, :logoUrl, :supportUrl, :termsUrl, :buyerMail)
    on conflict (partner_id) do update set display_name = excluded.display_name,
      support_email = excluded.support_email, accent_color = excluded.accent_color,
      logo_url = excluded.logo_url, support_url = excluded.support_url, terms_url = excluded.terms_url,
      buyer_mail = excluded.buyer_mail`,
});

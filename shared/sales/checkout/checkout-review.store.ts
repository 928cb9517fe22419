import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPage, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  nullable,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import { LIST_SORTS, type ListPage } from '../../platform/page.ts';
import { SESSION, SESSION_COLUMNS } from './checkout-session.store.ts';
import type { CheckoutSession } from './checkout-session.ts';

/** Matches sessions in review. Must be written exactly as in the index `checkout_sessions_in_review`. */
const IN_REVIEW = `s.status = 'open' and s.review_since is not null`;

/** Begins a review of an open session. The review, the session and its price lock all end at `endsAt`. */
export const updateReviewBegun = defineStatement({
  params: { id: text, reasons: arrayOf(text), endsAt: timestamptz, now: timestamptz },
  text: `update checkout_sessions set review_since = :now, review_reasons = :reasons, expires_at = :endsAt,
      price_locked_until = :endsAt, updated_at = :now
    where id = :id and status = 'open'`,
});

/** Approves a review that is open at `now`: clears its reasons and makes the session payable until `endsAt`. */
export const updateReviewCleared = defineStatement({
  params: { id: text, endsAt: timestamptz, now: timestamptz },
  text: `update checkout_sessions s set cleared_reasons = cleared_reasons || review_reasons, review_since = null,
      review_reasons = '{}', expires_at = :endsAt, price_locked_until = :endsAt, updated_at = :now
    where s.id = :id and ${IN_REVIEW} and s.expires_at > :now`,
});

/** Counts the purchases of a partner that are in review at `now`. */
export const countReviews = defineStatement({
  params: { partnerId: text, environment: textOf<Environment>(), now: timestamptz },
  row: { reviews: bigint },
  text: `select count(*) as reviews from checkout_sessions s
    where s.partner_id = :partnerId and s.environment = :environment and ${IN_REVIEW} and s.expires_at > :now`,
});

const REVIEW = { ...SESSION, reviewSince: present(timestamptz, 'the statement asks for it') };

/** Selects the sessions of all partners that are in review. */
export const selectInReview = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { environment: nullable(textOf<Environment>()), ...ID_PAGE },
    row: { ...REVIEW, partnerName: text },
    text: `select ${SESSION_COLUMNS}, p.name as "partnerName"
      from checkout_sessions s join partners p on p.id = s.partner_id
      where ${IN_REVIEW} and (:environment::text is null or s.environment = :environment)
        and ${idPageSql('s.id', sort)}`,
  }),
);

/** Selects one session in review. Returns no row for any other session. */
export const selectReview = defineStatement({
  params: { id: text },
  row: { ...REVIEW, partnerName: text },
  text: `select ${SESSION_COLUMNS}, p.name as "partnerName"
    from checkout_sessions s join partners p on p.id = s.partner_id
    where s.id = :id and ${IN_REVIEW}`,
});

/** Selects sessions whose review nobody decided in time, of all partners or of one partner's sandbox. */
export const selectReviewsOver = defineStatement({
  params: { sandboxOf: nullable(text), now: timestamptz, limit: bigint },
  row: { id: text },
  text: `select s.id from checkout_sessions s
    where ${IN_REVIEW} and s.expires_at <= :now
      and (:sandboxOf::text is null or (s.partner_id = :sandboxOf and s.environment = 'SANDBOX'))
    order by s.expires_at limit :limit`,
});

/** A session in review. */
export interface CheckoutReview extends CheckoutSession {
  reviewSince: Date;
  partnerName: string;
}

/** Reads a page of the sessions in review, of all partners, in one environment or both. */
export async function readInReview(
  sql: Sql,
  environment: Environment | null,
  page: ListPage,
): Promise<CheckoutReview[]> {
  const given = { environment, ...idPage('checkoutSession', page, page.limit) };
  return (await selectInReview[page.sort].all(sql, given)).map(toReview);
}

/** Reads one session in review. Returns undefined for any other session. */
export async function readReview(sql: Sql, id: string): Promise<CheckoutReview | undefined> {
  const row = await selectReview.first(sql, { id });
  return row && toReview(row);
}

function toReview({
  priceCents,
  currency,
  ...rest
}: RowOf<typeof REVIEW> & { partnerName: string }) {
  return { ...rest, price: new Money(priceCents, currency) };
}

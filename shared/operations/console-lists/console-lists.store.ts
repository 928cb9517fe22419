import type { BulkItemState, BulkJobStatus } from '../../domains/bulk/bulk-job.ts';
import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { PaymentStatus } from '../../money/payments/payment.ts';
import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { CommissionType } from '../../sales/referral/commission.ts';

// Lists that only the console has. Each reads a page by a unique index, whatever the length of its table.

const ENVIRONMENT = nullable(textOf<Environment>());
const IN_ENVIRONMENT = '(:environment::text is null or e.environment = :environment)';

export const LISTING_SORTS = ['a_to_z', 'z_to_a'] as const;

const LISTING = {
  id: bigint,
  environment: textOf<Environment>(),
  domain: text,
  domainUnicode: text,
  status: textOf<ListingStatus>(),
  priceCents: bigint,
  floorPriceCents: nullable(bigint),
  currency: text,
  category: nullable(text),
  listedAt: timestamptz,
  updatedAt: timestamptz,
};
export type ConsoleListing = RowOf<typeof LISTING>;

/** Listings by name, those that begin with a text: by `listings_environment_domain_key`. */
export const selectListings = variantsOf(LISTING_SORTS, (sort) =>
  defineStatement({
    params: {
      environment: textOf<Environment>(),
      status: nullable(textOf<ListingStatus>()),
      beginning: text,
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      after: nullable(text),
      limit: bigint,
    },
    row: LISTING,
    text: `select id, environment, domain, domain_unicode as "domainUnicode", status,
        price_cents as "priceCents", floor_price_cents as "floorPriceCents", currency, category,
        listed_at as "listedAt", updated_at as "updatedAt"
      from listings
      where environment = :environment and domain like :beginning
        and (:status::text is null or status = :status)
        and (:from::timestamptz is null or listed_at >= :from)
        and (:to::timestamptz is null or listed_at < :to)
        and (:after::text is null or domain ${sort === 'a_to_z' ? '>' : '<'} :after)
      order by domain ${sort === 'a_to_z' ? 'asc' : 'desc'} limit :limit`,
  }),
);

const OWNED_DOMAIN = {
  domain: text,
  domainUnicode: text,
  userId: text,
  email: text,
  locked: boolean,
  autoRenew: boolean,
  privacy: boolean,
  expiresAt: timestamptz,
};
export type ConsoleOwnedDomain = RowOf<typeof OWNED_DOMAIN>;

/** Owners' domains by name, those that begin with a text: by the primary key, or of one owner by its index. */
export const selectOwnedDomains = variantsOf(LISTING_SORTS, (sort) =>
  defineStatement({
    params: {
      userId: nullable(text),
      beginning: text,
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      after: nullable(text),
      limit: bigint,
    },
    row: OWNED_DOMAIN,
    text: `select d.domain, d.domain_unicode as "domainUnicode", d.user_id as "userId", u.email, d.locked,
        d.auto_renew as "autoRenew", d.privacy, d.expires_at as "expiresAt"
      from owned_domains d join users u on u.id = d.user_id
      where d.domain like :beginning and (:userId::text is null or d.user_id = :userId)
        and (:from::timestamptz is null or d.expires_at >= :from)
        and (:to::timestamptz is null or d.expires_at < :to)
        and (:after::text is null or d.domain ${sort === 'a_to_z' ? '>' : '<'} :after)
      order by d.domain ${sort === 'a_to_z' ? 'asc' : 'desc'} limit :limit`,
  }),
);

const BULK_JOB = {
  id: text,
  userId: text,
  email: text,
  op: text,
  dryRun: boolean,
  status: textOf<BulkJobStatus>(),
  total: integer,
  succeeded: integer,
  failed: integer,
  cancelled: integer,
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};
export type ConsoleBulkJob = RowOf<typeof BULK_JOB>;
const SELECT_BULK_JOB = `select e.id, e.user_id as "userId", u.email, e.op, e.dry_run as "dryRun", e.status,
  e.total, e.succeeded, e.failed, e.cancelled, e.created_at as "createdAt", e.finished_at as "finishedAt"
  from bulk_jobs e join users u on u.id = e.user_id`;

/** Bulk jobs of all owners. */
export const selectBulkJobs = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { status: nullable(textOf<BulkJobStatus>()), userId: nullable(text), ...ID_PAGE },
    row: BULK_JOB,
    text: `${SELECT_BULK_JOB}
      where (:status::text is null or e.status = :status)
        and (:userId::text is null or e.user_id = :userId) and ${idPageSql('e.id', sort)}`,
  }),
);

export const selectBulkJob = defineStatement({
  params: { id: text },
  row: BULK_JOB,
  text: `${SELECT_BULK_JOB} where e.id = :id`,
});

const BULK_ITEM = {
  position: integer,
  domain: text,
  state: textOf<BulkItemState>(),
  code: nullable(text),
  message: nullable(text),
};
export type ConsoleBulkItem = RowOf<typeof BULK_ITEM>;

/** The domains of a job, which has a thousand at most, by the primary key. */
export const selectBulkItems = defineStatement({
  params: { jobId: text, after: nullable(integer), limit: bigint },
  row: BULK_ITEM,
  text: `select position, domain, state, code, message from bulk_items
    where job_id = :jobId and (:after::integer is null or position > :after)
    order by position limit :limit`,
});

const PAYMENT = {
  id: text,
  partnerId: text,
  partnerName: text,
  environment: textOf<Environment>(),
  domain: text,
  provider: text,
  providerReference: nullable(text),
  status: textOf<PaymentStatus>(),
  declineCode: nullable(text),
  attempt: integer,
  amountCents: bigint,
  currency: text,
  orderId: nullable(text),
  createdAt: timestamptz,
};
export type ConsolePayment = RowOf<typeof PAYMENT>;

/** Payments of hosted checkout. */
export const selectPayments = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { status: nullable(textOf<PaymentStatus>()), environment: ENVIRONMENT, ...ID_PAGE },
    row: PAYMENT,
    text: `select e.id, e.partner_id as "partnerId", p.name as "partnerName", e.environment, s.domain,
        e.provider, e.provider_reference as "providerReference", e.status, e.decline_code as "declineCode",
        e.attempt, e.amount_cents as "amountCents", e.currency, e.order_id as "orderId",
        e.created_at as "createdAt"
      from payments e join partners p on p.id = e.partner_id
        join checkout_sessions s on s.id = e.checkout_session_id
      where (:status::text is null or e.status = :status) and ${IN_ENVIRONMENT} and ${idPageSql('e.id', sort)}`,
  }),
);

const REFERRED_SALE = {
  orderId: text,
  domain: text,
  partnerId: text,
  partnerName: text,
  environment: textOf<Environment>(),
  code: text,
  state: textOf<CommissionType>(),
  amountCents: bigint,
  commissionCents: bigint,
  currency: text,
  soldAt: timestamptz,
};
export type ConsoleReferredSale = RowOf<typeof REFERRED_SALE>;

/** Sales that came by a referral link. */
export const selectReferredSales = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { state: nullable(textOf<CommissionType>()), environment: ENVIRONMENT, ...ID_PAGE },
    row: REFERRED_SALE,
    text: `select e.order_id as "orderId", o.domain, e.partner_id as "partnerId", p.name as "partnerName",
        e.environment, l.code, e.state, e.amount_cents as "amountCents",
        e.commission_cents as "commissionCents", e.currency, e.sold_at as "soldAt"
      from referral_sales e join orders o on o.id = e.order_id join partners p on p.id = e.partner_id
        join referral_links l on l.id = e.link_id
      where (:state::text is null or e.state = :state) and ${IN_ENVIRONMENT} and ${idPageSql('e.order_id', sort)}`,
  }),
);

const REFERRAL_LINK = {
  id: text,
  partnerId: text,
  partnerName: text,
  environment: textOf<Environment>(),
  kind: text,
  target: nullable(text),
  label: nullable(text),
  code: text,
  commissionBps: integer,
  clicks: bigint,
  createdAt: timestamptz,
};
export type ConsoleReferralLink = RowOf<typeof REFERRAL_LINK>;

/** Referral links, each with its clicks by the primary key of their days. */
export const selectReferralLinks = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { environment: ENVIRONMENT, ...ID_PAGE },
    row: REFERRAL_LINK,
    text: `select e.id, e.partner_id as "partnerId", p.name as "partnerName", e.environment, e.kind,
        coalesce(e.domain, e.product) as target, e.label, e.code, e.commission_bps as "commissionBps",
        (select coalesce(sum(d.clicks), 0)::bigint from referral_daily d where d.link_id = e.id) as clicks,
        e.created_at as "createdAt"
      from referral_links e join partners p on p.id = e.partner_id
      where ${IN_ENVIRONMENT} and ${idPageSql('e.id', sort)}`,
  }),
);

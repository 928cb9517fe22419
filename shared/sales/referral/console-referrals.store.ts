import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { CommissionType } from './commission.ts';

// Lists for the console only. Each page is read by a unique index, whatever the size of the table.

const ENVIRONMENT = nullable(textOf<Environment>());
const IN_ENVIRONMENT = '(:environment::text is null or e.environment = :environment)';

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

/** Selects sales that came from referral links. */
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

/** Selects referral links with their clicks, which are summed by the primary key of the daily rows. */
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

import { Type } from 'typebox';
import { CURRENCY_CODE } from '../../shared/platform/json-schema.ts';
import { oneLineText } from '../../shared/platform/one-line.ts';
import { INTERVALS } from '../../shared/sales/referral/affiliate-report.ts';
import { COMMISSION_TYPES } from '../../shared/sales/referral/commission.ts';
import { LINK_KINDS } from '../../shared/sales/referral/referral-link.ts';
import { PAYOUT_STATUSES } from '../../shared/settlement/payouts/payout.ts';
import { enumList, Instant, nullable } from '../http/common-schemas.ts';
import { PageQuery, PeriodQuery } from '../http/pagination.ts';

const name = (description: string) => oneLineText({ minLength: 1, maxLength: 100, description });
const count = Type.Integer({ minimum: 0 });
const Currency = Type.String({
  pattern: CURRENCY_CODE,
  default: 'USD',
  description: 'ISO 4217: the currency of the amounts.',
});
const IntervalQuery = Type.Enum([...INTERVALS], {
  default: 'day',
  description: 'Weeks begin on Monday; days are UTC.',
});
export const LinkInput = Type.Object(
  {
    kind: Type.Enum([...LINK_KINDS]),
    domain: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'For the kind `domain`.' }),
    ),
    product: Type.Optional(name('For the kind `product`.')),
    label: Type.Optional(name('Your own name for the link.')),
    sub_id: Type.Optional(name('Your own name for where you put it.')),
  },
  {
    title: 'LinkInput',
    examples: [{ kind: 'domain', domain: 'neonwallet.com', label: 'Newsletter' }],
  },
);

const linkFields = {
  id: Type.String(),
  kind: Type.Enum([...LINK_KINDS]),
  domain: nullable(Type.String()),
  product: nullable(Type.String()),
  label: nullable(Type.String()),
  sub_id: nullable(Type.String()),
  code: Type.String(),
  url: Type.String({ format: 'uri' }),
  created_at: Instant,
};

export const LinkView = Type.Object(linkFields, { title: 'Link', description: 'A tracked link.' });

export const LinkListView = Type.Object(
  {
    links: Type.Array(
      Type.Object({
        ...linkFields,
        clicks: count,
        unique_clicks: count,
        conversions: count,
        gmv_cents: Type.Integer(),
        commission_cents: Type.Integer(),
        currency: Type.String(),
      }),
    ),
    next_cursor: nullable(Type.String()),
  },
  { title: 'LinkList', description: 'Tracked links with their results, newest first.' },
);

export const LinkListQuery = Type.Object({
  ...PageQuery,
  kind: Type.Optional(Type.Enum([...LINK_KINDS])),
  sub_id: Type.Optional(name('Links with this `sub_id` only.')),
  currency: Currency,
});

export const ClickQuery = Type.Object({ ...PeriodQuery, interval: IntervalQuery });

const clickCounts = { clicks: count, unique_clicks: count };

export const ClickReport = Type.Object(
  {
    from: nullable(Instant),
    to: nullable(Instant),
    interval: Type.Enum([...INTERVALS]),
    totals: Type.Object(clickCounts),
    series: Type.Array(Type.Object({ start: Type.String({ format: 'date' }), ...clickCounts })),
  },
  { title: 'ClickReport', description: 'Clicks, in total and over time.' },
);

export const SaleListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(COMMISSION_TYPES),
  link_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});

export const SaleListView = Type.Object(
  {
    sales: Type.Array(
      Type.Object({
        order_id: Type.String(),
        buyer: Type.String({ description: 'Masked unless the caller may see it.' }),
        domain: Type.String(),
        amount_cents: Type.Integer(),
        commission_cents: Type.Integer(),
        currency: Type.String(),
        link_id: Type.String(),
        sub_id: nullable(Type.String({ description: "The link's." })),
        status: Type.Enum([...COMMISSION_TYPES], { description: "The commission's." }),
        sold_at: Instant,
      }),
    ),
    next_cursor: nullable(Type.String()),
  },
  { title: 'ReferredSaleList', description: 'Sales from links, newest first.' },
);

export const CommissionListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  type: enumList(COMMISSION_TYPES),
});

export const CommissionListView = Type.Object(
  {
    commissions: Type.Array(
      Type.Object({
        id: Type.String(),
        type: Type.Enum([...COMMISSION_TYPES]),
        amount_cents: Type.Integer(),
        balance_cents: Type.Integer({
          description: 'The balance owed afterwards, in this currency.',
        }),
        currency: Type.String(),
        order_id: nullable(Type.String()),
        created_at: Instant,
      }),
    ),
    next_cursor: nullable(Type.String()),
  },
  { title: 'CommissionList', description: 'Every change to your commissions, newest first.' },
);

export const ReferralPayoutQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  currency: Currency,
});

export const ReferralPayoutView = Type.Object(
  {
    payouts: Type.Array(
      Type.Object({
        id: Type.String(),
        source: Type.Literal('referral'),
        amount_cents: Type.Integer({ minimum: 1 }),
        currency: Type.String(),
        status: Type.Enum([...PAYOUT_STATUSES]),
        reference: nullable(Type.String()),
        created_at: Instant,
        paid_at: nullable(Instant),
      }),
    ),
    total_paid_cents: Type.Integer(),
    currency: Type.String({ description: 'The currency of the total.' }),
    next_cursor: nullable(Type.String()),
  },
  { title: 'ReferralPayoutList', description: 'Payouts of commissions, newest first.' },
);

export const AnalyticsQuery = Type.Object({
  ...PeriodQuery,
  interval: IntervalQuery,
  currency: Currency,
});

const funnel = { ...clickCounts, checkouts: count, sales: count };

export const AnalyticsView = Type.Object(
  {
    from: Instant,
    to: Instant,
    funnel: Type.Object(funnel),
    conversion_rate: Type.Number({ description: 'Sales per click.' }),
    gmv_cents: Type.Integer(),
    commission_cents: Type.Integer(),
    currency: Type.String(),
    series: Type.Array(
      Type.Object({
        start: Type.String({ format: 'date' }),
        ...funnel,
        gmv_cents: Type.Integer(),
        commission_cents: Type.Integer(),
      }),
    ),
  },
  { title: 'Analytics', description: 'The funnel, in total and over time.' },
);

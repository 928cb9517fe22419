import { Type } from 'typebox';
import { CASE_STATUSES, CASE_TIERS } from '../../../shared/brokerage/case-states.ts';
import { MAX_PRICE_CENTS } from '../../../shared/platform/money.ts';
import { PageQuery, PeriodQuery } from '../../http/pagination.ts';
import { enumList, Instant, nullable } from '../../http/schema.ts';

const Domain = Type.String({ minLength: 1, maxLength: 512 });

export const EligibilityQuery = Type.Object({ domain: Domain });

export const EligibilityView = Type.Object(
  {
    domain: Type.String(),
    eligible: Type.Boolean(),
    reasons: Type.Array(
      Type.Enum(['active_site', 'open_case', 'listed', 'unregistered', 'unsupported_tld']),
    ),
  },
  { title: 'Eligibility', description: 'Whether the domain can be brokered.' },
);

export const CaseInput = Type.Object(
  {
    domain: Domain,
    tier: Type.Enum([...CASE_TIERS], {
      description:
        '`managed`: we speak with the buyer. `self_serve`: the buyer steers on the progress page.',
    }),
    buyer_email: Type.String({ format: 'email', maxLength: 254 }),
    budget: Type.Integer({
      minimum: 1,
      maximum: MAX_PRICE_CENTS,
      description: 'What the buyer is ready to pay, in minor units.',
    }),
    currency: Type.Optional(
      Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; USD when left out.' }),
    ),
  },
  {
    title: 'CaseInput',
    examples: [
      {
        domain: 'wanted.com',
        tier: 'self_serve',
        buyer_email: 'buyer@example.com',
        budget: 500_000,
        currency: 'USD',
      },
    ],
  },
);

export const OpenedCaseView = Type.Object(
  {
    case_id: Type.String(),
    domain: Type.String(),
    tier: Type.Enum([...CASE_TIERS]),
    status: Type.Enum([...CASE_STATUSES]),
    progress_url: Type.String({
      description: "The buyer's page; whoever has this address can act for the buyer.",
    }),
    created_at: Instant,
  },
  { title: 'OpenedCase', description: 'The case, and the page of its buyer.' },
);

const cents = nullable(Type.Integer());

const caseFields = {
  case_id: Type.String(),
  domain: Type.String(),
  tier: Type.Enum([...CASE_TIERS]),
  status: Type.Enum([...CASE_STATUSES]),
  budget_cents: Type.Integer(),
  latest_offer_cents: cents,
  deal_price_cents: cents,
  commission_cents: cents,
  currency: Type.String(),
  order_id: nullable(Type.String()),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  created_at: Instant,
  updated_at: Instant,
  closed_at: nullable(Instant),
};

export const CaseDetailView = Type.Object(
  {
    ...caseFields,
    buyer_email: Type.String(),
    progress_url: Type.String(),
    timeline: Type.Array(
      Type.Object({
        at: Instant,
        status: Type.Enum([...CASE_STATUSES]),
        event: Type.String({ description: '`open`, a move, or `raise_budget`.' }),
        by: Type.Enum(['partner', 'buyer', 'ops']),
        amount_cents: nullable(
          Type.Integer({ description: 'The budget, offer or price that the step is about.' }),
        ),
      }),
    ),
  },
  { title: 'CaseDetail', description: 'A brokerage case with its timeline.' },
);

export const CaseListView = Type.Object(
  {
    cases: Type.Array(Type.Object(caseFields)),
    next_cursor: nullable(Type.String()),
  },
  { title: 'CaseList', description: 'Brokerage cases, newest first.' },
);

export const CaseListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(CASE_STATUSES),
});

export const CaseParams = Type.Object({ case_id: Type.String({ minLength: 1, maxLength: 64 }) });

import { Type } from 'typebox';
import { parseDomain } from '../../shared/market/names/domain-name.ts';
import { INVALID_CURRENCY, isCurrency } from '../../shared/platform/currencies.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { CURRENCY_CODE } from '../../shared/platform/json-schema.ts';
import { MAX_PRICE_CENTS, Money } from '../../shared/platform/money.ts';
import {
  type BrokerageCase,
  CASE_STATUSES,
  CASE_TIERS,
  type CaseEntry,
  type CaseStatus,
} from '../../shared/sales/brokerage/brokerage-case.ts';
import { openCase } from '../../shared/sales/brokerage/case-lifecycle.ts';
import {
  checkEligibility,
  INELIGIBLE_REASONS,
} from '../../shared/sales/brokerage/check-eligibility.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { getCase, listCases } from '../../shared/sales/brokerage/read-cases.ts';
import { enumList, Instant, nullable, parseEnumList } from '../http/common-schemas.ts';
import { BY_TIME, PageQuery, PeriodQuery, parsePeriod } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { partnerRoute } from './partner-route.ts';

const Domain = Type.String({ minLength: 1, maxLength: 512 });

const EligibilityQuery = Type.Object({ domain: Domain });

const EligibilityView = Type.Object(
  {
    domain: Type.String(),
    eligible: Type.Boolean(),
    reasons: Type.Array(Type.Enum([...INELIGIBLE_REASONS])),
  },
  { title: 'Eligibility', description: 'Whether the domain can be brokered.' },
);

const CaseInput = Type.Object(
  {
    domain: Domain,
    tier: Type.Enum([...CASE_TIERS], {
      description:
        '`managed`: we talk to the buyer. `self_serve`: the buyer runs the case on the progress page.',
    }),
    buyer_email: Type.String({ format: 'email', maxLength: 254 }),
    budget: Type.Integer({
      minimum: 1,
      maximum: MAX_PRICE_CENTS,
      description: "The buyer's budget, in minor units.",
    }),
    currency: Type.Optional(
      Type.String({ pattern: CURRENCY_CODE, description: 'ISO 4217. Defaults to USD.' }),
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

const OpenedCaseView = Type.Object(
  {
    case_id: Type.String(),
    domain: Type.String(),
    tier: Type.Enum([...CASE_TIERS]),
    status: Type.Enum([...CASE_STATUSES]),
    progress_url: Type.String({
      description: "The buyer's page. Anyone with this address can act for the buyer.",
    }),
    created_at: Instant,
  },
  { title: 'OpenedCase', description: "The case and its buyer's page." },
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

const CaseDetailView = Type.Object(
  {
    ...caseFields,
    buyer_email: Type.String(),
    progress_url: Type.String(),
    timeline: Type.Array(
      Type.Object({
        at: Instant,
        status: Type.Enum([...CASE_STATUSES]),
        event: Type.String({
          description:
            '`open`, a move, or what the buyer did: `raise_budget`, `accept`, `counter`, `decline`.',
        }),
        by: Type.Enum(['partner', 'buyer', 'ops']),
        amount_cents: nullable(
          Type.Integer({ description: 'The budget, offer or price of this step.' }),
        ),
      }),
    ),
  },
  { title: 'CaseDetail', description: 'A brokerage case with its timeline.' },
);

const CaseListView = Type.Object(
  {
    cases: Type.Array(Type.Object(caseFields)),
    next_cursor: nullable(Type.String()),
  },
  { title: 'CaseList', description: 'Brokerage cases, newest first.' },
);

const CaseListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(CASE_STATUSES),
});

const CaseParams = Type.Object({ case_id: Type.String({ minLength: 1, maxLength: 64 }) });

/** `GET /brokerage/eligibility`: whether a domain can be brokered, or why not. */
const getEligibilityRoute = partnerRoute({
  method: 'GET',
  path: '/v1/brokerage/eligibility',
  operationId: 'getEligibility',
  summary: 'Check whether a domain can be brokered.',
  description:
    'A domain is not eligible if it is listed here, runs an active site, has an open case, is not registered, or is under an unsupported suffix.',
  scopes: ['broker'],
  limit: 'reads',
  query: EligibilityQuery,
  responses: { 200: EligibilityView },
  async handler(context, { caller, query }) {
    const domain = parseDomain(query.domain).ascii;
    const { eligible, reasons } = await checkEligibility(context, caller.environment, domain);
    return reply(200, { domain, eligible, reasons });
  },
});

/** `POST /brokerage`: opens a case; the response has the URL of the buyer's page. */
const openCaseRoute = partnerRoute({
  method: 'POST',
  path: '/v1/brokerage',
  operationId: 'openCase',
  summary: 'Open a brokerage case for a buyer.',
  description: 'The buyer follows the case at `progress_url`, without an account.',
  scopes: ['broker'],
  limit: 'write',
  body: CaseInput,
  responses: { 201: OpenedCaseView },
  errors: ['conflict', 'not_eligible'],
  async handler(context, { caller, body }) {
    const opened = await openCase(context, caller, {
      domain: parseDomain(body.domain).ascii,
      tier: body.tier,
      buyerEmail: body.buyer_email,
      budget: new Money(body.budget, currencyOf(body.currency)),
    });
    return reply(201, {
      case_id: opened.id,
      domain: opened.domain,
      tier: opened.tier,
      status: opened.status,
      progress_url: await progressUrl(context, opened.id),
      created_at: opened.createdAt.toISOString(),
    });
  },
});

/** The schema checks only the format; the currency must be one in which deals can be booked and paid out. */
function currencyOf(code = 'USD'): string {
  if (isCurrency(code)) return code;
  throw invalid([{ path: '/currency', message: INVALID_CURRENCY }]);
}

/** `GET /brokerage`: lists the partner's cases with their outcomes, newest first. */
const listCasesRoute = partnerRoute({
  method: 'GET',
  path: '/v1/brokerage',
  operationId: 'listCases',
  summary: 'List your brokerage cases and their outcomes, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: CaseListQuery,
  responses: { 200: CaseListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['brokerage', filters], BY_TIME);
    const before = await cursors.read(cursor);
    const { rows, next } = await listCases(context, caller, {
      ...parsePeriod(filters),
      statuses: parseEnumList<CaseStatus>('/status', filters.status, CASE_STATUSES),
      before,
      limit,
    });
    return reply(200, { cases: rows.map(caseView), next_cursor: await cursors.write(next) });
  },
});

/** `GET /brokerage/{case_id}`: one case with its timeline. */
const getCaseRoute = partnerRoute({
  method: 'GET',
  path: '/v1/brokerage/:case_id',
  operationId: 'getCase',
  summary: 'Read a brokerage case with its timeline.',
  scopes: ['broker'],
  limit: 'reads',
  params: CaseParams,
  responses: { 200: CaseDetailView },
  async handler(context, { caller, params }) {
    const detail = await getCase(context, caller, params.case_id);
    const progress_url = await progressUrl(context, detail.found.id);
    return reply(200, { ...caseDetailView(detail), progress_url });
  },
});

/** Eligibility comes first, because its path would match as a case id. */
export const brokerageRoutes = [
  getEligibilityRoute,
  openCaseRoute,
  listCasesRoute,
  getCaseRoute,
] as const;

/** Returns a case as its partner sees it. */
export function caseView(found: BrokerageCase) {
  return {
    case_id: found.id,
    domain: found.domain,
    tier: found.tier,
    status: found.status,
    budget_cents: found.budget.amount,
    latest_offer_cents: found.latestOffer?.amount ?? null,
    deal_price_cents: found.dealPrice?.amount ?? null,
    commission_cents: found.commission?.amount ?? null,
    currency: found.budget.currency,
    order_id: found.orderId,
    environment: found.environment,
    created_at: found.createdAt.toISOString(),
    updated_at: found.updatedAt.toISOString(),
    closed_at: found.closedAt?.toISOString() ?? null,
  };
}

/**
 * Like {@link caseView}, with the buyer and the timeline, but without the link to the buyer's page, whose holder can
 * act for the buyer.
 */
export function caseDetailView({
  found,
  timeline,
}: {
  found: BrokerageCase;
  timeline: readonly CaseEntry[];
}) {
  return {
    ...caseView(found),
    buyer_email: found.buyerEmail,
    timeline: timeline.map(({ at, status, event, by, amount }) => ({
      at: at.toISOString(),
      status,
      event,
      by,
      amount_cents: amount?.amount ?? null,
    })),
  };
}

import { Type } from 'typebox';
import { withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import {
  type BrokerageCase,
  CASE_STATUSES,
} from '../../../shared/sales/brokerage/brokerage-case.ts';
import { lockCaseById } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { getCaseById, listCasesForOps } from '../../../shared/sales/brokerage/read-cases.ts';
import { moveCaseAndPage } from '../../../shared/sales/checkout/case-session.ts';
import { caseDetailView, caseView } from '../../partner/brokerage-routes.ts';
import {
  amountField,
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  opsAction,
  route,
} from '../ops-action.ts';

const CaseField = Type.String({ description: 'Brokerage case ID (brk_...).' });

export const brokerageMove = opsAction({
  name: 'brokerage:move',
  summary: 'Update a brokerage case; COMPLETED records the deal as a paid order',
  input: Type.Object({
    case: CaseField,
    to: Type.Enum([...CASE_STATUSES], { description: 'The next status.' }),
    offer_cents: Type.Optional(amountField('The latest offer')),
    deal_price_cents: Type.Optional(amountField('The agreed price', 'Required for COMPLETED.')),
  }),
  async run(context, { case: caseId, to, offer_cents, deal_price_cents }) {
    const db = withAuditTrail(context, {
      actor: context.actor,
      action: 'brokerage:move',
      subject: caseId,
      snapshot: async (uow) => {
        const { status, latestOffer, dealPrice } = await lockCaseById(uow, caseId);
        return {
          status,
          latest_offer_cents: latestOffer?.amount ?? null,
          deal_price_cents: dealPrice?.amount ?? null,
        };
      },
    });
    const request = { caseId, to, by: 'ops' as const };
    const moved = await db.transact((uow) =>
      moveCaseAndPage(uow, context, {
        ...request,
        offerCents: offer_cents,
        dealPriceCents: deal_price_cents,
      }),
    );
    return opsCaseView(moved);
  },
});

const brokerageShow = opsAction({
  name: 'brokerage:show',
  summary: 'Show a brokerage case with its timeline',
  input: Type.Object({ case: CaseField }),
  async run(context, { case: caseId }) {
    const detail = await getCaseById(context, caseId);
    return { ...caseDetailView(detail), partner_id: detail.found.partnerId };
  },
});

const brokerageList = opsAction({
  name: 'brokerage:list',
  summary: 'List the open brokerage cases, or those in one status, oldest first',
  columns: ['case_id', 'domain', 'status'],
  input: Type.Object({
    status: Type.Optional(
      Type.Enum([...CASE_STATUSES], { description: 'Defaults to all open ones.' }),
    ),
    limit: limitField(),
  }),
  async run(context, { status, limit = DEFAULT_LIMIT }) {
    const filter = { status: status ?? null, environment: null };
    const page = firstPage('oldest' as const, limit);
    const { rows: cases } = await listCasesForOps(context, filter, page);
    return { cases: cases.map(opsCaseView) };
  },
});

/** Returns a case as its partner sees it, with the buyer and the partner. */
function opsCaseView(found: BrokerageCase) {
  return { ...caseView(found), buyer_email: found.buyerEmail, partner_id: found.partnerId };
}

export const brokerageRoutes = [
  route('GET', '/brokerage', 200, brokerageList, EVERYONE, HARMLESS),
  route('GET', '/brokerage/:case', 200, brokerageShow, EVERYONE, HARMLESS),
  route('POST', '/brokerage/:case/move', 200, brokerageMove, OPERATIONS, DANGEROUS),
];

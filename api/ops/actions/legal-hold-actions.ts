import { Type } from 'typebox';
import { liftLegalHold, placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import {
  LEGAL_HOLD_KINDS,
  type LegalHold,
  type LegalHoldKind,
} from '../../../shared/market/legal-holds/legal-hold.ts';
import { listLegalHolds } from '../../../shared/market/legal-holds/read-legal-holds.ts';
import { parseMarketDomain } from '../../../shared/market/names/domain-name.ts';
import { oneLineText } from '../../../shared/platform/one-line.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import {
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  opsAction,
  route,
} from '../ops-action.ts';

/** The name of each kind of legal hold. */
export const LEGAL_HOLD_NAMES: Readonly<Record<LegalHoldKind, string>> = {
  court_order: 'Court order',
  udrp: 'UDRP',
  urs: 'URS',
  law_enforcement: 'Law enforcement',
  sanctions: 'Sanctions list',
  other: 'Other',
};

export const legalHoldPlace = opsAction({
  name: 'legal-hold:place',
  summary: 'Place a legal hold on a LIVE domain, for example by court order',
  input: Type.Object({
    domain: Type.String({
      maxLength: 1_000,
      description: 'The domain, in Unicode or punycode. It need not be listed.',
    }),
    kind: Type.Enum([...LEGAL_HOLD_KINDS], { description: 'The kind of order.' }),
    case_reference: oneLineText({
      minLength: 1,
      maxLength: 200,
      description: 'The case reference of the court or provider. Partners and owners never see it.',
    }),
  }),
  async run(context, { domain, kind, case_reference: caseReference }) {
    const { ascii } = parseMarketDomain(domain);
    const order = { domain: ascii, kind, caseReference };
    return legalHoldView(await placeLegalHold(context, context.actor, order));
  },
});

export const legalHoldLift = opsAction({
  name: 'legal-hold:lift',
  summary: 'Lift a legal hold, as a different person than the one who placed it',
  input: Type.Object({
    hold: Type.String({ maxLength: 64, description: 'Legal hold ID (lgh_...).' }),
  }),
  async run(context, { hold: id }) {
    return legalHoldView(await liftLegalHold(context, context.actor, id));
  },
});

const legalHoldList = opsAction({
  name: 'legal-hold:list',
  summary: 'List the active legal holds',
  columns: ['id', 'domain', 'kind', 'case_reference', 'placed_at'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const standing = { standing: true, beginning: null };
    const { rows } = await listLegalHolds(context, standing, firstPage('newest' as const, limit));
    return { legal_holds: rows.map(legalHoldView) };
  },
});

function legalHoldView(hold: LegalHold) {
  return {
    id: hold.id,
    domain: hold.domain,
    kind: hold.kind,
    case_reference: hold.caseReference,
    placed_at: hold.placedAt,
    placed_by: hold.placedBy,
    lifted_at: hold.liftedAt,
    lifted_by: hold.liftedBy,
  };
}

export const legalHoldRoutes = [
  route('GET', '/legal-holds', 200, legalHoldList, EVERYONE, HARMLESS),
  route('POST', '/legal-holds', 201, legalHoldPlace, OPERATIONS, DANGEROUS),
  route('POST', '/legal-holds/:hold/lift', 200, legalHoldLift, OPERATIONS, DANGEROUS),
];

import { Type } from 'typebox';
import {
  confirmScreeningRelease,
  declineScreening,
  proposeScreeningRelease,
} from '../../../shared/operations/screening/decide-screening.ts';
import {
  HIT_LISTS,
  listHits,
  listScreeningLists,
  type ScreeningHit,
} from '../../../shared/people/screening/read-screening.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import { ANY_TEXT } from '../../http/validate.ts';
import {
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  opsAction,
  REFUNDS,
  route,
} from '../ops-action.ts';

const HitId = Type.String({ description: 'Screening hit ID (sch_...).' });
const Reason = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, ...ANY_TEXT, description });

const screeningLists = opsAction({
  name: 'screening:lists',
  summary: 'List the loaded sanctions lists and the results of screening with each',
  columns: ['list', 'version', 'entries', 'imported_at', 'rescreened_at', 'new_hits'],
  input: Type.Object({}),
  async run(context) {
    const lists = await listScreeningLists(context);
    return {
      lists: lists.map((each) => ({
        list: each.list,
        version: each.version,
        format: each.format,
        file: each.file,
        entries: each.entries,
        skipped: each.skipped,
        imported_by: each.importedBy,
        imported_at: each.importedAt,
        rescreened_at: each.rescreenedAt,
        rescreened_orders: each.rescreenedOrders,
        rescreened_registrants: each.rescreenedRegistrants,
        rescreened_payees: each.rescreenedPayees,
        new_hits: each.newHits,
      })),
    };
  },
});

const screeningHits = opsAction({
  name: 'screening:hits',
  summary: 'List the possible matches with sanctions lists, oldest first',
  columns: ['id', 'party', 'entry', 'list', 'score', 'status'],
  input: Type.Object({
    which: Type.Optional(Type.Enum([...HIT_LISTS], { description: 'Defaults to waiting.' })),
    limit: limitField(),
  }),
  async run(context, { which = 'waiting', limit = DEFAULT_LIMIT }) {
    const { rows } = await listHits(context, which, firstPage('oldest' as const, limit));
    return { hits: rows.map(hitView) };
  },
});

export const screeningRelease = opsAction({
  name: 'screening:release',
  summary: 'Propose to release a screening hit; a different person confirms it',
  input: Type.Object({ hit: HitId, reason: Reason('Why the party is not who the list means.') }),
  run: async (context, { hit: hitId, reason }) =>
    hitView(await proposeScreeningRelease(context, context.actor, { hitId, reason })),
});

export const screeningConfirmRelease = opsAction({
  name: 'screening:confirm-release',
  summary: 'Release a screening hit that a different person proposed to release',
  input: Type.Object({ hit: HitId }),
  run: async (context, { hit }) =>
    hitView(await confirmScreeningRelease(context, context.actor, hit)),
});

export const screeningDecline = opsAction({
  name: 'screening:decline',
  summary:
    'Decline a screening hit: the sale is canceled or refunded, payouts and delivered domains stay held',
  input: Type.Object({ hit: HitId, reason: Reason('Why the party may not be served or paid.') }),
  run: async (context, { hit: hitId, reason }) =>
    hitView(await declineScreening(context, context.actor, { hitId, reason })),
});

function hitView(hit: ScreeningHit) {
  return {
    id: hit.id,
    status: hit.status,
    partner_id: hit.partnerId,
    order_id: hit.orderId,
    checkout_session_id: hit.checkoutSessionId,
    registrant_change_id: hit.registrantChangeId,
    domain: hit.domain,
    role: hit.role,
    party: hit.partyName,
    party_country: hit.partyCountry,
    list: hit.list,
    entry_id: hit.entryId,
    entry: hit.entryName,
    matched_name: hit.matchedName,
    programme: hit.programme,
    score: hit.score,
    why: hit.why,
    reason: hit.reason,
    proposed_by: hit.proposedBy,
    decided_by: hit.decidedBy,
    created_at: hit.createdAt,
  };
}

export const screeningRoutes = [
  route('GET', '/screening/lists', 200, screeningLists, EVERYONE, HARMLESS),
  route('GET', '/screening/hits', 200, screeningHits, EVERYONE, HARMLESS),
  route('POST', '/screening/hits/:hit/release', 200, screeningRelease, REFUNDS, DANGEROUS),
  route(
    'POST',
    '/screening/hits/:hit/confirm-release',
    200,
    screeningConfirmRelease,
    REFUNDS,
    DANGEROUS,
  ),
  route('POST', '/screening/hits/:hit/decline', 200, screeningDecline, REFUNDS, DANGEROUS),
];

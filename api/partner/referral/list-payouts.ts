import { listCommissionPayouts } from '../../../shared/payouts/read-commission-payouts.ts';
import { cutPage, parsePeriod, parseTimeCursor, timeCursor } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { ReferralPayoutQuery, ReferralPayoutView } from './referral.schema.ts';
import { commissionPayoutView } from './referral.view.ts';

/** `GET /me/payouts`: what the affiliate was paid, newest first. */
export const listReferralPayoutsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/payouts',
  operationId: 'listReferralPayouts',
  summary: 'List the payouts of your commissions with the total paid, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: ReferralPayoutQuery,
  responses: { 200: ReferralPayoutView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const paging = { limit, filters: ['me/payouts', filters] };
    const position = await context.cursors.read(cursor, paging.filters);
    const { payouts, totalPaidCents } = await listCommissionPayouts(context, caller, {
      ...parsePeriod(filters),
      currency: filters.currency,
      before: parseTimeCursor(position),
      limit: limit + 1,
    });
    const { page, nextCursor } = await cutPage(context.cursors, payouts, paging, timeCursor);
    return reply(200, {
      payouts: page.map(commissionPayoutView),
      total_paid_cents: totalPaidCents,
      currency: filters.currency,
      next_cursor: nextCursor,
    });
  },
});

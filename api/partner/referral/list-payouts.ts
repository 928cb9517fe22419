import { listCommissionPayouts } from '../../../shared/payouts/read-commission-payouts.ts';
import { parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { ReferralPayoutQuery, ReferralPayoutView } from './referral.schema.ts';
import { commissionPayoutView } from './referral.view.ts';

/** `GET /me/payouts`: what the affiliate was paid, newest first. */
export const listReferralPayoutsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/payouts',
  summary: 'List the payouts of your commissions with the total paid, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: ReferralPayoutQuery,
  responses: { 200: ReferralPayoutView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const position = await context.cursors.read(cursor, ['me/payouts', filters]);
    const { payouts, totalPaidCents } = await listCommissionPayouts(context, caller, {
      ...parsePeriod(filters),
      currency: filters.currency,
      before: position && { createdAt: new Date(Number(position[0])), id: String(position[1]) },
      limit: limit + 1,
    });
    const page = payouts.slice(0, limit);
    const last = page.at(-1);
    const next =
      payouts.length > limit && last
        ? await context.cursors.write([last.createdAt.getTime(), last.id], ['me/payouts', filters])
        : null;
    return reply(200, {
      payouts: page.map(commissionPayoutView),
      total_paid_cents: totalPaidCents,
      currency: filters.currency,
      next_cursor: next,
    });
  },
});

import { PAYOUT_STATUSES, type PayoutStatus } from '../../../shared/payouts/payout-states.ts';
import { listPayouts, streamPayouts } from '../../../shared/payouts/read-payouts.ts';
import { csvOf, wantsCsv } from '../../http/csv.ts';
import { cutPage, parsePeriod, parseTimeCursor, timeCursor } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { parseEnumList } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { PayoutListQuery, PayoutListView } from './report.schema.ts';
import { PAYOUT_COLUMNS, payoutView } from './report.view.ts';

const PAYOUT_CSV_BATCH = 1_000;

/** `GET /payouts`: what was or will be paid to the partner, newest first. */
export const listPayoutsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/payouts',
  operationId: 'listPayouts',
  summary: 'List the payouts made to you, as JSON or CSV.',
  scopes: ['report'],
  limit: 'reporting',
  query: PayoutListQuery,
  responses: { 200: PayoutListView },
  alternative: 'text/csv',
  async handler(context, { caller, query, accept }) {
    const { limit, cursor, ...filters } = query;
    const paging = { limit, filters: ['payouts', filters] };
    const position = await context.cursors.read(cursor, paging.filters);
    const filter = {
      ...parsePeriod(filters),
      statuses: parseEnumList<PayoutStatus>('/status', filters.status, PAYOUT_STATUSES),
    };
    if (wantsCsv(accept)) {
      const all = { ...filter, before: null, limit: PAYOUT_CSV_BATCH };
      const chunks = csvOf(streamPayouts(context, caller, all), PAYOUT_COLUMNS, payoutView);
      return { status: 200, stream: { contentType: 'text/csv', chunks } };
    }
    const payouts = await listPayouts(context, caller, {
      ...filter,
      before: parseTimeCursor(position),
      limit: limit + 1,
    });
    const { page, nextCursor } = await cutPage(context.cursors, payouts, paging, timeCursor);
    return reply(200, { payouts: page.map(payoutView), next_cursor: nextCursor });
  },
});

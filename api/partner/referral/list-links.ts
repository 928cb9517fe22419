import { listLinks } from '../../../shared/referral/read-links.ts';
import { cutPage } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { LinkListQuery, LinkListView } from './referral.schema.ts';
import { linkStatsView } from './referral.view.ts';

/** `GET /links`: the affiliate's links with what came of each, newest first. */
export const listLinksRoute = partnerRoute({
  method: 'GET',
  path: '/v1/links',
  operationId: 'listLinks',
  summary: 'List your links with their clicks and sales, newest first.',
  scopes: ['refer'],
  limit: 'reporting',
  query: LinkListQuery,
  responses: { 200: LinkListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const paging = { limit, filters: ['links', filters] };
    const position = await context.cursors.read(cursor, paging.filters);
    const links = await listLinks(context, caller, {
      kind: filters.kind ?? null,
      subId: filters.sub_id ?? null,
      currency: filters.currency,
      before: position && String(position[0]),
      limit: limit + 1,
    });
    const { page, nextCursor } = await cutPage(context.cursors, links, paging, ({ id }) => [id]);
    const { baseUrl } = context.config;
    return reply(200, {
      links: page.map((link) => linkStatsView(baseUrl, filters.currency, link)),
      next_cursor: nextCursor,
    });
  },
});

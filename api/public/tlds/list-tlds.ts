import { listTlds } from '../../../shared/tlds/list-tlds.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { TldList } from './tlds.schema.ts';
import { tldMetadataView } from './tlds.view.ts';

/** `GET /tlds`: every TLD that is sold, in one list. */
export const listTldsRoute = publicRoute({
  method: 'GET',
  path: '/tlds',
  operationId: 'listTlds',
  summary: 'List the TLDs with their registration requirements.',
  limit: 'reads',
  responses: { 200: TldList },
  async handler(context) {
    const tlds = await listTlds(context);
    return reply(200, { tlds: tlds.map(tldMetadataView) });
  },
});

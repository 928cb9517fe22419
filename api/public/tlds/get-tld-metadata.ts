import { findTld } from '../../../shared/tlds/find-tld.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { TldMetadata, TldParams } from './tlds.schema.ts';
import { tldMetadataView } from './tlds.view.ts';

/** `GET /tlds/{tld}/metadata`: what a TLD asks of a registration; 404 unless it is sold. */
export const getTldMetadataRoute = publicRoute({
  method: 'GET',
  path: '/tlds/:tld/metadata',
  operationId: 'getTldMetadata',
  summary: 'Read the registration requirements of a TLD.',
  limit: 'reads',
  params: TldParams,
  responses: { 200: TldMetadata },
  async handler(context, { params }) {
    return reply(200, tldMetadataView(await findTld(context, params.tld, '/tld')));
  },
});

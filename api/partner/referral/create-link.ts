import { createLink } from '../../../shared/referral/create-link.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { LinkInput, LinkView } from './referral.schema.ts';
import { linkView } from './referral.view.ts';

/** `POST /links`: makes a tracked link. */
export const createLinkRoute = partnerRoute({
  method: 'POST',
  path: '/v1/links',
  operationId: 'createLink',
  summary: 'Make a tracked link.',
  scopes: ['refer'],
  limit: 'write',
  body: LinkInput,
  responses: { 201: LinkView },
  async handler(context, { caller, body }) {
    const { sub_id: subId, ...input } = body;
    const link = await createLink(context, caller, { ...input, subId });
    return reply(201, linkView(context.config.baseUrl, link));
  },
});

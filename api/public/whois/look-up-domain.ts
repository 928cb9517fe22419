import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { WhoisAnswer, WhoisQuestion } from './whois.schema.ts';
import { whoisView } from './whois.view.ts';

/** `POST /tools/whois`: what the registry tells of a domain; 404 when no registry serves its TLD. */
export const lookUpDomainRoute = publicRoute({
  method: 'POST',
  path: '/tools/whois',
  operationId: 'lookUpDomain',
  summary: 'Look a domain up at its registry: registrar, registrant, dates and nameservers.',
  limit: 'whois',
  body: WhoisQuestion,
  responses: { 200: WhoisAnswer },
  errors: ['not_found', 'service_unavailable'],
  async handler({ lookups }, { body }) {
    const { ascii } = parseDomain(body.domain);
    return reply(200, whoisView(await lookups.find(ascii)));
  },
});

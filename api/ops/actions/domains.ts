import { Type } from 'typebox';
import { grantDomains } from '../../../shared/owned-domains/grant-domains.ts';
import { opsAction } from '../action.ts';

/** How many domains one request can name; a file can name any number. */
const MAX_DOMAINS = 1_000;

export const DomainGrantInput = Type.Object({
  email: Type.String({ maxLength: 254, description: 'The e-mail address of the owner.' }),
  domain: Type.Array(Type.String({ maxLength: 1_000 }), {
    minItems: 1,
    maxItems: MAX_DOMAINS,
    description: 'The domains, commas between them; may be given several times.',
  }),
});

export const domainGrant = opsAction({
  name: 'domain:grant',
  summary: 'Make a user the owner of domains',
  input: DomainGrantInput,
  async run(context, { email, domain: domains }) {
    return { granted: await grantDomains(context, context.actor, { email, domains }) };
  },
});

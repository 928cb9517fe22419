import { type Static, Type } from 'typebox';
import type { LookupAnswer } from '../../shared/market/lookup/lookup.ts';
import { parseMarketDomain } from '../../shared/market/names/domain-name.ts';
import { Instant, nullable } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { publicRoute } from './public-route.ts';

const WhoisQuestion = Type.Object({
  domain: Type.String({
    maxLength: 1_024,
    description: 'A registrable domain, in Unicode or as A-labels.',
  }),
});

const MaybeText = nullable(Type.String());
const MaybeInstant = nullable(Instant);

export const WhoisAnswer = Type.Object({
  domain: Type.String({ description: 'In A-labels (Punycode), lower case.' }),
  registered: Type.Boolean({ description: 'If false, the fields below are null or empty.' }),
  source: Type.Enum(['rdap', 'whois'], {
    description: 'The protocol used to query the registry.',
  }),
  registrar: nullable(
    Type.Object({
      name: MaybeText,
      iana_id: nullable(Type.Integer({ description: "Number in IANA's list of registrars." })),
    }),
  ),
  registrant: nullable(
    Type.Object({
      name: MaybeText,
      organization: MaybeText,
      country: nullable(Type.String({ description: 'ISO 3166-1 alpha-2.' })),
    }),
  ),
  dates: Type.Object({ created: MaybeInstant, updated: MaybeInstant, expires: MaybeInstant }),
  nameservers: Type.Array(Type.String({ description: 'In A-labels (Punycode), lower case.' })),
  status: Type.Array(
    Type.String({ description: "In RDAP's wording, such as `client transfer prohibited`." }),
  ),
  dnssec: nullable(Type.Boolean({ description: 'Whether the delegation is signed.' })),
  fetched_at: Instant,
  cached: Type.Boolean({ description: 'Whether this answer was cached from an earlier request.' }),
});

/** `POST /tools/whois`: a domain's registry data; 404 if no registry serves the TLD, 502 with an unreadable answer. */
export const lookUpDomainRoute = publicRoute({
  method: 'POST',
  path: '/tools/whois',
  operationId: 'lookUpDomain',
  summary: 'Look up a domain at its registry: registrar, registrant, dates and nameservers.',
  limit: 'whois',
  body: WhoisQuestion,
  responses: { 200: WhoisAnswer },
  errors: ['not_found', 'unreadable_answer', 'service_unavailable'],
  async handler({ lookups }, { body }) {
    const { ascii } = parseMarketDomain(body.domain);
    return reply(200, whoisView(await lookups.find(ascii)));
  },
});

/** Returns a lookup answer as the public API shows it. */
function whoisView(answer: LookupAnswer): Static<typeof WhoisAnswer> {
  const { registrar, registrant, dates } = answer;
  const instant = (date: Date | null) => date?.toISOString() ?? null;
  return {
    domain: answer.domain,
    registered: answer.registered,
    source: answer.source,
    registrar: registrar && { name: registrar.name, iana_id: registrar.ianaId },
    registrant: registrant && {
      name: registrant.name,
      organization: registrant.organization,
      country: registrant.country,
    },
    dates: {
      created: instant(dates.created),
      updated: instant(dates.updated),
      expires: instant(dates.expires),
    },
    nameservers: [...answer.nameservers],
    status: [...answer.status],
    dnssec: answer.dnssec,
    fetched_at: answer.fetchedAt.toISOString(),
    cached: answer.cached,
  };
}

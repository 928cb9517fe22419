import { Type } from 'typebox';
import { Instant, nullable } from '../../http/schema.ts';

export const WhoisQuestion = Type.Object({
  domain: Type.String({
    maxLength: 1_024,
    description: 'A registrable domain, in Unicode or as A-labels.',
  }),
});

const MaybeText = nullable(Type.String());
const MaybeInstant = nullable(Instant);

export const WhoisAnswer = Type.Object({
  domain: Type.String({ description: 'A-labels, lower case.' }),
  registered: Type.Boolean({ description: 'When false, the fields below are null or empty.' }),
  source: Type.Enum(['rdap', 'whois'], {
    description: 'The protocol that the registry was asked by.',
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
  nameservers: Type.Array(Type.String({ description: 'A-labels, lower case.' })),
  status: Type.Array(
    Type.String({ description: 'In the words of RDAP: `client transfer prohibited`.' }),
  ),
  dnssec: nullable(Type.Boolean({ description: 'Whether the delegation is signed.' })),
  fetched_at: Instant,
  cached: Type.Boolean({ description: 'Whether the registry was asked for an earlier caller.' }),
});

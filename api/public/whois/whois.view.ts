import type { Static } from 'typebox';
import type { LookupAnswer } from '../../../shared/lookup/lookup.ts';
import type { WhoisAnswer } from './whois.schema.ts';

/** A lookup's answer, as the public API tells it. */
export function whoisView(answer: LookupAnswer): Static<typeof WhoisAnswer> {
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

import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import { type NameForm, type PartyKind, readName } from './name-form.ts';
import { queriesOf } from './name-keys.ts';
import { similarityOf } from './name-similarity.ts';
import { type Party, partyKey } from './party.ts';
import { insertHit, selectCandidates, selectIsHeld } from './screening.store.ts';

/** A match of a party with a list entry, for which the party is held. */
export interface Match {
  party: Party;
  list: string;
  entryId: string;
  entryDigest: string;
  entryKind: PartyKind;
  entryName: string;
  /** The entry's name that is similar. */
  matchedName: string;
  programme: string | null;
  /** 0 to 100. */
  score: number;
  why: string[];
}

/** The score from which a party is held. See docs/screening.md for what this misses. */
const THRESHOLD = 88;
/** The maximum number of matches per party. More would not help people decide. */
const MOST_MATCHES = 10;

/** Points for other facts about a party and an entry. */
const SAME_COUNTRY = 2;
const OTHER_COUNTRY = -2;
const SAME_BIRTH = 4;
const OTHER_BIRTH = -15;

/**
 * Returns the list entries that these parties may match, most similar first, without entries that were released for
 * the party. Uses one statement for all parties.
 */
export async function screenParties(sql: Sql, parties: readonly Party[]): Promise<Match[]> {
  const readings = parties.map((party) => ({ party, key: partyKey(party), forms: formsOf(party) }));
  const asked = readings.flatMap(({ key, forms }) =>
    [...new Set(forms.flatMap(queriesOf))].map((query) => ({ query, key })),
  );
  if (asked.length === 0) return [];
  const candidates = await selectCandidates.all(sql, {
    queries: asked.map(({ query }) => query),
    partyKeys: asked.map(({ key }) => key),
  });
  return readings.flatMap(({ party, key, forms }) => {
    const best = new Map<string, Match>();
    for (const candidate of candidates) {
      if (candidate.partyKey !== key) continue;
      const match = compare(party, forms, candidate);
      const entry = `${candidate.list} ${candidate.entryId}`;
      if (match && match.score > (best.get(entry)?.score ?? 0)) best.set(entry, match);
    }
    return [...best.values()].sort((one, other) => other.score - one.score).slice(0, MOST_MATCHES);
  });
}

/** The forms of a party's name. Without a kind, it may be the name of a person or a company. */
function formsOf({ name, kind }: Party): NameForm[] {
  const kinds: PartyKind[] = kind === null ? ['person', 'entity'] : [kind];
  return kinds.map((each) => readName(name, each)).filter(({ tokens }) => tokens.length > 0);
}

type Candidate = Awaited<ReturnType<typeof selectCandidates.all>>[number];

function compare(party: Party, forms: readonly NameForm[], entry: Candidate): Match | undefined {
  const listed = readName(entry.name, entry.kind);
  const alike = forms
    .filter(({ kind }) => kind === entry.kind)
    .map((form) => similarityOf(listed, form));
  const name = Math.round(100 * Math.max(0, ...alike));
  if (name < THRESHOLD - SAME_COUNTRY - SAME_BIRTH) return undefined;
  const same = forms.some(({ folded }) => folded === listed.folded);
  const why = [same ? 'same_name' : 'similar_name'];
  if (entry.name !== entry.entryName) why.push('alias');
  const points = [countryPoints(party, entry, why), birthPoints(party, entry, why)];
  const score = Math.min(
    100,
    Math.max(
      0,
      points.reduce((sum, each) => sum + each, name),
    ),
  );
  if (score < THRESHOLD) return undefined;
  return {
    party,
    list: entry.list,
    entryId: entry.entryId,
    entryDigest: entry.digest,
    entryKind: entry.kind,
    entryName: entry.entryName,
    matchedName: entry.name,
    programme: entry.programme,
    score,
    why,
  };
}

function countryPoints({ country }: Party, { countries }: Candidate, why: string[]): number {
  if (country === null || countries.length === 0) return 0;
  const same = countries.includes(country);
  why.push(same ? 'same_country' : 'other_country');
  return same ? SAME_COUNTRY : OTHER_COUNTRY;
}

/** Points for the birth year. Years that differ by one count as the same, since lists are often unsure. */
function birthPoints({ birthDate }: Party, { birthDates }: Candidate, why: string[]): number {
  if (birthDate === null || birthDates.length === 0) return 0;
  const year = (date: string) => Number(date.slice(0, 4));
  const same = birthDates.some((date) => Math.abs(year(date) - year(birthDate)) <= 1);
  why.push(same ? 'same_birth_year' : 'other_birth_year');
  return same ? SAME_BIRTH : OTHER_BIRTH;
}

/**
 * What a match holds: an order, a purchase before its payment, a registrant change, a registrant's domain, or else the
 * payouts of a partner.
 */
export interface Held {
  partnerId: string | null;
  orderId?: string | null;
  checkoutSessionId?: string | null;
  registrantChangeId?: string | null;
  domainRegistrantId?: string | null;
}

/** Records matches for people to decide, and returns how many are new. */
export async function recordHits(
  uow: UnitOfWork,
  {
    partnerId,
    orderId = null,
    checkoutSessionId = null,
    registrantChangeId = null,
    domainRegistrantId = null,
  }: Held,
  matches: readonly Match[],
): Promise<number> {
  let recorded = 0;
  for (const { party, ...match } of matches) {
    recorded += await insertHit.run(uow.sql, {
      ...match,
      id: newId('screeningHit', uow.realNow),
      partnerId,
      orderId,
      checkoutSessionId,
      registrantChangeId,
      domainRegistrantId,
      role: party.role,
      partyKey: partyKey(party),
      partyName: party.name,
      partyCountry: party.country,
      createdAt: uow.realNow,
    });
  }
  return recorded;
}

/** Returns whether a subject is held, because not all of its matches are released. */
export async function isHeld(
  sql: Sql,
  { partnerId, orderId, checkoutSessionId, registrantChangeId, domainRegistrantId }: Held,
): Promise<boolean> {
  const subject =
    orderId ?? checkoutSessionId ?? registrantChangeId ?? domainRegistrantId ?? partnerId;
  if (subject === null) throw new Error('a match that holds nothing');
  return (await selectIsHeld.one(sql, { subject })).held;
}

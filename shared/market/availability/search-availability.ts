import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { invalid, ServiceError } from '../../platform/errors.ts';
import type { Cents } from '../../platform/money.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { findOnMarket, type MarketListing } from '../inventory/market-listings.ts';
import type { Lookups, Registration } from '../lookup/lookup.ts';
import {
  type DomainName,
  isPublicSuffix,
  parseDomainOf,
  parseDomainToList,
  parseTld,
} from '../names/domain-name.ts';
import { hasEmoji } from '../names/emoji-label.ts';
import { searchListings } from '../search/search-listings.ts';
import type { Tld } from '../tlds/tld.ts';
import { emojiTldsOf, type TldCatalogue } from '../tlds/tld-catalogue.ts';

/** The owner's terms for a name that is on sale. */
type Offer = Pick<MarketListing, 'priceCents' | 'currency' | 'offersAccepted'>;

/** What we know about a name. */
export interface FoundDomain {
  /** A-labels. */
  domain: string;
  tld: string;
  status: Registration | 'for_sale';
  /** What it costs to register, in US cents for `years`; null where it cannot be registered here. */
  registration: { priceCents: Cents; years: number } | null;
  /** Null unless the name is for sale. */
  offer: Offer | null;
}

/** One part of the answer. Each part resolves on its own. */
export interface AvailabilityBatch {
  /** The position of the batch's first domain among all results. */
  position: number;
  domains: Promise<readonly FoundDomain[]>;
}

export interface AvailabilitySearch {
  /** The query, trimmed. */
  query: string;
  /** The label that all names share, as A-label. */
  label: string;
  /** The requested domain, its siblings in order, then other domains for sale, without duplicates. */
  answers: readonly AvailabilityBatch[];
}

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  lookups: Lookups;
  tlds: TldCatalogue;
  metrics: Metrics;
}

/**
 * Returns the availability of the domain in `q`, of the same label under `tlds` (or the configured ones), and of
 * domains on the LIVE market that match the words of `q`. One SQL statement finds the listings of all names. Only names
 * that are not for sale cause registry lookups, all in parallel, each within the configured time. A second statement
 * searches the market.
 * @throws validation_error (`/q`, `/tlds/<n>`)
 */
export async function searchAvailability(
  deps: Deps,
  input: { q: string; tlds?: readonly string[] | undefined; hidePrices: boolean },
): Promise<AvailabilitySearch> {
  const chosen = input.tlds && readSuffixes(input.tlds);
  const catalogue = await deps.tlds.read();
  const asked = parseSearchInput(input.q, {
    chosen,
    usual: deps.config.domainSearchTlds,
    emoji: emojiTldsOf(catalogue.values()),
  });
  const [first, ...siblings] = asked.names;
  // Without explicit `tlds`, show a sibling only if it can be registered, or bought because it has emoji.
  const isTold = (name: DomainName) =>
    chosen || hasEmoji(name.unicode) || fits(name, catalogue.get(name.tld));
  const names = [first, ...siblings.filter(isTold)].filter((name) => name !== undefined);

  const listed = await findOnMarket(
    deps,
    names.map(({ ascii }) => ascii),
  );
  const offers = new Map(listed.map((listing) => [listing.domain, listing]));
  const found = async (name: DomainName): Promise<FoundDomain[]> => {
    const offer = offers.get(name.ascii);
    if (offer) return [forSale(offer)];
    const status = await deps.lookups.registration(name.ascii, deps.config.domainSearchBudgetMs);
    const registration = status === 'registered' ? null : priceOf(name, catalogue.get(name.tld));
    return [{ domain: name.ascii, tld: name.tld, status, registration, offer: null }];
  };
  const answers: AvailabilityBatch[] = names.map((name, position) => ({
    position,
    domains: found(name),
  }));
  const known = new Set(names.map(({ ascii }) => ascii));
  answers.push({ position: names.length, domains: othersForSale(deps, input, chosen, known) });
  return { query: input.q.trim(), label: asked.label, answers };
}

/** Returns the market search results for the query, best first. */
async function othersForSale(
  deps: Deps,
  { q: query, hidePrices }: { q: string; hidePrices: boolean },
  tlds: string[] | undefined,
  known: ReadonlySet<string>,
): Promise<FoundDomain[]> {
  const results = await searchListings(deps, { environment: 'LIVE', query, tlds, hidePrices });
  return results.filter(({ domain }) => !known.has(domain)).map(forSale);
}

function forSale(offer: Offer & { domain: string; tld: string }): FoundDomain {
  const { domain, tld } = offer;
  return { domain, tld, status: 'for_sale', registration: null, offer };
}

function priceOf(name: DomainName, tld: Tld | undefined): FoundDomain['registration'] {
  const priceCents = tld?.priceCents.register ?? null;
  if (!tld || priceCents === null || !fits(name, tld) || hasEmoji(name.unicode)) return null;
  return { priceCents, years: tld.minYears };
}

/** Whether the rules of a TLD, as far as they are known, allow the label. */
function fits({ sld }: DomainName, tld: Tld | undefined): boolean {
  if (!tld) return true;
  const { label, idn } = tld.rules;
  if (sld.startsWith('xn--') && !idn.supported) return false;
  return sld.length >= label.min_length && sld.length <= label.max_length;
}

/** The names in a search, the requested one first, without duplicates. */
export interface SearchInputNames {
  /** The label the names share, as an A-label. */
  label: string;
  names: readonly DomainName[];
}

/** The suffixes (A-labels) to search under. */
export interface SearchSuffixes {
  /** The suffixes the caller named; undefined to use the usual ones. */
  chosen: readonly string[] | undefined;
  usual: readonly string[];
  /** The suffixes whose registries accept emoji, the default for emoji domains. */
  emoji: ReadonlySet<string>;
}

/** What people paste into a search box around a host name: scheme, port, path. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const AFTER_HOST = /(?::\d+)?(?:[/?#].*)?$/su;
const DOT = /[.\u3002\uff0e\uff61]/u;
const FINAL_DOT = /[.\u3002\uff0e\uff61]$/u;

/**
 * Parses the text of a search box. A domain, in any spelling, stands for itself or for the registrable domain it
 * belongs to. A label is tried under the first suffix that can have it. Spaces are removed: `neon wallet` is
 * `neonwallet`. The siblings follow: the same label under the other suffixes.
 * @throws validation_error (`/q`) saying what is wrong
 */
export function parseSearchInput(q: string, suffixes: SearchSuffixes): SearchInputNames {
  const text = hostOf(q.trim()).replace(/\s+/gu, '').replace(FINAL_DOT, '');
  if (text === '') {
    throw invalid([
      { path: '/q', message: 'must be a name, such as neonwallet or neonwallet.com' },
    ]);
  }
  const { emoji } = suffixes;
  const asked = DOT.test(text)
    ? parseDomainOf(text, '/q', emoji)
    : parseDomainToList(`${text}.${firstFor(text, suffixes)}`, '/q', emoji);
  const names = new Map([[asked.ascii, asked]]);
  for (const suffix of suffixesFor(asked.unicode, suffixes)) {
    const sibling = nameOrNone(`${asked.sld}.${suffix}`, emoji);
    if (sibling && !names.has(sibling.ascii)) names.set(sibling.ascii, sibling);
  }
  return { label: asked.sld, names: [...names.values()] };
}

function suffixesFor(name: string, { chosen, usual, emoji }: SearchSuffixes): readonly string[] {
  return chosen ?? (hasEmoji(name) ? [...emoji].sort() : usual);
}

function firstFor(label: string, suffixes: SearchSuffixes): string {
  const all = suffixesFor(label, suffixes);
  const canHave = (suffix: string) => !hasEmoji(label) || suffixes.emoji.has(suffix);
  return all.find(canHave) ?? all[0] ?? 'com';
}

/** Returns the host of a pasted address. Text that is not an address, such as `24/7 plumbing`, stays whole. */
function hostOf(text: string): string {
  const bare = text.replace(SCHEME, '');
  const host = bare.replace(AFTER_HOST, '');
  return bare !== text || DOT.test(host) ? host : bare;
}

/** Returns undefined for an invalid name: `co` under `uk`, or a label of digits under a right-to-left suffix. */
function nameOrNone(text: string, emojiTlds: ReadonlySet<string>): DomainName | undefined {
  try {
    return parseDomainToList(text, '/q', emojiTlds);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Parses the suffixes a caller named into A-labels. @throws validation_error (`/tlds/<n>`) */
function readSuffixes(texts: readonly string[]): string[] {
  const read = texts.map((text) => parseTld(text));
  const faults = read.flatMap((tld, at) =>
    tld !== undefined && isPublicSuffix(tld)
      ? []
      : [{ path: `/tlds/${at}`, message: 'must be a public suffix, such as com or co.uk' }],
  );
  if (faults.length > 0) throw invalid(faults);
  return read.filter((tld) => tld !== undefined);
}

import type { Environment } from '../../platform/config/config.ts';
import { INVALID_CURRENCY, isCurrency } from '../../platform/currencies.ts';
import { conflict, type FieldError, fail, invalid, ServiceError } from '../../platform/errors.ts';
import {
  type Cents,
  formatMoney,
  MAX_PRICE_CENTS,
  Money,
  moneyOrNull,
} from '../../platform/money.ts';
import { onLegalHold } from '../legal-holds/legal-hold.ts';
import { type DomainName, parseDomainToList } from '../names/domain-name.ts';
import { unsaleableSuffix } from '../names/unsaleable-suffix.ts';
import { SANDBOX_PREMIUM, sandboxOutcome } from './sandbox-names.ts';

/** What is stored. "held" is not: an open quote holds a listing, see {@link ListingWithHold}. */
export type ListingStatus = 'listed' | 'sold' | 'delisted';

/** A domain of the inventory of one environment. */
export interface Listing {
  id: number;
  environment: Environment;
  /** A-labels, lower case, no trailing dot. */
  domain: string;
  domainUnicode: string;
  /** The label before the public suffix, as A-label. */
  sld: string;
  /** The public suffix, such as `com` or `co.uk`. */
  tld: string;
  status: ListingStatus;
  /** Kept off the market by order of a court or the like. */
  legalHold: boolean;
  price: Money;
  /** The lowest offer worth making; in the currency of the price. */
  floorPrice: Money | null;
  offersAccepted: boolean;
  category: string | null;
  description: string | null;
  keywords: string[];
  listedAt: Date;
  updatedAt: Date;
  registration: ListingRegistration;
}

/** What its registry said of a listed domain; nothing, where no registry was asked. */
export interface ListingRegistration {
  /** The account that holds it there. */
  registrar: string | null;
  /** As the registry names them (RFC 5731). */
  statuses: readonly string[];
  /** False when its statuses keep it from being delivered. */
  transferable: boolean;
  /** Until when it is too new, or was transferred too recently, to be delivered. */
  lockedUntil: Date | null;
  /** The same by other rules, and from when on they are in force; null when none are known to come. */
  later: { from: Date; lockedUntil: Date | null } | null;
  /** What it costs there as a premium name; null for another one. */
  premium: PremiumTerms | null;
}

/** What a registry asks for a premium name. What it does not say is null. */
export interface PremiumTerms {
  /** The registry's name for such prices. */
  class: string | null;
  /** For a year. */
  renewalFee: Money | null;
}

/** The same, as it is kept. */
export interface PremiumRow {
  class: string | null;
  renewal_cents: Cents | null;
  currency: string | null;
}

/** What a registry asks for a premium name, as it was kept. */
export function premiumTermsIn(row: PremiumRow | null): PremiumTerms | null {
  return (
    row && {
      class: row.class,
      renewalFee: moneyOrNull(row.renewal_cents, row.currency ?? ''),
    }
  );
}

/** What its registry asks for a listed name; null unless it is premium. Names of the sandbox are so by their beginning. */
export function premiumTermsOf({
  environment,
  domain,
  registration,
}: Pick<Listing, 'environment' | 'domain'> & {
  registration: Pick<ListingRegistration, 'premium'>;
}): PremiumTerms | null {
  if (environment === 'LIVE') return registration.premium;
  if (sandboxOutcome(environment, domain) !== 'premium') return null;
  return { class: SANDBOX_PREMIUM.class, renewalFee: SANDBOX_PREMIUM.year };
}

/** @throws conflict (premium_price) unless the seller says what the registry asks for a premium name a year */
export function assertPremiumKnown(
  listing: Pick<Listing, 'environment' | 'domain' | 'registration'>,
  saidCents: Cents | null,
): void {
  const fee = premiumTermsOf(listing)?.renewalFee;
  if (!fee || fee.amount === saidCents) return;
  throw fail('conflict', {
    message: `${listing.domain} is a premium domain: its registry asks ${formatMoney(fee)} a year. Tell your buyer, and send premium_renewal_fee_cents ${fee.amount}.`,
    details: { reason: 'premium_price', renewal_fee_cents: fee.amount, currency: fee.currency },
  });
}

/** A listing and who holds it: the partner with an open quote, or the checkout session of a buyer who is paying. */
export interface ListingWithHold extends Listing {
  heldBy: string | null;
  /** False where it was sold without having been on the market: its price is nobody else's business. */
  wasOffered: boolean;
}

/** What a buyer asks first: whether it is to be had, and for how much. */
export type ListingTerms = Pick<
  ListingWithHold,
  'domain' | 'status' | 'price' | 'floorPrice' | 'heldBy'
> & { registration: Pick<ListingRegistration, 'transferable' | 'lockedUntil' | 'later'> };

/** Whether `partnerId` may buy it now: it is listed, nobody else holds it, and it can be delivered. */
export function isAvailableTo(listing: ListingTerms, partnerId: string, now: Date): boolean {
  return (
    listing.status === 'listed' &&
    (listing.heldBy === null || listing.heldBy === partnerId) &&
    isTransferable(listing, now)
  );
}

/** Until when a domain is locked against transfers, by the rules of `now`; null when it is not. */
export function lockedUntilOf(
  { registration }: Pick<ListingTerms, 'registration'>,
  now: Date,
): Date | null {
  const { later } = registration;
  const { lockedUntil } = later && later.from <= now ? later : registration;
  return lockedUntil && lockedUntil > now ? lockedUntil : null;
}

/** Whether its registry lets a domain be delivered at `now`. */
export function isTransferable(listing: Pick<ListingTerms, 'registration'>, now: Date): boolean {
  return listing.registration.transferable && lockedUntilOf(listing, now) === null;
}

/** @throws conflict (transfer_locked) when the domain could not be delivered */
export function assertTransferable(
  listing: Pick<Listing, 'domain' | 'registration'>,
  now: Date,
): void {
  if (isTransferable(listing, now)) return;
  const lockedUntil = lockedUntilOf(listing, now);
  const until = lockedUntil ? ` until ${lockedUntil.toISOString()}` : '';
  throw conflict(
    'transfer_locked',
    `${listing.domain} is locked against transfers${until}, so it cannot be sold now.`,
  );
}

/** @throws conflict (legal_hold) when it must neither be sold nor changed */
export function assertNoLegalHold(
  listing: Pick<Listing, 'domain' | 'legalHold'> | undefined,
): void {
  if (listing?.legalHold) throw onLegalHold(listing.domain);
}

/**
 * Whether it can be sold to a buyer who holds it, or to one who does not. A hold (a quote, a payment under
 * way) is a promise that taking the domain off the market does not break; a legal hold breaks it.
 */
export function isForSale(
  { status, legalHold }: Pick<Listing, 'status' | 'legalHold'>,
  { held }: { held: boolean },
): boolean {
  return !legalHold && (status === 'listed' || (held && status === 'delisted'));
}

/** The status that partners see: a held listing is still listed, but shown as held. */
export function visibleStatus(listing: ListingWithHold): ListingStatus | 'held' {
  return listing.status === 'listed' && listing.heldBy !== null ? 'held' : listing.status;
}

/** What an owner says of a domain that is to be listed; amounts in minor units. */
export interface ListingInput {
  domain: string;
  priceCents: Cents;
  floorPriceCents?: Cents | null | undefined;
  /** ISO 4217; USD when left out. */
  currency?: string | undefined;
  /** What a file says that is neither yes nor no stays text, and is refused. */
  offersAccepted?: boolean | string | undefined;
  category?: string | null | undefined;
  description?: string | null | undefined;
  keywords?: readonly string[] | undefined;
}

/** The same, checked and complete. */
export interface ListingDraft {
  name: DomainName;
  price: Money;
  floorPrice: Money | null;
  offersAccepted: boolean;
  category: string | null;
  description: string | null;
  keywords: string[];
}

const MAX_CATEGORY = 100;
const MAX_DESCRIPTION = 2_000;
const MAX_KEYWORDS = 30;
const MAX_KEYWORD = 60;

/**
 * Checks everything and reports every fault at once.
 * @param emojiTlds where emoji domains can be listed, see `listEmojiTlds`
 * @throws validation_error
 */
export function draftListing(
  environment: Environment,
  input: ListingInput,
  emojiTlds: ReadonlySet<string>,
): ListingDraft {
  const faults: FieldError[] = [];
  const name = readName(environment, input.domain, emojiTlds, faults);
  const floorPriceCents = input.floorPriceCents ?? null;
  const currency = input.currency ?? 'USD';
  const category = readText('/category', input.category, MAX_CATEGORY, faults);
  const description = readText('/description', input.description, MAX_DESCRIPTION, faults);
  const keywords = readKeywords(input.keywords ?? [], faults);

  const { offersAccepted = false } = input;
  if (typeof offersAccepted === 'string') {
    faults.push({ path: '/offers_accepted', message: 'must be true or false' });
  }
  checkAmount('/price_cents', input.priceCents, faults);
  if (floorPriceCents !== null) {
    checkAmount('/floor_price_cents', floorPriceCents, faults);
    if (floorPriceCents > input.priceCents) {
      faults.push({ path: '/floor_price_cents', message: 'must not be above price_cents' });
    }
  }
  if (!isCurrency(currency)) faults.push({ path: '/currency', message: INVALID_CURRENCY });
  if (faults.length > 0 || name === undefined) throw invalid(faults);
  return {
    name,
    price: new Money(input.priceCents, currency),
    floorPrice: moneyOrNull(floorPriceCents, currency),
    offersAccepted: offersAccepted === true,
    category,
    description,
    keywords,
  };
}

/** @throws validation_error unless it is a price: whole minor units, at least 1 */
export function requirePrice(path: string, amount: Cents): void {
  const faults: FieldError[] = [];
  checkAmount(path, amount, faults);
  if (faults.length > 0) throw invalid(faults);
}

function checkAmount(path: string, amount: unknown, faults: FieldError[]): void {
  if (!Number.isSafeInteger(amount) || Number(amount) < 1 || Number(amount) > MAX_PRICE_CENTS) {
    faults.push({ path, message: `must be a whole number from 1 to ${MAX_PRICE_CENTS}` });
  }
}

function readName(
  environment: Environment,
  domain: string,
  emojiTlds: ReadonlySet<string>,
  faults: FieldError[],
): DomainName | undefined {
  try {
    const name = parseDomainToList(domain, '/domain', emojiTlds);
    const message = unsaleableSuffix(environment, name.ascii);
    if (message) faults.push({ path: '/domain', message });
    return name;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    faults.push(...(error.details as FieldError[]));
    return undefined;
  }
}

function readText(
  path: string,
  text: string | null | undefined,
  max: number,
  faults: FieldError[],
): string | null {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return null;
  if (trimmed.length > max) faults.push({ path, message: `must be at most ${max} characters` });
  // Line breaks and tabs are text; a NUL or half a surrogate pair can't be stored.
  if (/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(trimmed)) {
    faults.push({ path, message: 'must not contain control characters' });
  }
  return trimmed;
}

function readKeywords(keywords: readonly string[], faults: FieldError[]): string[] {
  const read = keywords
    .map((keyword, at) => readText(`/keywords/${at}`, keyword, MAX_KEYWORD, faults))
    .filter((keyword) => keyword !== null);
  const distinct = [...new Set(read)];
  if (distinct.length > MAX_KEYWORDS) {
    faults.push({ path: '/keywords', message: `must be at most ${MAX_KEYWORDS}` });
  }
  return distinct;
}

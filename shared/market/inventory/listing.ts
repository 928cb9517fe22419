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

/** The stored status. "held" is not stored: an open quote holds a listing, see {@link ListingWithHold}. */
export type ListingStatus = 'listed' | 'sold' | 'delisted';

/** A domain in the inventory of one environment. */
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
  /** Kept off the market by a court order or similar. */
  legalHold: boolean;
  price: Money;
  /** The lowest offer worth making, in the currency of the price. */
  floorPrice: Money | null;
  offersAccepted: boolean;
  category: string | null;
  description: string | null;
  keywords: string[];
  listedAt: Date;
  updatedAt: Date;
  /** Which sale of the domain this is, or will be: 1, and one more each time a buyer puts it up for sale again. */
  saleNumber: number;
  /** When the buyer of the sale before this one put it up for sale again; null during the first. */
  reopenedAt: Date | null;
  registration: ListingRegistration;
}

/** What the registry says about a listed domain; empty if no registry was asked. */
export interface ListingRegistration {
  /** The registrar's account at the registry. */
  registrar: string | null;
  /** EPP statuses as the registry spells them (RFC 5731). */
  statuses: readonly string[];
  /** False if its EPP statuses prevent a transfer. */
  transferable: boolean;
  /** When a lock after a recent creation or transfer ends. */
  lockedUntil: Date | null;
  /** The lock under a later transfer policy, and when that policy takes effect; null if no change is known. */
  later: { from: Date; lockedUntil: Date | null } | null;
  /** The registry's premium terms; null if the name is not premium. */
  premium: PremiumTerms | null;
}

/** The registry's terms for a premium name. Fields the registry does not report are null. */
export interface PremiumTerms {
  /** The registry's name for the price class. */
  class: string | null;
  /** Per year. */
  renewalFee: Money | null;
}

/** {@link PremiumTerms} as stored. */
export interface PremiumRow {
  class: string | null;
  renewal_cents: Cents | null;
  currency: string | null;
}

/** Returns the registry's premium terms from a stored row. */
export function premiumTermsIn(row: PremiumRow | null): PremiumTerms | null {
  return (
    row && {
      class: row.class,
      renewalFee: moneyOrNull(row.renewal_cents, row.currency ?? ''),
    }
  );
}

/** Returns the registry's terms for a premium name; null if it is not. In the sandbox, the prefix decides. */
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

/** @throws conflict (premium_price) unless `saidCents` is the premium name's yearly fee at the registry */
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

/** A listing and its holder: the partner with an open quote, or the checkout session of a buyer who is paying. */
export interface ListingWithHold extends Listing {
  heldBy: string | null;
  /** False if it was sold without ever being on the market: its price is then private. */
  wasOffered: boolean;
}

/** What a buyer needs first: whether the domain is available, and its price. */
export type ListingTerms = Pick<
  ListingWithHold,
  'domain' | 'status' | 'price' | 'floorPrice' | 'heldBy'
> & { registration: Pick<ListingRegistration, 'transferable' | 'lockedUntil' | 'later'> };

/** Returns whether `partnerId` can buy the domain now: it is listed, nobody else holds it, and it is transferable. */
export function isAvailableTo(listing: ListingTerms, partnerId: string, now: Date): boolean {
  return (
    listing.status === 'listed' &&
    (listing.heldBy === null || listing.heldBy === partnerId) &&
    isTransferable(listing, now)
  );
}

/** Returns when the transfer lock ends under the policy in force at `now`; null if the domain is not locked. */
export function lockedUntilOf(
  { registration }: Pick<ListingTerms, 'registration'>,
  now: Date,
): Date | null {
  const { later } = registration;
  const { lockedUntil } = later && later.from <= now ? later : registration;
  return lockedUntil && lockedUntil > now ? lockedUntil : null;
}

/** Returns whether the registry allows a transfer of the domain at `now`. */
export function isTransferable(listing: Pick<ListingTerms, 'registration'>, now: Date): boolean {
  return listing.registration.transferable && lockedUntilOf(listing, now) === null;
}

/** @throws conflict (transfer_locked) if the domain can't be transferred */
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

/** @throws conflict (legal_hold) if the domain is on legal hold */
export function assertNoLegalHold(
  listing: Pick<Listing, 'domain' | 'legalHold'> | undefined,
): void {
  if (listing?.legalHold) throw onLegalHold(listing.domain);
}

/**
 * Returns whether a domain can be sold, to a buyer who holds it or to one who does not. A hold (a quote or a pending
 * payment) outlasts delisting; a legal hold overrides it.
 */
export function isForSale(
  { status, legalHold }: Pick<Listing, 'status' | 'legalHold'>,
  { held }: { held: boolean },
): boolean {
  return !legalHold && (status === 'listed' || (held && status === 'delisted'));
}

/** Returns whether something that was made of a listing belongs to an earlier sale, of an owner who sold the domain. */
export function isOfEarlierSale(
  { reopenedAt }: Pick<Listing, 'reopenedAt'>,
  { createdAt }: { createdAt: Date },
): boolean {
  return reopenedAt !== null && createdAt < reopenedAt;
}

/** Returns the status that partners see: a listed domain that somebody holds is shown as held. */
export function visibleStatus(listing: ListingWithHold): ListingStatus | 'held' {
  return listing.status === 'listed' && listing.heldBy !== null ? 'held' : listing.status;
}

/** An owner's input for a domain to list; amounts in minor units. An undefined term is left out, null is empty. */
export interface ListingInput {
  domain: string;
  priceCents: Cents;
  floorPriceCents?: Cents | null | undefined;
  /** ISO 4217; defaults to USD. */
  currency?: string | undefined;
  /** A value from a file that is neither yes nor no stays text and is rejected. */
  offersAccepted?: boolean | string | undefined;
  category?: string | null | undefined;
  description?: string | null | undefined;
  keywords?: readonly string[] | undefined;
}

/** {@link ListingInput}, validated and complete. */
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
 * Validates the input and reports all errors at once.
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

/**
 * Returns the draft of an input, with the terms that it leaves out as they are in `known`. A kept floor is lowered to the
 * price, and dropped if the price has another currency now.
 */
export function keepTerms(draft: ListingDraft, input: ListingInput, known: Listing): ListingDraft {
  const currency = input.currency ?? known.price.currency;
  const price = new Money(draft.price.amount, currency);
  const keptFloor =
    known.floorPrice?.currency === currency
      ? Math.min(known.floorPrice.amount, price.amount)
      : null;
  const floorCents =
    input.floorPriceCents === undefined ? keptFloor : (draft.floorPrice?.amount ?? null);
  return {
    name: draft.name,
    price,
    floorPrice: moneyOrNull(floorCents, currency),
    offersAccepted:
      input.offersAccepted === undefined ? known.offersAccepted : draft.offersAccepted,
    category: input.category === undefined ? known.category : draft.category,
    description: input.description === undefined ? known.description : draft.description,
    keywords: input.keywords === undefined ? known.keywords : draft.keywords,
  };
}

/** Returns whether a listing is on the market with exactly these terms. */
export function hasTerms(listing: Listing, draft: ListingDraft): boolean {
  const terms = ({ price, floorPrice, offersAccepted, category, description, keywords }: Terms) =>
    JSON.stringify([price, floorPrice, offersAccepted, category, description, keywords]);
  return listing.status === 'listed' && terms(listing) === terms(draft);
}

type Terms = Omit<ListingDraft, 'name'>;

/** @throws validation_error unless the amount is a price: whole minor units, at least 1 */
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
  // Line breaks and tabs are allowed; a NUL or half a surrogate pair can't be stored.
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

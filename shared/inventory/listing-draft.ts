import { type FieldError, invalid, ServiceError } from '../platform/errors.ts';
import {
  type Cents,
  INVALID_CURRENCY,
  isCurrency,
  MAX_PRICE_CENTS,
  Money,
  moneyOrNull,
} from '../platform/money.ts';
import { type DomainName, parseDomain } from './domain-name.ts';

/** What an owner says of a domain that is to be listed; amounts in minor units. */
export interface ListingInput {
  domain: string;
  priceCents: Cents;
  floorPriceCents?: Cents | null | undefined;
  /** ISO 4217; USD when left out. */
  currency?: string | undefined;
  offersAccepted?: boolean | undefined;
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

/** Checks everything and reports every fault at once. @throws validation_error */
export function draftListing(input: ListingInput): ListingDraft {
  const faults: FieldError[] = [];
  const name = readName(input.domain, faults);
  const floorPriceCents = input.floorPriceCents ?? null;
  const currency = input.currency ?? 'USD';
  const category = readText('/category', input.category, MAX_CATEGORY, faults);
  const description = readText('/description', input.description, MAX_DESCRIPTION, faults);
  const keywords = readKeywords(input.keywords ?? [], faults);

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
    offersAccepted: input.offersAccepted ?? false,
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

function readName(domain: string, faults: FieldError[]): DomainName | undefined {
  try {
    return parseDomain(domain, '/domain');
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

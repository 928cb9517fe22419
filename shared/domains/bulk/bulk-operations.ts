import { toASCII } from 'tr46';
import { type Static, type TObject, Type } from 'typebox';
import {
  delistDomains,
  putOnMarket,
  repriceDomains,
} from '../../market/inventory/change-listings.ts';
import type { Listing } from '../../market/inventory/listing.ts';
import { parseDomain } from '../../market/names/domain-name.ts';
import { unsaleableSuffix } from '../../market/names/unsaleable-suffix.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { dayOf } from '../../platform/clock.ts';
import { INVALID_CURRENCY, isCurrency } from '../../platform/currencies.ts';
import { type FieldError, invalid } from '../../platform/errors.ts';
import { CURRENCY_CODE } from '../../platform/json-schema.ts';
import {
  type Cents as CentsAmount,
  formatMoneyWithCode,
  MAX_PRICE_CENTS,
  Money,
  moneyOrNull,
} from '../../platform/money.ts';
import { oneLineText } from '../../platform/one-line.ts';
import { setTags } from '../owned-domains/manage-owned-domains.ts';
import {
  canonicalTag,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  type OwnedListing,
} from '../owned-domains/owned-domain.ts';
import {
  expiryAfter,
  MAX_RENEW_YEARS,
  renewalFault,
  renewalPrice,
} from '../owned-domains/renewal-terms.ts';
import {
  canonicalSigner,
  MAX_SIGNERS,
  SignerFields,
  toDsData,
} from '../registrar/delegation-signers.ts';
import type { DomainChange } from '../registrar/registrar.ts';
import type { BulkItem, Refusal } from './bulk-job.ts';

export const MAX_BULK_DOMAINS = 1_000;

/** The data that checks of a chunk's domains need. */
export interface CheckContext {
  /** The caller's domains, by name. */
  owned: ReadonlyMap<string, OwnedDomain>;
  /** The rules of the TLDs, by name; empty for operations that do not depend on them. */
  tlds: ReadonlyMap<string, Tld>;
  now: Date;
}

/** A domain that an operation may be done to, with the rules of its TLD when the operation asks for them. */
interface Around {
  owned: OwnedDomain;
  tld: Tld | undefined;
  now: Date;
}

/** The definition of an operation; an incomplete one does not compile. */
interface BulkOperation<P> {
  params: TObject;
  /** The params as they are stored with the job; adds faults that a schema cannot express. */
  canonical(params: P, faults: FieldError[]): P;
  /** Whether the operation depends on the TLD's rules. */
  asksTld: boolean;
  /** Why a domain cannot be changed. The same in a real run and a dry run. */
  refusal(params: P, around: Around): Refusal | undefined;
  /** What it would do to a domain that it can be done to, for a dry run. */
  preview(params: P, owned: OwnedDomain): string;
  /** The cost for a domain: undefined when free, null when unknown. */
  cost(params: P, tld: Tld | undefined): Money | null | undefined;
  execution: AtRegistrar<P> | OnMarket<P>;
}

interface AtRegistrar<P> {
  by: 'registrar';
  change(params: P): DomainChange;
}

/** An operation on our own data only, in one transaction. */
interface OnMarket<P> {
  by: 'market';
  /** Does it to domains that are checked, and locked with their listings. */
  apply(
    uow: UnitOfWork,
    params: P,
    domains: readonly OwnedDomain[],
    listings: ReadonlyMap<string, Listing>,
  ): Promise<unknown>;
  /** What it did: the price that a domain has now, with the currency; null where there is nothing to tell. */
  result(params: P, owned: OwnedDomain): string | null;
}

type WithParams<T extends TObject> = Omit<BulkOperation<Static<T>>, 'params'> & { params: T };

function defineOperation<T extends TObject>(operation: WithParams<T>): WithParams<T> {
  return operation;
}

const Cents = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_PRICE_CENTS, description });
const Currency = (description: string) =>
  Type.String({ pattern: CURRENCY_CODE, description: `ISO 4217. ${description}` });
const ToggleParams = Type.Object(
  { enabled: Type.Boolean({ description: 'On or off; on already is no error.' }) },
  { title: 'BulkSwitchParams', description: 'For `lock`, `auto_renew` and `privacy`.' },
);
const Tags = (description: string) =>
  Type.Optional(
    Type.Array(oneLineText({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
      maxItems: MAX_TAGS,
      description,
    }),
  );

const asItIs = <P>(params: P): P => params;
const NO_REFUSAL = () => undefined;
const FREE = () => undefined;
const NOTHING_TO_TELL = () => null;

/** Switches something of a domain on or off at the registrar. */
function toggle(
  kind: 'lock' | 'auto_renew' | 'privacy',
  what: string,
  stateOf: (owned: OwnedDomain) => boolean,
  rules: Pick<BulkOperation<{ enabled: boolean }>, 'asksTld' | 'refusal'> = {
    asksTld: false,
    refusal: NO_REFUSAL,
  },
) {
  return defineOperation({
    params: ToggleParams,
    canonical: asItIs,
    ...rules,
    preview: ({ enabled }, owned) => switching(what, stateOf(owned), enabled),
    cost: FREE,
    execution: { by: 'registrar', change: ({ enabled }) => ({ kind, enabled }) },
  });
}

/** Every bulk operation. */
export const BULK_OPERATIONS = {
  nameservers: defineOperation({
    params: Type.Object(
      {
        nameservers: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          minItems: 2,
          maxItems: 13,
          description: 'Host names; they replace the present ones.',
        }),
      },
      { title: 'BulkNameserversParams' },
    ),
    canonical({ nameservers: texts }, faults) {
      const nameservers = texts.map((text, at) => {
        const path = `/params/nameservers/${at}`;
        const host = readHost(text);
        if (!host) faults.push({ path, message: 'must be a host name such as ns1.example.net' });
        return host ?? '';
      });
      if (new Set(nameservers).size < nameservers.length) {
        faults.push({ path: '/params/nameservers', message: 'must not name a host twice' });
      }
      return { nameservers };
    },
    asksTld: true,
    refusal({ nameservers }, { owned, tld }) {
      const max = tld?.rules.nameservers.max ?? nameservers.length;
      return nameservers.length > max
        ? malformed(`.${owned.tld} takes ${max} nameservers at most.`)
        : undefined;
    },
    preview: ({ nameservers }) => `Would set the nameservers ${nameservers.join(', ')}.`,
    cost: FREE,
    execution: {
      by: 'registrar',
      change: ({ nameservers }) => ({ kind: 'nameservers', nameservers }),
    },
  }),
  dnssec: defineOperation({
    params: Type.Object(
      {
        signers: Type.Array(SignerFields, {
          maxItems: MAX_SIGNERS,
          description: 'They replace the present ones; none turns DNSSEC off.',
        }),
      },
      { title: 'BulkDnssecParams' },
    ),
    canonical({ signers: given }, faults) {
      const at = (index: number) => `/params/signers/${index}`;
      const signers = given.map((each, index) => canonicalSigner(each, at(index), faults));
      if (new Set(signers.map((each) => JSON.stringify(each))).size < signers.length) {
        faults.push({ path: '/params/signers', message: 'must not name a DS record twice' });
      }
      return { signers };
    },
    asksTld: true,
    refusal: ({ signers }, { owned, tld }) =>
      signers.length > 0 && tld?.rules.dnssec === false
        ? malformed(`.${owned.tld} has no DNSSEC.`)
        : undefined,
    preview: ({ signers }) =>
      signers.length === 0 ? 'Would turn DNSSEC off.' : `Would set ${dsRecords(signers.length)}.`,
    cost: FREE,
    execution: {
      by: 'registrar',
      change: ({ signers }) => ({ kind: 'signers', signers: signers.map(toDsData) }),
    },
  }),
  lock: toggle('lock', 'the transfer lock', ({ locked }) => locked, {
    asksTld: true,
    refusal: (_params, { owned, tld }) =>
      tld?.rules.transfer.lock_supported === false
        ? malformed(`.${owned.tld} has no transfer lock.`)
        : undefined,
  }),
  auto_renew: toggle('auto_renew', 'automatic renewal', ({ autoRenew }) => autoRenew),
  privacy: toggle('privacy', 'WHOIS privacy', ({ privacy }) => privacy),
  renew: defineOperation({
    params: Type.Object(
      {
        years: Type.Integer({
          minimum: 1,
          maximum: MAX_RENEW_YEARS,
          description: 'Years to add; the rules of the TLD apply.',
        }),
      },
      { title: 'BulkRenewParams' },
    ),
    canonical: asItIs,
    asksTld: true,
    refusal({ years }, { owned, tld, now }) {
      if (owned.isBought) {
        return conflicting(
          `You pay for its renewal: see the price and renew it at /account/domains/${owned.domain}/renew.`,
        );
      }
      const fault = renewalFault(years, { ...owned, rules: tld, now });
      return fault === undefined ? undefined : malformed(fault);
    },
    preview: ({ years }, { expiresAt }) =>
      `Would expire ${dayOf(expiryAfter(expiresAt, years))} instead of ${dayOf(expiresAt)}.`,
    cost: ({ years }, tld) => renewalPrice(years, tld),
    execution: { by: 'registrar', change: ({ years }) => ({ kind: 'renew', years }) },
  }),
  list: defineOperation({
    params: Type.Object(
      {
        price_cents: Cents('Buy-now price, in minor units of the currency.'),
        floor_price_cents: Type.Optional(Cents('Lowest offer worth making.')),
        currency: Type.Optional(Currency('USD when left out.')),
        offers_accepted: Type.Optional(Type.Boolean({ description: 'Offers are welcome.' })),
      },
      { title: 'BulkListParams' },
    ),
    canonical(params, faults) {
      const { price_cents: price, floor_price_cents: floor, currency = 'USD' } = params;
      checkCurrency(currency, faults);
      if (floor !== undefined && floor > price) {
        const message = 'must not be above price_cents';
        faults.push({ path: '/params/floor_price_cents', message });
      }
      return { ...params, currency };
    },
    asksTld: false,
    refusal(_params, { owned: { domain, leaving } }) {
      if (leaving) return conflicting('Its authorization code is out. Take the code back first.');
      const reason = unsaleableSuffix(OWNERS_ENVIRONMENT, domain);
      return reason ? malformed(`It ${reason}.`) : undefined;
    },
    preview(params, { listing }) {
      const price = formatMoneyWithCode(listPrices(params).price);
      return listing?.status === 'listed'
        ? `Would stay on the market, for ${price}.`
        : `Would go on the market for ${price}.`;
    },
    cost: FREE,
    execution: {
      by: 'market',
      apply: (uow, params, domains, listings) => {
        const { price, floorPrice } = listPrices(params);
        const drafts = domains.map(({ domain }) => {
          const before = listings.get(domain);
          return {
            name: parseDomain(domain),
            price,
            floorPrice,
            offersAccepted: params.offers_accepted ?? before?.offersAccepted ?? false,
            // Keeps the description of an earlier listing.
            category: before?.category ?? null,
            description: before?.description ?? null,
            keywords: before?.keywords ?? [],
          };
        });
        return putOnMarket(uow, OWNERS_ENVIRONMENT, drafts);
      },
      result: (params) => `For sale at ${formatMoneyWithCode(listPrices(params).price)}.`,
    },
  }),
  unlist: defineOperation({
    params: Type.Object({}, { title: 'BulkUnlistParams' }),
    canonical: asItIs,
    asksTld: false,
    refusal: (_params, { owned }) => (owned.listing ? undefined : NOT_ON_THE_MARKET),
    preview: (_params, { listing }) =>
      listing?.status === 'listed'
        ? 'Would go off the market.'
        : 'Nothing would change: it is off the market.',
    cost: FREE,
    execution: {
      by: 'market',
      apply: (uow, _params, domains, listings) =>
        delistDomains(uow, OWNERS_ENVIRONMENT, listingIdsOf(domains, listings)),
      result: NOTHING_TO_TELL,
    },
  }),
  price: defineOperation({
    params: Type.Object(
      {
        price_cents: Cents(
          'The new buy-now price, in minor units of the currency it is listed in.',
        ),
        currency: Type.Optional(
          Currency('When it is given, domains that are listed in another one are refused.'),
        ),
      },
      { title: 'BulkPriceParams' },
    ),
    canonical(params, faults) {
      if (params.currency !== undefined) checkCurrency(params.currency, faults);
      return params;
    },
    asksTld: false,
    refusal(params, { owned: { listing } }) {
      if (!listing) return NOT_ON_THE_MARKET;
      if (listing.status !== 'listed') {
        return conflicting('It is off the market: only a listed domain has a price.');
      }
      const { currency } = listing.price;
      return (params.currency ?? currency) === currency
        ? undefined
        : conflicting(`It is listed in ${currency}. List it anew to change its currency.`);
    },
    preview: ({ price_cents }, { listing }) =>
      listing
        ? `Would cost ${formatMoneyWithCode(newPrice(price_cents, listing))} instead of ${formatMoneyWithCode(listing.price)}.`
        : 'Nothing would change: it is off the market.',
    cost: FREE,
    execution: {
      by: 'market',
      apply: (uow, { price_cents }, domains, listings) =>
        repriceDomains(uow, listingIdsOf(domains, listings), price_cents),
      result: ({ price_cents }, { listing }) =>
        listing ? `For sale at ${formatMoneyWithCode(newPrice(price_cents, listing))}.` : null,
    },
  }),
  tags: defineOperation({
    params: Type.Object(
      { add: Tags('Tags to add; case does not count.'), remove: Tags('Tags to take away.') },
      { title: 'BulkTagsParams' },
    ),
    canonical(params, faults) {
      const add = (params.add ?? []).map(canonicalTag);
      const remove = (params.remove ?? []).map(canonicalTag);
      if (add.length + remove.length === 0) {
        faults.push({ path: '/params', message: 'must have a tag in add or remove' });
      }
      if ([...add, ...remove].some((tag) => tag === '' || /\p{Cc}/u.test(tag))) {
        faults.push({ path: '/params', message: 'must have tags of visible characters' });
      }
      return { add, remove };
    },
    asksTld: false,
    refusal: (params, { owned }) =>
      tagsAfter(params, owned).length > MAX_TAGS
        ? malformed(`A domain has ${MAX_TAGS} tags at most.`)
        : undefined,
    preview: (params, owned) =>
      `Would have the tags: ${tagsAfter(params, owned).join(', ') || 'none'}.`,
    cost: FREE,
    execution: {
      by: 'market',
      apply: (uow, params, domains) =>
        setTags(
          uow,
          domains.map((owned) => ({ domain: owned.domain, tags: tagsAfter(params, owned) })),
        ),
      result: NOTHING_TO_TELL,
    },
  }),
} as const;

export type BulkOp = keyof typeof BULK_OPERATIONS;
export const BULK_OPS = Object.keys(BULK_OPERATIONS) as readonly BulkOp[];

export function isBulkOp(name: string): name is BulkOp {
  return Object.hasOwn(BULK_OPERATIONS, name);
}

/** One operation with its parameters, as they are stored with the job. */
export type BulkAction = {
  [Op in BulkOp]: { op: Op; params: Static<(typeof BULK_OPERATIONS)[Op]['params']> };
}[BulkOp];

/** The operation of an action, which takes the params of that action and no others. */
function operationOf({ op }: BulkAction): BulkOperation<BulkAction['params']> {
  return BULK_OPERATIONS[op] as BulkOperation<BulkAction['params']>;
}

/**
 * An action in the form in which it is stored: host names as A-labels, tags in lower case, without the fields that
 * the operation does not know. Its params must have passed their schema.
 * @throws validation_error for what a schema can't say
 */
export function canonicalAction(action: BulkAction): BulkAction {
  const operation = operationOf(action);
  const known = Object.keys(operation.params.properties);
  const fields = Object.entries(action.params).filter(([name]) => known.includes(name));
  const faults: FieldError[] = [];
  const params = operation.canonical(Object.fromEntries(fields), faults);
  if (faults.length > 0) throw invalid(faults);
  return { op: action.op, params } as BulkAction;
}

/** Whether the rules of the TLDs have a say in an action. */
export function asksTld(action: BulkAction): boolean {
  return operationOf(action).asksTld;
}

/** Either the domain to work on, or why not. */
export type Checked = { owned: OwnedDomain } | { refusal: Refusal };

/** Whether an action can be done to a domain of a job. The same for real and for a dry run. */
export function checkItem(action: BulkAction, item: BulkItem, around: CheckContext): Checked {
  if (item.code !== null) return { refusal: { code: item.code, message: item.message ?? '' } };
  const owned = around.owned.get(item.domain);
  if (!owned) {
    return { refusal: { code: 'forbidden', message: 'This domain is not among yours.' } };
  }
  if (owned.listing?.status === 'sold') {
    return { refusal: conflicting('It is sold, and no longer yours to change.') };
  }
  if (owned.legalHold) {
    return { refusal: conflicting('It is on legal hold and cannot be changed. Contact support.') };
  }
  const { now, tlds } = around;
  const refusal = operationOf(action).refusal(action.params, {
    owned,
    tld: tlds.get(owned.tld),
    now,
  });
  return refusal ? { refusal } : { owned };
}

/** What an action would do to a domain that it can be done to, for a dry run. */
export function previewMessage(action: BulkAction, owned: OwnedDomain): string {
  return operationOf(action).preview(action.params, owned);
}

/** What an action costs for a domain: undefined for nothing, null where that is unknown. */
export function costOf(
  action: BulkAction,
  owned: OwnedDomain,
  tlds: ReadonlyMap<string, Tld>,
): Money | null | undefined {
  return operationOf(action).cost(action.params, tlds.get(owned.tld));
}

/** The change at the registrar that an action is; undefined for what happens on our market alone. */
export function registrarChange(action: BulkAction): DomainChange | undefined {
  const { execution } = operationOf(action);
  return execution.by === 'registrar' ? execution.change(action.params) : undefined;
}

/**
 * Does an action of our own market to domains, and says of each what it did. They and their listings must be
 * locked, and checked.
 * @throws Error for an action that is the registrar's to do
 */
export async function applyOnMarket(
  uow: UnitOfWork,
  action: BulkAction,
  domains: readonly OwnedDomain[],
  listings: ReadonlyMap<string, Listing>,
): Promise<(string | null)[]> {
  const { execution } = operationOf(action);
  if (execution.by === 'registrar') throw new Error(`${action.op} is the registrar's to do`);
  if (domains.length > 0) await execution.apply(uow, action.params, domains, listings);
  return domains.map((owned) => execution.result(action.params, owned));
}

const NOT_ON_THE_MARKET: Refusal = { code: 'not_found', message: 'It is not on the market.' };

function listingIdsOf(
  domains: readonly OwnedDomain[],
  listings: ReadonlyMap<string, Listing>,
): number[] {
  return domains.flatMap(({ domain }) => listings.get(domain)?.id ?? []);
}

function newPrice(amount: CentsAmount, { price }: OwnedListing): Money {
  return new Money(amount, price.currency);
}

/** The tags of a domain after some came and some went; one that does both stays. */
export function tagsAfter(
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
  { tags }: Pick<OwnedDomain, 'tags'>,
): string[] {
  const gone = new Set(remove.map(canonicalTag));
  const kept = tags.filter((tag) => !gone.has(tag));
  return [...new Set([...kept, ...add.map(canonicalTag)])].sort();
}

function switching(what: string, now: boolean, wanted: boolean): string {
  const state = wanted ? 'on' : 'off';
  return now === wanted
    ? `Nothing would change: ${what} is ${state}.`
    : `Would turn ${what} ${state}.`;
}

/** So many DS records, in words. */
export function dsRecords(count: number): string {
  return count === 1 ? '1 DS record' : `${count} DS records`;
}

function malformed(message: string): Refusal {
  return { code: 'validation_error', message };
}

function conflicting(message: string): Refusal {
  return { code: 'conflict', message };
}

function checkCurrency(code: string, faults: FieldError[]): void {
  if (!isCurrency(code)) faults.push({ path: '/params/currency', message: INVALID_CURRENCY });
}

const HOST_RULES = { checkHyphens: true, useSTD3ASCIIRules: true, verifyDNSLength: true } as const;

/** A host name of two labels or more as A-labels; undefined for anything else, addresses included. */
function readHost(text: string): string | undefined {
  const host = toASCII(text.trim().replace(/\.$/, ''), HOST_RULES);
  if (!host?.includes('.') || /^[\d.]+$/.test(host)) return undefined;
  return host;
}

/** The prices that `list` asks for. */
function listPrices(params: {
  price_cents: number;
  floor_price_cents?: number;
  currency?: string;
}): {
  price: Money;
  floorPrice: Money | null;
} {
  const { price_cents, floor_price_cents = null, currency = 'USD' } = params;
  return {
    price: new Money(price_cents, currency),
    floorPrice: moneyOrNull(floor_price_cents, currency),
  };
}

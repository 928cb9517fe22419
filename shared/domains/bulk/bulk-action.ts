import { toASCII } from 'tr46';
import { type Static, type TObject, Type } from 'typebox';
import { type FieldError, invalid } from '../../platform/errors.ts';
import {
  INVALID_CURRENCY,
  isCurrency,
  MAX_PRICE_CENTS,
  Money,
  moneyOrNull,
} from '../../platform/money.ts';
import { canonicalTag, MAX_TAG_LENGTH, MAX_TAGS } from '../owned-domains/owned-domain.ts';
import type { DomainChange } from '../registrar/registrar.ts';

export const MAX_BULK_DOMAINS = 1_000;
export const MAX_RENEW_YEARS = 10;

const Cents = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_PRICE_CENTS, description });
const Currency = (description: string) =>
  Type.String({ pattern: '^[A-Z]{3}$', description: `ISO 4217. ${description}` });
const ToggleParams = Type.Object(
  { enabled: Type.Boolean({ description: 'On or off; on already is no error.' }) },
  { title: 'BulkSwitchParams', description: 'For `lock`, `auto_renew` and `privacy`.' },
);
const Tags = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
      maxItems: MAX_TAGS,
      description,
    }),
  );

/** Every bulk operation and the schema of its `params`. */
export const BULK_PARAMS = {
  nameservers: Type.Object(
    {
      nameservers: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        minItems: 2,
        maxItems: 13,
        description: 'Host names; they replace the present ones.',
      }),
    },
    { title: 'BulkNameserversParams' },
  ),
  lock: ToggleParams,
  auto_renew: ToggleParams,
  privacy: ToggleParams,
  renew: Type.Object(
    {
      years: Type.Integer({
        minimum: 1,
        maximum: MAX_RENEW_YEARS,
        description: 'Years to add; the rules of the TLD apply.',
      }),
    },
    { title: 'BulkRenewParams' },
  ),
  list: Type.Object(
    {
      price_cents: Cents('Buy-now price, in minor units of the currency.'),
      floor_price_cents: Type.Optional(Cents('Lowest offer worth making.')),
      currency: Type.Optional(Currency('USD when left out.')),
      offers_accepted: Type.Optional(Type.Boolean({ description: 'Offers are welcome.' })),
    },
    { title: 'BulkListParams' },
  ),
  unlist: Type.Object({}, { title: 'BulkUnlistParams' }),
  price: Type.Object(
    {
      price_cents: Cents('The new buy-now price, in minor units of the currency it is listed in.'),
      currency: Type.Optional(
        Currency('When it is given, domains that are listed in another one are refused.'),
      ),
    },
    { title: 'BulkPriceParams' },
  ),
  tags: Type.Object(
    { add: Tags('Tags to add; case does not count.'), remove: Tags('Tags to take away.') },
    { title: 'BulkTagsParams' },
  ),
} as const satisfies Record<string, TObject>;

export type BulkOp = keyof typeof BULK_PARAMS;
export const BULK_OPS = Object.keys(BULK_PARAMS) as readonly BulkOp[];

export function isBulkOp(name: string): name is BulkOp {
  return Object.hasOwn(BULK_PARAMS, name);
}

/** One operation with its parameters, as they are stored with the job. */
export type BulkAction = {
  [Op in BulkOp]: { op: Op; params: Static<(typeof BULK_PARAMS)[Op]> };
}[BulkOp];

/**
 * An action in the form in which it is stored: host names as A-labels, tags in lower case. Its params must
 * have passed their schema.
 * @throws validation_error for what a schema can't say
 */
export function canonicalAction(action: BulkAction): BulkAction {
  const faults: FieldError[] = [];
  const canonical = rewrite(knownParams(action), faults);
  if (faults.length > 0) throw invalid(faults);
  return canonical;
}

/** Without the fields that the operation does not know: they are ignored, and not kept. */
function knownParams({ op, params }: BulkAction): BulkAction {
  const known = Object.keys(BULK_PARAMS[op].properties);
  const fields = Object.entries(params).filter(([name]) => known.includes(name));
  return { op, params: Object.fromEntries(fields) } as BulkAction;
}

function rewrite(action: BulkAction, faults: FieldError[]): BulkAction {
  switch (action.op) {
    case 'nameservers': {
      const nameservers = action.params.nameservers.map((text, at) => {
        const path = `/params/nameservers/${at}`;
        const host = readHost(text);
        if (!host) faults.push({ path, message: 'must be a host name such as ns1.example.net' });
        return host ?? '';
      });
      if (new Set(nameservers).size < nameservers.length) {
        faults.push({ path: '/params/nameservers', message: 'must not name a host twice' });
      }
      return { op: action.op, params: { nameservers } };
    }
    case 'list': {
      const { price_cents: price, floor_price_cents: floor, currency = 'USD' } = action.params;
      checkCurrency(currency, faults);
      if (floor !== undefined && floor > price) {
        const message = 'must not be above price_cents';
        faults.push({ path: '/params/floor_price_cents', message });
      }
      return { op: action.op, params: { ...action.params, currency } };
    }
    case 'price':
      if (action.params.currency !== undefined) checkCurrency(action.params.currency, faults);
      return action;
    case 'tags': {
      const add = (action.params.add ?? []).map(canonicalTag);
      const remove = (action.params.remove ?? []).map(canonicalTag);
      if (add.length + remove.length === 0) {
        faults.push({ path: '/params', message: 'must have a tag in add or remove' });
      }
      if ([...add, ...remove].some((tag) => tag === '' || /\p{Cc}/u.test(tag))) {
        faults.push({ path: '/params', message: 'must have tags of visible characters' });
      }
      return { op: action.op, params: { add, remove } };
    }
    default:
      return action;
  }
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
export function listPrices(params: Static<(typeof BULK_PARAMS)['list']>): {
  price: Money;
  floorPrice: Money | null;
} {
  const { price_cents, floor_price_cents = null, currency = 'USD' } = params;
  return {
    price: new Money(price_cents, currency),
    floorPrice: moneyOrNull(floor_price_cents, currency),
  };
}

/** The change at the registrar that an action is; undefined for what happens on our market alone. */
export function registrarChange({ op, params }: BulkAction): DomainChange | undefined {
  switch (op) {
    case 'nameservers':
      return { kind: op, nameservers: params.nameservers };
    case 'lock':
    case 'auto_renew':
    case 'privacy':
      return { kind: op, enabled: params.enabled };
    case 'renew':
      return { kind: op, years: params.years };
    default:
      return undefined;
  }
}

import { type Static, Type } from 'typebox';
import {
  BULK_OPERATIONS,
  BULK_OPS,
  type BulkAction,
  type BulkOp,
} from '../../../shared/domains/bulk/bulk-operations.ts';
import { dsRecords } from '../../../shared/domains/bulk/registrar-operations.ts';
import { MAX_RENEW_YEARS } from '../../../shared/domains/owned-domains/renewal-terms.ts';
import { INVALID_CURRENCY, isCurrency } from '../../../shared/platform/currencies.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { formatMoneyWithCode, Money } from '../../../shared/platform/money.ts';
import { ANY_TEXT, parameterValidator, type Validator } from '../../http/validate.ts';
import { type Field, field, inputField, readAmount, selectField } from '../kit/form.ts';

const Short = Type.Optional(Type.String({ maxLength: 100 }));
const Long = Type.Optional(Type.String({ maxLength: 4_000 }));

/** The fields of all operations, as a form sends them; each operation reads its own. */
export const OPERATION_FIELDS = {
  enabled: Type.Optional(Type.Enum(['true', 'false'])),
  nameservers: Type.Optional(Type.String({ maxLength: 4_000, ...ANY_TEXT })),
  years: Type.Optional(Type.String({ maxLength: 3 })),
  price: Short,
  floor: Short,
  currency: Short,
  offers: Type.Optional(Type.Enum(['true', 'false'])),
  add: Long,
  remove: Long,
};
const Fields = Type.Object(OPERATION_FIELDS);
export type OperationValues = Partial<Static<typeof Fields>>;

type ParamsOf<Op extends BulkOp> = Extract<BulkAction, { op: Op }>['params'];

/** The form for an operation. */
interface OperationForm<Params> {
  /** On a button, regardless of the current state: `Lock or unlock`. */
  title: string;
  about: string;
  fields(values: OperationValues): Markup;
  /** Returns the params as the API takes them, unvalidated. */
  params(values: OperationValues): object;
  /** Returns the action in words, as on its button: `Turn the lock on`. */
  says(params: Params): string;
}

function toggle(title: string, what: string, about: string): OperationForm<{ enabled: boolean }> {
  return {
    title,
    about,
    fields: ({ enabled = 'true' }) =>
      selectField({
        name: 'enabled',
        label: 'Set to',
        choices: [
          { value: 'true', text: 'On' },
          { value: 'false', text: 'Off' },
        ],
        chosen: enabled,
      }),
    params: ({ enabled }) => ({ enabled }),
    says: ({ enabled }) => `Turn ${what} ${enabled ? 'on' : 'off'}`,
  };
}

/** Every bulk operation as a form. */
export const OPERATION_FORMS: { readonly [Op in BulkOp]: OperationForm<ParamsOf<Op>> } = {
  nameservers: {
    title: 'Change nameservers',
    about: 'Replaces all nameservers.',
    fields: ({ nameservers = '' }) =>
      textField({
        name: 'nameservers',
        label: 'Nameservers',
        hint: '2 to 13, such as ns1.example.net, one per line or separated by commas. They replace all current ones.',
        required: true,
        value: nameservers,
        rows: 4,
      }),
    params: ({ nameservers = '' }) => ({ nameservers: trimmedParts(nameservers, /[\s,;]/) }),
    says: ({ nameservers }) => `Set the nameservers ${nameservers.join(', ')}`,
  },
  dnssec: {
    title: 'Turn DNSSEC off',
    about:
      'Removes all DS records, for example before a move to nameservers without DNSSEC. To add DS records, open the domain’s page.',
    fields: () => html``,
    params: () => ({ signers: [] }),
    says: ({ signers }) =>
      signers.length === 0 ? 'Turn DNSSEC off' : `Set ${dsRecords(signers.length)}`,
  },
  lock: toggle('Lock or unlock', 'the transfer lock', 'The lock keeps a domain from being moved.'),
  auto_renew: toggle(
    'Turn auto-renew on or off',
    'auto-renew',
    'Auto-renewed domains are renewed 30 days before they expire, at that day’s price.',
  ),
  privacy: toggle(
    'Turn privacy on or off',
    'WHOIS privacy',
    'Privacy hides your contact details in WHOIS.',
  ),
  renew: {
    title: 'Renew',
    about: 'Adds years to the registration. You see the price before you confirm.',
    fields: ({ years = '1' }) =>
      selectField({
        name: 'years',
        label: 'Add',
        choices: Array.from({ length: MAX_RENEW_YEARS }, (_, at) => ({
          value: String(at + 1),
          text: at === 0 ? '1 year' : `${at + 1} years`,
        })),
        chosen: years,
      }),
    params: ({ years }) => ({ years }),
    says: ({ years }) => `Add ${years} ${years === 1 ? 'year' : 'years'}`,
  },
  list: {
    title: 'List for sale',
    about: 'Lists domains on the market, or changes the terms of listed ones.',
    fields: ({ price = '', floor = '', currency = 'USD', offers }) => html`${amountField({
      name: 'price',
      label: 'Price',
      required: true,
      value: price,
    })}
${amountField({
  name: 'floor',
  label: 'Lowest offer',
  optional: true,
  value: floor,
})}
${currencyField(currency)}
${selectField({
  name: 'offers',
  label: 'Offers',
  choices: [
    { value: 'true', text: 'Buyers may make offers' },
    { value: 'false', text: 'Fixed price' },
  ],
  chosen: offers,
  none: 'No change',
})}`,
    params: ({ price = '', floor, currency = 'USD', offers }) => ({
      price_cents: centsOf('price', price, currency),
      ...(floor && { floor_price_cents: centsOf('floor', floor, currency) }),
      currency,
      ...(offers && { offers_accepted: offers }),
    }),
    says: ({ price_cents, currency = 'USD' }) =>
      `List for ${formatMoneyWithCode(new Money(price_cents, currency))}`,
  },
  unlist: {
    title: 'Take off the market',
    about: 'Open quotes and payments in progress are honored until they expire.',
    fields: () => html``,
    params: () => ({}),
    says: () => 'Take off the market',
  },
  price: {
    title: 'Change prices',
    about: 'Changes the price of domains that are for sale.',
    fields: ({ price = '', currency = 'USD' }) => html`${amountField({
      name: 'price',
      label: 'New price',
      required: true,
      value: price,
    })}
${currencyField(currency, 'Domains listed in another currency do not change.')}`,
    params: ({ price = '', currency = 'USD' }) => ({
      price_cents: centsOf('price', price, currency),
      currency,
    }),
    says: ({ price_cents, currency = 'USD' }) =>
      `Set the price to ${formatMoneyWithCode(new Money(price_cents, currency))}`,
  },
  tags: {
    title: 'Add or remove tags',
    about: 'Tags help you find your domains.',
    fields: ({ add = '', remove = '' }) => html`${inputField({
      name: 'add',
      label: 'Add',
      optional: true,
      hint: 'Tags, separated by commas.',
      value: add,
    })}
${inputField({ name: 'remove', label: 'Remove', optional: true, value: remove })}`,
    params: ({ add = '', remove = '' }) => ({ add: tagsOf(add), remove: tagsOf(remove) }),
    says({ add = [], remove = [] }) {
      const parts = [
        add.length > 0 && `add ${add.join(', ')}`,
        remove.length > 0 && `remove ${remove.join(', ')}`,
      ];
      return `Tags: ${parts.filter(Boolean).join('; ')}`;
    },
  },
};

/** Describes an action in words: `Turn the transfer lock on`. */
export function describeAction({ op, params }: BulkAction): string {
  const form = OPERATION_FORMS[op] as OperationForm<BulkAction['params']>;
  return form.says(params);
}

const checks = Object.fromEntries(
  BULK_OPS.map((op) => [op, parameterValidator(BULK_OPERATIONS[op].params)]),
) as Record<BulkOp, Validator>;

/** Reads the operation that a form asks for. @throws validation_error */
export function readAction(op: BulkOp, values: OperationValues): BulkAction {
  return { op, params: checks[op](OPERATION_FORMS[op].params(values)) } as BulkAction;
}

/** Returns only the operation's fields, as hidden fields. */
export function hiddenFields(values: OperationValues): Markup {
  const given = Object.entries(values).filter(([name]) => Object.hasOwn(OPERATION_FIELDS, name));
  return html`${given.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}`;
}

/** Splits text into names, one per line, or separated by commas or semicolons; text with a space counts as one name. */
export function namesIn(text: string): string[] {
  return trimmedParts(text, /[\r\n,;]/);
}

function tagsOf(text: string): string[] {
  return trimmedParts(text, /,/);
}

function trimmedParts(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function centsOf(name: 'price' | 'floor', typed: string, currency: string): number {
  if (!isCurrency(currency)) throw invalid([{ path: '/currency', message: INVALID_CURRENCY }]);
  return readAmount(`/${name}`, typed, currency);
}

/** Returns a multi-line text field. */
export function textField({ rows, value, ...options }: Field & { rows: number }): Markup {
  const attributes = { rows, spellcheck: 'false', autocapitalize: 'none', ...options.attributes };
  return field({ ...options, attributes }, (all) => html`<textarea${all}>\n${value}</textarea>`);
}

function amountField(options: Field): Markup {
  return inputField({ ...options, attributes: { inputmode: 'decimal', maxlength: 20 } });
}

function currencyField(currency: string, hint?: string): Markup {
  return inputField({
    name: 'currency',
    label: 'Currency',
    hint,
    required: true,
    value: currency,
    attributes: { maxlength: 3, pattern: '[A-Z]{3}', autocapitalize: 'characters' },
  });
}

import { type Static, Type } from 'typebox';
import {
  BULK_OPS,
  type BulkAction,
  type BulkOp,
  MAX_BULK_DOMAINS,
} from '../../../../shared/domains/bulk/bulk-operations.ts';
import { type BulkPreview, previewBulk } from '../../../../shared/domains/bulk/check-items.ts';
import { listOwnedDomains } from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { invalid } from '../../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatMoneyWithCode, type Money } from '../../../../shared/platform/money.ts';
import { ANY_TEXT, parameterValidator } from '../../../http/validate.ts';
import { MAX_BULK_BYTES } from '../../../public/bulk-routes.ts';
import { selectField } from '../../kit/form.ts';
import { stretchOf } from '../../kit/list.ts';
import { descriptionList, link, notice, section } from '../../kit/page-parts.ts';
import { numberColumn, table } from '../../kit/table.ts';
import {
  type AccountContext,
  type AccountView,
  accountCommand,
  accountSitePage,
} from '../account-page.ts';
import {
  describeAction,
  hiddenFields,
  namesIn,
  OPERATION_FIELDS,
  OPERATION_FORMS,
  type OperationValues,
  readAction,
  textField,
} from '../operation-forms.ts';
import { FormKey, newFormKey, startChange } from '../start-change.ts';
import { DOMAIN_FILTERS, readDomainFilter } from './domains-page.ts';

const BULK = '/account/bulk';
const Op = Type.Enum([...BULK_OPS]);
const Names = Type.String({ maxLength: MAX_BULK_BYTES, ...ANY_TEXT });
const most = MAX_BULK_DOMAINS.toLocaleString('en-US');

/** The page to choose an operation and optionally paste domains. */
export const choosePage = accountSitePage({
  path: '/bulk',
  input: Type.Object({}),
  async show({ refused }) {
    const { domains = '', op = 'nameservers' } = (refused?.values ?? {}) as Record<string, string>;
    return {
      title: 'Change many domains',
      section: 'jobs',
      content: html`<p class="intro">Paste up to ${most} of your domains, or ${link('/account/domains', 'select them in your list')}. You see a preview before anything changes.</p>
<form class="ask" method="post" action="${BULK}">
${domainsField(domains)}
${selectField({
  name: 'op',
  label: 'What to do',
  choices: BULK_OPS.map((value) => ({ value, text: OPERATION_FORMS[value].title })),
  chosen: op,
})}
<p class="acts"><button class="primary" type="submit">Continue</button></p>
</form>`,
    };
  },
});

/** The form of an operation on a list of domains. */
export const operationPage = accountSitePage({
  path: '/bulk/:op',
  input: Type.Object({ op: Op }),
  async show({ refused }, { op }) {
    return operationView(op, (refused?.values ?? {}) as OperationValues & { domains?: string });
  },
});

function operationView(
  op: BulkOp,
  values: OperationValues & { domains?: string },
  /** Whether the domains are only the first of those that match. */
  cut = false,
): AccountView {
  const { title, about, fields } = OPERATION_FORMS[op];
  return {
    title,
    section: 'jobs',
    content: html`<p class="intro">${about}</p>
${cut && notice({ tone: 'wait', content: `These are the first ${most} that match. Change the rest afterwards.` })}
<form class="ask" method="post" action="${BULK}/${op}/review">
${fields(values)}
${domainsField(values.domains ?? '')}
<p class="acts"><button class="primary" type="submit">Review</button> <a class="button link" href="/account/domains">Cancel</a></p>
</form>`,
  };
}

function domainsField(value: string): Markup {
  return textField({
    name: 'domains',
    label: 'Domains',
    hint: `One per line, or separated by commas or semicolons; ${most} at most.`,
    value,
    rows: 8,
    attributes: { autocomplete: 'off' },
  });
}

const Selection = Type.Object({
  op: Op,
  domains: Type.Optional(Names),
  domain: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), { maxItems: MAX_BULK_DOMAINS }),
  ),
  which: Type.Optional(Type.Enum(['selected', 'matching'])),
  matching: Type.Optional(Type.String({ maxLength: 2_000 })),
});

/** Leads from a list of domains, selected or pasted, to the form of an operation. */
export const chooseOperation = accountCommand({
  path: '/bulk',
  // Also required at the first step: at the last one, everything filled in would be lost.
  dangerous: true,
  input: Selection,
  page: choosePage,
  async run(context, given) {
    const names = await chosenNames(context, given);
    if (given.which === 'selected' && names.length === 0) {
      throw invalid([{ path: '/domains', message: 'select domains first, or paste them here' }]);
    }
    const cut = given.which === 'matching' && names.length === MAX_BULK_DOMAINS;
    return operationView(given.op, { domains: names.join('\n') }, cut);
  },
});

const readListAddress = parameterValidator(
  Type.Object({
    ...DOMAIN_FILTERS,
    from: Type.Optional(Type.String({ format: 'date' })),
    to: Type.Optional(Type.String({ format: 'date' })),
  }),
);

async function chosenNames(
  context: AccountContext,
  { domains = '', domain = [], which, matching = '' }: Static<typeof Selection>,
): Promise<string[]> {
  if (which !== 'matching') return [...domain, ...namesIn(domains)];
  const address = Object.fromEntries(new URLSearchParams(matching));
  const given = readListAddress(address) as Parameters<typeof readDomainFilter>[0] & {
    from?: string;
    to?: string;
  };
  const filter = readDomainFilter(given, stretchOf(given.from, given.to));
  const page = { sort: 'a_to_z', after: null, limit: MAX_BULK_DOMAINS } as const;
  const { rows } = await listOwnedDomains(context, context.user.id, filter, page);
  return rows.map((owned) => owned.domain);
}

const Request = Type.Object({ op: Op, domains: Type.Optional(Names), ...OPERATION_FIELDS });

/** Shows what would happen to each domain, and asks for confirmation. */
export const reviewOperation = accountCommand({
  path: '/bulk/:op/review',
  dangerous: false,
  input: Request,
  page: operationPage,
  async run(context, { op, domains: text, ...values }) {
    const domains = requireNames(text);
    const action = readAction(op, values);
    const results = await previewBulk(context, { userId: context.user.id, action, domains });
    return reviewView(action, values, results);
  },
});

function reviewView(
  action: BulkAction,
  values: OperationValues,
  results: readonly BulkPreview[],
): AccountView {
  const { op } = action;
  const good = results.filter(({ state }) => state === 'ok');
  const bad = results.filter(({ state }) => state === 'error');
  const total = totalOf(good);
  const change = `Change ${countOf(good.length)}`;
  const again = html`${hiddenFields(values)}<textarea name="domains" hidden>
${results.map(({ domain }) => domain).join('\n')}</textarea>`;
  return {
    title: `${describeAction(action)}?`,
    section: 'jobs',
    content: html`${descriptionList([
      ['Will change', countOf(good.length)],
      ['Cannot change', bad.length > 0 && `${countOf(bad.length)}, skipped`],
      ['Total price', total && totalPrice(total)],
    ])}
<div class="acts">${
      good.length > 0 &&
      html`<form method="post" action="${BULK}/${op}/start">
<input type="hidden" name="key" value="${newFormKey()}">${hiddenFields(values)}<textarea name="domains" hidden>
${good.map(({ domain }) => domain).join('\n')}</textarea>
<button class="primary" type="submit">${total?.sum && total.unknown === 0 ? `${change} for ${formatMoneyWithCode(total.sum)}` : change}</button></form>`
    }
<form method="post" action="${BULK}/${op}/edit">${again}<button type="submit">Back</button></form>
<a class="button link" href="/account/domains">Cancel</a></div>
${bad.length > 0 && section('Skipped', resultTable('Domains that cannot change', bad, 'Why'))}
${good.length > 0 && section('Will change', resultTable('Domains that will change', good, 'What happens'))}`,
  };
}

/** The cost of a change. */
interface Total {
  /** The total of the known prices; null when none is known. */
  sum: Money | null;
  /** The number of prices that are unknown. */
  unknown: number;
}

/** Returns the cost of these changes; undefined if they are free. */
function totalOf(results: readonly BulkPreview[]): Total | undefined {
  const costs = results.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  if (costs.length === 0) return undefined;
  const known = costs.filter((cost) => cost !== null);
  const sum = known.reduce<Money | null>((before, cost) => before?.plus(cost) ?? cost, null);
  return { sum, unknown: costs.length - known.length };
}

function totalPrice({ sum, unknown }: Total): Markup {
  if (!sum) return html`Unknown: our price list has no price for these.`;
  return html`${formatMoneyWithCode(sum)}${
    unknown > 0 &&
    html`<span class="sub">and ${countOf(unknown)} whose price is not on our list</span>`
  }`;
}

/** The maximum number of rows in the preview; the rest would only repeat them. */
const MAX_SHOWN = 100;

function resultTable(caption: string, results: readonly BulkPreview[], column: string): Markup {
  const more = results.length - MAX_SHOWN;
  const priced = results.some(({ cost }) => cost !== undefined);
  const price = (cost: BulkPreview['cost']) => (cost ? formatMoneyWithCode(cost) : 'Unknown');
  return html`${table(
    caption,
    ['Domain', column, ...(priced ? [numberColumn('Price')] : [])],
    results
      .slice(0, MAX_SHOWN)
      .map(({ domain, message, cost }) => [domain, message, ...(priced ? [price(cost)] : [])]),
    '',
  )}${more > 0 && html`<p class="hint">And ${countOf(more)} more.</p>`}`;
}

/** Leads from the review back to the form, with everything filled in. */
export const editOperation = accountCommand({
  path: '/bulk/:op/edit',
  dangerous: false,
  input: Request,
  page: operationPage,
  run: async (_context, { op, ...values }) => operationView(op, values),
});

/** Starts what was reviewed. If the form is sent twice, it starts once. */
export const startOperation = accountCommand({
  path: '/bulk/:op/start',
  dangerous: true,
  input: Type.Object({
    ...Request.properties,
    key: FormKey,
  }),
  page: operationPage,
  async run(context, { op, domains: text, key, ...values }) {
    const domains = requireNames(text);
    const action = readAction(op, values);
    const id = await startChange(context, { path: `${BULK}/${op}/start`, key, action, domains });
    return { to: `/account/jobs/${id}`, done: 'The change has started. You can leave this page.' };
  },
});

/** @throws validation_error for no names, or more than an operation takes */
function requireNames(text = ''): string[] {
  const names = namesIn(text);
  if (names.length > 0 && names.length <= MAX_BULK_DOMAINS) return names;
  const message =
    names.length === 0
      ? 'must name at least one domain'
      : `must be ${most} at most; these are ${names.length.toLocaleString('en-US')}`;
  throw invalid([{ path: '/domains', message }]);
}

function countOf(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'domain' : 'domains'}`;
}

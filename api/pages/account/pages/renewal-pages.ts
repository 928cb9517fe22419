import { Type } from 'typebox';
import { OWNERS_ENVIRONMENT } from '../../../../shared/domains/owned-domains/owned-domain.ts';
import {
  MAX_RENEW_YEARS,
  yearsOf,
} from '../../../../shared/domains/owned-domains/renewal-terms.ts';
import { unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { findTldOf } from '../../../../shared/market/tlds/tld-catalogue.ts';
import {
  type CardOnFile,
  canKeepCards,
  findKeptCard,
  forgetCard,
  isGood,
} from '../../../../shared/money/payments/kept-cards.ts';
import { ServiceError } from '../../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatMoneyWithCode } from '../../../../shared/platform/money.ts';
import { openRenewal } from '../../../../shared/sales/renewals/open-renewal.ts';
import {
  quoteRenewal,
  type RenewalQuote,
} from '../../../../shared/sales/renewals/quote-renewal.ts';
import { listRenewals } from '../../../../shared/sales/renewals/read-renewals.ts';
import type { Renewal, RenewalStatus } from '../../../../shared/sales/renewals/renewal.ts';
import { confirmButton, selectField } from '../../kit/form.ts';
import { formatDay, humanize, money, timestamp } from '../../kit/format.ts';
import {
  badge,
  descriptionList,
  domainLink,
  emptyState,
  link,
  notice,
  section,
} from '../../kit/page-parts.ts';
import { numberColumn } from '../../kit/table.ts';
import {
  type AccountContext,
  accountCommand,
  accountList,
  accountSitePage,
} from '../account-page.ts';

const Domain = Type.String({ maxLength: 253 });
const Years = Type.Integer({ minimum: 1, maximum: MAX_RENEW_YEARS });

/** Shows the price of a renewal, and leads to its payment. */
export const renewPage = accountSitePage({
  path: '/domains/:domain/renew',
  input: Type.Object({ domain: Domain, years: Type.Optional(Years) }),
  async show(context, { domain: name, years: asked }) {
    const { user, refused } = context;
    const domain = name.toLowerCase();
    const sent = Number(refused?.values.years ?? 0);
    const years = asked ?? (sent || (await shortestTerm(context, domain)));
    const request = { domain, kind: 'renewal', years } as const;
    // The page already shows above why it was refused.
    const offer = refused
      ? null
      : await offerOrReason(() => quoteRenewal(context, user.id, request));
    return {
      title: `Renew ${unicodeOf(domain)}`,
      section: 'domains',
      content: html`<p>${link(`/account/domains/${domain}`, 'Back to the domain')}</p>
${yearsForm(domain, years)}
${typeof offer === 'string' ? notice({ tone: 'wait', content: offer }) : offer && offerOf(offer)}
${typeof offer === 'string' && html`<p>${link(`/account/domains/${domain}/restore`, 'Restore a deleted domain')}</p>`}`,
    };
  },
});

/** Shows the price of restoring a domain from its redemption period, and leads to its payment. */
export const restorePage = accountSitePage({
  path: '/domains/:domain/restore',
  input: Type.Object({ domain: Domain }),
  async show(context, { domain: name }) {
    const { user, refused } = context;
    const domain = name.toLowerCase();
    const years = await shortestTerm(context, domain);
    const request = { domain, kind: 'restore', years } as const;
    const offer = refused
      ? null
      : await offerOrReason(() => quoteRenewal(context, user.id, request));
    return {
      title: `Restore ${unicodeOf(domain)}`,
      section: 'domains',
      content: html`<p>${link(`/account/domains/${domain}`, 'Back to the domain')}</p>
<p class="intro">After a domain expires, its registry deletes it. For a few weeks you can still restore it, for a fee on top of the renewal.</p>
${typeof offer === 'string' ? notice({ tone: 'wait', content: offer }) : offer && offerOf(offer)}`,
    };
  },
});

/** Starts the purchase of a restore. */
export const startRestore = accountCommand({
  path: '/domains/:domain/restore',
  dangerous: false,
  input: Type.Object({ domain: Domain }),
  page: restorePage,
  async run(context, { domain: name }) {
    const domain = name.toLowerCase();
    const years = await shortestTerm(context, domain);
    const { id } = await openRenewal(context, context.user.id, { domain, kind: 'restore', years });
    return { to: `/account/payments/${id}`, done: '' };
  },
});

/** Returns the offer, or the reason why there is none. @throws errors that are not for the user */
async function offerOrReason<T>(ask: () => Promise<T>): Promise<T | string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 409 || error.status === 503)) {
      return error.message;
    }
    throw error;
  }
}

async function shortestTerm({ tlds }: AccountContext, domain: string): Promise<number> {
  return findTldOf(await tlds.read(), domain)?.minYears ?? 1;
}

function yearsForm(domain: string, years: number): Markup {
  return html`<form class="ask" method="get" action="/account/domains/${domain}/renew">
${selectField({
  name: 'years',
  label: 'Renew for',
  choices: Array.from({ length: MAX_RENEW_YEARS }, (_, at) => ({
    value: String(at + 1),
    text: yearsOf(at + 1),
  })),
  chosen: String(years),
})}
<p class="acts"><button type="submit">Show the price</button></p>
</form>`;
}

function offerOf({
  domain,
  kind,
  years,
  price,
  renewsFrom,
  renewsUntil,
  fees,
}: RenewalQuote): Markup {
  return html`${descriptionList([
    ['Current expiry date', formatDay(renewsFrom)],
    ['New expiry date', formatDay(renewsUntil)],
    ['Price', html`<strong>${formatMoneyWithCode(price)}</strong>`],
    ['Kind', fees.renew && 'Premium domain: its registry sets the price'],
  ])}
<p class="hint">The price includes all taxes.</p>
<form class="acts" method="post" action="/account/domains/${domain}/${kind === 'restore' ? 'restore' : 'renew'}">
${kind === 'renewal' && html`<input type="hidden" name="years" value="${String(years)}">`}
<button class="primary" type="submit">Continue to payment</button>
</form>`;
}

/** Starts the purchase of a renewal. */
export const startRenewal = accountCommand({
  path: '/domains/:domain/renew',
  dangerous: false,
  input: Type.Object({ domain: Domain, years: Years }),
  page: renewPage,
  async run(context, { domain, years }) {
    const request = { domain: domain.toLowerCase(), kind: 'renewal', years } as const;
    const { id } = await openRenewal(context, context.user.id, request);
    return { to: `/account/payments/${id}`, done: '' };
  },
});

const STATUSES: Record<RenewalStatus, Markup> = {
  awaiting_payment: badge('wait', 'Not paid yet'),
  paid: badge('wait', 'In progress'),
  completed: badge('good', 'Done'),
  refunded: badge('bad', 'Refunded'),
  cancelled: badge('neutral', 'Canceled'),
  expired: badge('neutral', 'Expired'),
};

/** Returns the name of a renewal. */
function describeRenewal({ kind, years }: Pick<Renewal, 'kind' | 'years'>): string {
  return kind === 'restore' ? `Restore, and ${yearsOf(years)}` : `Renewal for ${yearsOf(years)}`;
}

/** Lists the signed-in user's payments for their domains. */
export const paymentsPage = accountList({
  path: '/payments',
  title: 'Payments',
  section: 'payments',
  filters: {},
  sorts: ['newest', 'oldest'],
  read: (context, _filters, page) => listRenewals(context, context.user.id, page),
  form: () => ({ fields: [] }),
  async above(_filters, context) {
    const card = await findKeptCard(context.db.knex, context.user.id);
    const asks = canKeepCards(context.payments, OWNERS_ENVIRONMENT);
    return html`${(card || asks) && keptCard(card, context.now)}`;
  },
  intro: () => 'Your payments for renewing and restoring domains, with receipts.',
  dates: 'Made',
  caption: 'Your payments',
  columns: () => [
    {
      title: 'Domain',
      cell: (renewal: Renewal) =>
        html`${domainLink(`/account/payments/${renewal.id}`, renewal.domain)}<span class="sub">${describeRenewal(renewal)}</span>`,
    },
    { title: 'Status', cell: ({ status }) => STATUSES[status] },
    { ...numberColumn('Amount'), cell: ({ price }) => money(price) },
    {
      title: 'Made',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No payments yet. Renew a domain on its page.',
  more: 'More payments',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    kind: ({ kind }) => kind,
    years: ({ years }) => years,
    status: ({ status }) => status,
    amount_cents: ({ price }) => price.amount,
    currency: ({ price }) => price.currency,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** Shows the card that pays for automatic renewals. */
function keptCard(card: CardOnFile | undefined, now: Date): Markup {
  if (!card) {
    return section(
      'Card for automatic renewals',
      emptyState('None. To renew domains automatically, check “Keep this card” when you pay.'),
    );
  }
  const { brand, last4, expMonth, expYear } = card;
  const expiry = `${String(expMonth).padStart(2, '0')}/${expYear}`;
  return section(
    'Card for automatic renewals',
    html`<p>${humanize(brand)} ending in ${last4}, ${isGood(card, now) ? `valid until ${expiry}` : badge('bad', `Expired ${expiry}`)}</p>
${confirmButton({
  action: '/account/payments/card/remove',
  text: 'Remove the card',
  question: 'Domains with auto-renew will then not renew automatically.',
})}`,
  );
}

/** Removes the signed-in user's card. */
export const removeCard = accountCommand({
  path: '/payments/card/remove',
  dangerous: false,
  input: Type.Object({}),
  page: paymentsPage,
  async run(context) {
    await forgetCard(context, context.user.id);
    return { to: '/account/payments', done: 'The card was removed.' };
  },
});

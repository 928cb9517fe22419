import { Type } from 'typebox';
import {
  listDocuments,
  listDocumentsAbout,
} from '../../../../shared/messaging/documents/read-documents.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatMoney } from '../../../../shared/platform/money.ts';
import {
  type Destination,
  readDestinations,
} from '../../../../shared/settlement/payouts/destination.ts';
import { PAYOUT_STATUSES } from '../../../../shared/settlement/payouts/payout.ts';
import { getPayout, listPayouts } from '../../../../shared/settlement/payouts/read-payouts.ts';
import { statusFilter } from '../../kit/form.ts';
import { humanize, instant, money, timestamp } from '../../kit/format.ts';
import { descriptionList, documentLinks, emptyValue, link, notice } from '../../kit/page-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { numberColumn } from '../../kit/table.ts';
import { siteList, sitePage, TIME_CURSOR } from '../site-page.ts';

const payoutList = siteList({
  path: '/payouts',
  time: 'own',
  title: 'Payouts',
  section: 'payouts',
  filters: { status: Type.Optional(Type.Enum([...PAYOUT_STATUSES])) },
  sorts: ['newest'],
  async read(context, { status }, { from, to, after, limit }) {
    const statuses = status === undefined ? null : [status];
    const filter = { statuses, from, to, before: after, limit };
    const { rows, next } = await listPayouts(context, context.owner, filter);
    const documents = await listDocumentsAbout(
      context.db.knex,
      context.owner,
      rows.map(({ id }) => id),
    );
    const documented = rows.map((payout) => ({
      ...payout,
      documents: documents.filter(({ subject }) => subject === payout.id),
    }));
    return { rows: documented, next };
  },
  cursor: TIME_CURSOR,
  form: ({ status = null }) => ({ fields: [statusFilter(PAYOUT_STATUSES, status)] }),
  dates: 'Made',
  caption: 'Payouts, newest first',
  columns: (_filters, _here, { base }) => [
    {
      title: 'Made',
      cell: ({ id, createdAt }) => html`<a href="${base}/payouts/${id}">${instant(createdAt)}</a>`,
    },
    { ...numberColumn('Amount'), cell: ({ amount }) => money(amount) },
    { title: 'For', cell: ({ source }) => humanize(source) },
    {
      title: 'Status',
      cell: ({ status, failureReason }) =>
        html`${statusBadge(status)}${failureReason && html`<span class="sub">${failureReason}</span>`}`,
    },
    { title: 'Reference', cell: ({ reference }) => reference ?? emptyValue() },
    {
      title: 'Documents',
      cell: ({ documents }) =>
        documentLinks(documents, (_kind, id) => `${base}/documents/${id}`) || emptyValue(),
    },
  ],
  empty: 'No payouts match. We pay what we collected for you when a statement closes.',
  more: 'Earlier payouts',
  csv: {
    id: ({ id }) => id,
    source: ({ source }) => source,
    amount_cents: ({ amount }) => amount.amount,
    currency: ({ amount }) => amount.currency,
    status: ({ status }) => status,
    settlement_id: ({ settlementId }) => settlementId,
    reference: ({ reference }) => reference,
    created_at: ({ createdAt }) => createdAt.toISOString(),
    paid_at: ({ paidAt }) => paidAt?.toISOString() ?? null,
  },
});

/** Shows past and upcoming payouts to the partner, and the receiving account. */
export const payoutsPage = sitePage({
  path: payoutList.path,
  time: 'own',
  input: payoutList.input,
  async show(context, given) {
    const shown = await payoutList.show(context, given);
    if (typeof shown === 'string' || !('section' in shown)) return shown;
    if (context.owner.environment === 'SANDBOX') return shown;
    const accounts = await readDestinations(context.db.knex, context.owner.partnerId);
    const now = context.clock.now();
    return {
      ...shown,
      content: html`${accounts.map((each) => accountNotice(each, now))}${shown.content}`,
    };
  },
});

/** Shows the account that we pay to, and since when. A partner that did not request a change has a day to object. */
function accountNotice({ name, usableFrom }: Destination, now: Date): Markup {
  const isNew = usableFrom !== null && usableFrom > now;
  return isNew
    ? notice({
        tone: 'wait',
        title: 'Your payout account has changed',
        content: html`We will pay you to the ${name}, from ${instant(usableFrom)} on. If you did not ask for this, contact us now.`,
      })
    : html`<p class="hint">We pay you to the ${name}.</p>`;
}

/** Shows one payout with its payment advice. */
export const payoutPage = sitePage({
  path: '/payouts/:id',
  time: 'own',
  input: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  async show(context, { id }) {
    const { owner, base, now } = context;
    const payout = await getPayout(context, owner, id);
    const documents = await listDocuments(context.db.knex, owner, payout.id);
    const { settlementId } = payout;
    return {
      title: `Payout of ${formatMoney(payout.amount)}`,
      section: 'payouts',
      content: descriptionList([
        ['Status', statusBadge(payout.status)],
        ['Amount', html`<strong>${money(payout.amount)}</strong>`],
        ['For', humanize(payout.source)],
        ['Reference', payout.reference],
        ['Why it failed', payout.failureReason],
        ['Statement', settlementId && link(`${base}/settlements/${settlementId}`, 'Statement')],
        ['Made', timestamp(payout.createdAt, now)],
        ['Paid', payout.paidAt && timestamp(payout.paidAt, now)],
        [
          'Documents',
          documentLinks(documents, (_kind, document) => `${base}/documents/${document}`) ||
            'Issued when it is paid',
        ],
        ['Payout', html`<span class="id">${payout.id}</span>`],
      ]),
    };
  },
});

import { Type } from 'typebox';
import { Money } from '../../../../shared/platform/money.ts';
import { readSettlementRun } from '../../../../shared/settlement/statements/read-settlement-runs.ts';
import {
  getSettlement,
  getStatementForOps,
  listStatementsForOps,
  type OpsStatement,
  type StatementDetail,
} from '../../../../shared/settlement/statements/read-statements.ts';
import {
  actionLink,
  actionLinks,
  type Column,
  descriptionList,
  pager,
  section,
  table,
} from '../../../pages/kit/components.ts';
import { environmentFilter, filterForm, selectFilter } from '../../../pages/kit/form.ts';
import {
  auditPath,
  badge,
  day,
  emptyValue,
  environmentTag,
  humanize,
  link,
  money,
  orderPath,
  partnerPath,
  relativeTime,
  settlementPath,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html, type Markup } from '../../../pages/kit/html.ts';
import {
  CursorField,
  consolePage,
  EnvironmentFilter,
  IdField,
  PAGE_SIZE,
  requireId,
} from '../console-page.ts';

const STATUSES = ['closing', 'closed', 'paid'] as const;
const figure = (title: string): Column => ({ title, number: true });

/** Statements of all partners. */
export const settlementsPage = consolePage({
  path: '/settlements',
  input: Type.Object({
    status: Type.Optional(Type.Enum([...STATUSES])),
    environment: EnvironmentFilter,
    partner: Type.Optional(IdField),
    cursor: CursorField,
  }),
  async show(context, query) {
    const { status = null, environment = null, partner = null, cursor = null } = query;
    const wanted = { status, environment, partnerId: partner, before: cursor, limit: PAGE_SIZE };
    const { statements, next } = await listStatementsForOps(context, wanted);
    return {
      title: 'Settlements',
      section: 'settlements',
      content: html`${actionLinks([{ form: 'settlement-run', text: 'Run a settlement', given: {} }])}
${filterForm(
  '/ops/settlements',
  [selectFilter('status', 'Status', STATUSES, status), environmentFilter(environment)],
  { partner },
)}
<p class="intro">Owed to us = gross sold − sales that we collected ourselves − commission + adjustments. A statement's page shows each sum.</p>
${table(
  'Statements, the newest period first',
  [
    'Partner',
    'Period',
    'Status',
    figure('Orders'),
    figure('Gross sold'),
    figure('Commission'),
    figure('Adjustments'),
    figure('Owed to us'),
    'Due',
    { title: 'Actions', quiet: true },
  ],
  statements.map((statement) => [
    html`${link(settlementPath(statement.id), statement.partnerName)} ${environmentTag(statement.environment)}`,
    html`<span class="line">${day(statement.periodStart)}</span> <span class="line">to ${lastDay(statement)}</span>`,
    statusOf(statement, context.now),
    statement.ordersCount,
    money(new Money(statement.grossSoldCents, statement.currency)),
    money(new Money(statement.commissionRetainedCents, statement.currency)),
    money(new Money(statement.adjustmentsCents, statement.currency)),
    money(new Money(statement.amountOwedCents, statement.currency)),
    statement.status === 'closed' && statement.dueAt
      ? html`<span class="line">${day(statement.dueAt)}</span> <span class="age">${relativeTime(statement.dueAt, context.now)}</span>`
      : emptyValue(),
    statement.status === 'closed' ? actionLink(markPaid(statement, '/ops/settlements')) : '',
  ]),
  'No statement has been closed yet.',
)}
${pager('/ops/settlements', { status, environment, partner, cursor: next }, 'Earlier periods', cursor === null)}`,
    };
  },
});

/** One statement with its lines. */
export const settlementPage = consolePage({
  path: '/settlements/:id',
  input: Type.Object({ id: IdField, cursor: Type.Optional(Type.String({ maxLength: 200 })) }),
  async show(context, { id, cursor }) {
    requireId('settlement', id, 'No settlement has this id.');
    const statement = await getStatementForOps(context, id);
    const page = { after: readPosition(cursor), limit: PAGE_SIZE };
    const { lines, next } = await getSettlement(context, statement, id, page);
    const { currency } = statement;
    return {
      title: `Statement of ${statement.partnerName}`,
      section: 'settlements',
      content: html`${actionLinks([
        statement.status === 'closed' && { ...markPaid(statement), tone: 'main' },
        statement.status === 'paid' && {
          form: 'settlement-reverse-payment',
          text: 'Reverse the payment',
          about: statement.partnerName,
          given: { id: statement.id },
          tone: 'danger',
        },
      ])}
${statementFacts(statement, context.now)}
${section('How it adds up', sums(statement))}
${section(
  'Lines',
  html`${table(
    'Lines, the oldest first',
    [
      'Domain',
      'Kind',
      'Paid by',
      figure('Price'),
      figure('Commission'),
      figure('Owed to us'),
      'When',
    ],
    lines.map((line) => [
      link(orderPath(line.orderId), line.domain),
      humanize(line.kind),
      humanize(line.paymentModel),
      money(new Money(line.salePriceCents, currency)),
      money(new Money(line.commissionCents, currency)),
      money(new Money(line.amountOwedCents, currency)),
      timestamp(line.occurredAt, context.now),
    ]),
    'This statement has no lines yet.',
  )}
${pager(settlementPath(id), { cursor: writePosition(next) }, 'Later lines', cursor === undefined)}`,
)}
<p><a href="${auditPath(id)}">The audit trail of this statement</a></p>`,
    };
  },
});

/** What a run has done so far. */
export const settlementRunPage = consolePage({
  path: '/settlement-runs/:run',
  input: Type.Object({ run: IdField }),
  async show(context, { run: id }) {
    requireId('settlementRun', id, 'No settlement run has this id.');
    const run = await readSettlementRun(context, id);
    return {
      title: 'Settlement run',
      section: 'settlements',
      content: html`${descriptionList([
        ['Status', badge(run.status)],
        ['Environment', environmentTag(run.environment)],
        ['Period', run.period],
        ['Up to', run.until && timestamp(run.until, context.now)],
        ['Partner', run.partnerId && link(partnerPath(run.partnerId), run.partnerId)],
        ['Asked for', timestamp(run.createdAt, context.now)],
        ['Finished', run.finishedAt && timestamp(run.finishedAt, context.now)],
        ['Run', html`<span class="id">${run.id}</span>`],
      ])}
${run.status !== 'completed' && html`<p class="intro">The workers are at it. <a href="/ops/settlement-runs/${run.id}">Look again</a></p>`}
${section(
  'Statements',
  table(
    'Statements of this run',
    ['Statement', 'Partner', 'Status', figure('Orders'), figure('Owed to us')],
    run.partners.flatMap(({ partnerId, state, statements }): unknown[][] =>
      statements.length === 0
        ? [[emptyValue(), link(partnerPath(partnerId), partnerId), badge(state), '', '']]
        : statements.map((statement) => [
            link(settlementPath(statement.id), period(statement)),
            html`<a class="id" href="${partnerPath(partnerId)}">${partnerId}</a>`,
            badge(statement.status),
            statement.ordersCount,
            money(new Money(statement.amountOwedCents, statement.currency)),
          ]),
    ),
    run.status === 'completed' ? 'Nothing was due.' : 'None yet.',
  ),
)}`,
    };
  },
});

function statementFacts(statement: OpsStatement, now: Date): Markup {
  const { currency } = statement;
  return descriptionList([
    ['Status', statusOf(statement, now)],
    ['Environment', environmentTag(statement.environment)],
    ['Period', period(statement)],
    ['Partner', link(partnerPath(statement.partnerId), statement.partnerName)],
    ['Orders', statement.ordersCount],
    ['Owed to us', html`<strong>${money(new Money(statement.amountOwedCents, currency))}</strong>`],
    ['Closed', statement.closedAt && timestamp(statement.closedAt, now)],
    ['Due', statement.dueAt && timestamp(statement.dueAt, now)],
    ['Paid', statement.paidAt && timestamp(statement.paidAt, now)],
    ['Reference', statement.paymentReference],
    ['Settlement', html`<span class="id">${statement.id}</span>`],
  ]);
}

/** Every step from what was sold to what is owed. */
function sums(statement: OpsStatement): Markup {
  const { grossSoldCents, commissionRetainedCents, adjustmentsCents, amountOwedCents } = statement;
  // What a partner did not collect it does not owe: those lines count as sold, with nothing owed.
  const collectedByUs =
    grossSoldCents - commissionRetainedCents + adjustmentsCents - amountOwedCents;
  // Subtracted from 0, since -0 would be shown as -$0.00.
  const amount = (cents: number) => money(new Money(cents, statement.currency));
  return table(
    'From what was sold to what is owed',
    ['Sum', figure('Amount'), 'What it is'],
    [
      ['Gross sold', amount(grossSoldCents), 'The prices of all domains sold in the period.'],
      [
        'Collected by us',
        amount(0 - collectedByUs),
        'Sales by hosted checkout and brokerage: we have the money already.',
      ],
      [
        'Commission retained',
        amount(0 - commissionRetainedCents),
        'What the partner keeps of the sales that it collected.',
      ],
      ['Adjustments', amount(adjustmentsCents), 'What was clawed back for refunded orders.'],
      [
        'Owed to us',
        html`<strong>${amount(amountOwedCents)}</strong>`,
        amountOwedCents < 0 ? 'The sum. It is negative: we owe the partner.' : 'The sum.',
      ],
    ],
    '',
  );
}

function period(statement: { periodStart: Date; periodEnd: Date }): string {
  return `${day(statement.periodStart)} to ${lastDay(statement)}`;
}

/** The end of a period does not belong to it. */
function lastDay({ periodEnd }: { periodEnd: Date }): string {
  return day(new Date(periodEnd.getTime() - 1));
}

function statusOf(statement: OpsStatement, now: Date): Markup {
  const late =
    statement.status === 'closed' &&
    statement.dueAt !== null &&
    statement.dueAt < now &&
    statement.amountOwedCents > 0;
  return html`${badge(statement.status)}${late && html` ${badge('overdue')}`}`;
}

function markPaid(statement: OpsStatement, back?: string) {
  const link = {
    form: 'settlement-mark-paid',
    text: 'Mark paid',
    about: statement.partnerName,
    given: { id: statement.id },
  };
  return back === undefined ? link : { ...link, back };
}

type Position = StatementDetail['next'];

function writePosition(position: Position): string | null {
  return position && `${position.occurredAt.getTime()}.${position.orderId}.${position.kind}`;
}

function readPosition(text: string | undefined): Position {
  const [at = '', orderId = '', kind] = text?.split('.') ?? [];
  if (!/^\d{1,15}$/.test(at) || (kind !== 'sale' && kind !== 'clawback')) return null;
  return { occurredAt: new Date(Number(at)), orderId, kind };
}

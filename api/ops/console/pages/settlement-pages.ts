import { Type } from 'typebox';
import type { DocumentSummary } from '../../../../shared/messaging/documents/document.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import type { ListSort } from '../../../../shared/platform/page.ts';
import { readSettlementRunPage } from '../../../../shared/settlement/statements/read-settlement-runs.ts';
import {
  getSettlement,
  getStatementForOps,
  listStatementsForOps,
  type OpsStatement,
} from '../../../../shared/settlement/statements/read-statements.ts';
import { statusFilter } from '../../../pages/kit/form.ts';
import { formatDay, money, relativeTime, timestamp } from '../../../pages/kit/format.ts';
import { type CsvColumns, PAGE_SIZE } from '../../../pages/kit/list.ts';
import {
  descriptionList,
  documentLinks,
  emptyValue,
  link,
  section,
} from '../../../pages/kit/page-parts.ts';
import type { PageNow } from '../../../pages/kit/page-time.ts';
import {
  dueDate,
  formatPeriod,
  lastMoment,
  readPosition,
  STATEMENT_COLUMNS,
  statementLines,
  statementStatus,
  statementSums,
  writePosition,
} from '../../../pages/kit/statement-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, pager, table } from '../../../pages/kit/table.ts';
import { actionLink, actionRow, offeredLinks } from '../action-links.ts';
import {
  clockOf,
  consolePage,
  EnvironmentFilter,
  environmentFilter,
  IdField,
  type PageContext,
  requireId,
} from '../console-page.ts';
import {
  auditPath,
  documentPath,
  orderPath,
  partnerPath,
  settlementPath,
  settlementRunPath,
} from '../console-paths.ts';
import { STATEMENT_FORMS } from '../forms/settlement-forms.ts';
import { type ListColumn, listInOwnTime } from '../list-page.ts';

const STATUSES = ['closing', 'closed', 'paid'] as const;

const FILE_COLUMNS: CsvColumns<OpsStatement> = {
  id: ({ id }) => id,
  partner_id: ({ partnerId }) => partnerId,
  partner: ({ partnerName }) => partnerName,
  environment: ({ environment }) => environment,
  ...STATEMENT_COLUMNS,
  due_at: ({ dueAt }) => dueAt?.toISOString() ?? null,
  paid_at: ({ paidAt }) => paidAt?.toISOString() ?? null,
};

/** Statements of all partners. */
export const settlementsPage = listInOwnTime({
  path: '/settlements',
  title: 'Settlements',
  section: 'settlements',
  filters: {
    status: Type.Optional(Type.Enum([...STATUSES])),
    environment: EnvironmentFilter,
    partner: Type.Optional(IdField),
  },
  sorts: ['newest', 'oldest'],
  read: (context, { status = null, environment = null, partner = null }, page) =>
    listStatementsForOps(context, { status, environment, partnerId: partner }, page),
  above: (_filters, context) =>
    actionRow([actionLink(context, { form: 'settlement-run', given: {} })]),
  form: ({ status = null, environment = null, partner = null }) => ({
    fields: [statusFilter(STATUSES, status), environmentFilter(environment)],
    hidden: { partner },
  }),
  dates: 'Made',
  intro: () =>
    'Owed to us = gross sold − sales that we collected ourselves − commission + adjustments. Open a statement to see each sum.',
  caption: 'Statements',
  columns: (_filters, here) => [
    {
      title: 'Partner',
      cell: (statement) =>
        html`${link(settlementPath(statement.id), statement.partnerName)} ${environmentTag(statement.environment)}`,
    },
    {
      title: 'Period',
      cell: (statement) =>
        html`<span class="line">${formatDay(statement.periodStart)}</span> <span class="line">to ${formatDay(lastMoment(statement))}</span>`,
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    { title: 'Status', cell: (statement, { now }) => statementStatus(statement, now) },
    { ...numberColumn('Orders'), cell: ({ ordersCount }) => ordersCount },
    amountColumn('Gross sold', ({ grossSoldCents }) => grossSoldCents),
    amountColumn('Commission', ({ commissionRetainedCents }) => commissionRetainedCents),
    amountColumn('Adjustments', ({ adjustmentsCents }) => adjustmentsCents),
    amountColumn('Owed to us', ({ amountOwedCents }) => amountOwedCents),
    {
      title: 'Due',
      cell(statement, { now }) {
        const dueAt = statement.status === 'closed' && dueDate(statement);
        return dueAt
          ? html`<span class="line">${formatDay(dueAt)}</span> <span class="age">${relativeTime(dueAt, now)}</span>`
          : emptyValue();
      },
    },
    {
      ...ACTIONS,
      cell: (statement, context) =>
        statementLinks(context, statement, ['settlement-mark-paid'], here),
    },
  ],
  empty: 'No statements match, or none is closed yet.',
  more: 'More statements',
  csv: FILE_COLUMNS,
});

function amountColumn(
  title: string,
  cents: (statement: OpsStatement) => number,
): ListColumn<OpsStatement, ListSort> {
  return {
    ...numberColumn(title),
    cell: (statement) => money(new Money(cents(statement), statement.currency)),
  };
}

/** One statement with its lines. */
export const settlementPage = consolePage({
  path: '/settlements/:id',
  input: Type.Object({ id: IdField, cursor: Type.Optional(Type.String({ maxLength: 200 })) }),
  async show(context, { id, cursor }) {
    requireId('settlement', id, 'No settlement has this ID.');
    const statement = await getStatementForOps(context, id);
    const page = { after: readPosition(cursor), limit: PAGE_SIZE };
    const { lines, next } = await getSettlement(context, statement, id, page);
    const { currency } = statement;
    const { now, testMode } = await clockOf(context, statement);
    return {
      testMode,
      title: `Statement of ${statement.partnerName}`,
      section: 'settlements',
      content: html`${actionRow(statementLinks(context, statement))}
${statementFacts(statement, statement.documents, now)}
${section('How it adds up', statementSums(statement, 'staff'))}
${section(
  'Lines',
  html`${statementLines(lines, currency, { reader: 'staff', orderPath, now })}
${pager(settlementPath(id), { cursor: writePosition(next) }, 'Later lines', cursor === undefined)}`,
)}
<p><a href="${auditPath(id)}">Audit trail of this statement</a></p>`,
    };
  },
});

/** The progress of a settlement run. */
export const settlementRunPage = consolePage({
  path: '/settlement-runs/:run',
  input: Type.Object({ run: IdField, cursor: Type.Optional(IdField) }),
  async show(context, { run: id, cursor }) {
    requireId('settlementRun', id, 'No settlement run has this ID.');
    const page = { after: cursor ?? null, limit: PAGE_SIZE };
    const { run, rows, next } = await readSettlementRunPage(context, id, page);
    return {
      title: 'Settlement run',
      section: 'settlements',
      content: html`${descriptionList([
        ['Status', statusBadge(run.status)],
        ['Environment', environmentTag(run.environment)],
        ['Period', run.period],
        ['Up to', run.until && timestamp(run.until, context.now)],
        ['Partner', run.partnerId && link(partnerPath(run.partnerId), run.partnerId)],
        ['Requested', timestamp(run.createdAt, context.now)],
        ['Finished', run.finishedAt && timestamp(run.finishedAt, context.now)],
        ['Run', html`<span class="id">${run.id}</span>`],
      ])}
${run.status !== 'completed' && html`<p class="intro">Still running. <a href="${settlementRunPath(run.id)}">Refresh</a></p>`}
${section(
  'Statements',
  html`${table(
    'Statements of this run',
    ['Statement', 'Partner', 'Status', numberColumn('Orders'), numberColumn('Owed to us')],
    rows.flatMap(({ partnerId, state, statements }): unknown[][] =>
      statements.length === 0
        ? [[emptyValue(), link(partnerPath(partnerId), partnerId), statusBadge(state), '', '']]
        : statements.map((statement) => [
            link(settlementPath(statement.id), formatPeriod(statement)),
            html`<a class="id" href="${partnerPath(partnerId)}">${partnerId}</a>`,
            statusBadge(statement.status),
            statement.ordersCount,
            money(new Money(statement.amountOwedCents, statement.currency)),
          ]),
    ),
    run.status === 'completed' ? 'Nothing was due.' : 'No statements yet.',
  )}
${pager(settlementRunPath(id), { cursor: next }, 'More partners', cursor === undefined)}`,
)}`,
    };
  },
});

function statementFacts(
  statement: OpsStatement,
  documents: readonly DocumentSummary[],
  now: PageNow,
): Markup {
  const { currency } = statement;
  const dueAt = dueDate(statement);
  return descriptionList([
    ['Status', statementStatus(statement, now)],
    ['Environment', environmentTag(statement.environment)],
    ['Period', formatPeriod(statement)],
    ['Partner', link(partnerPath(statement.partnerId), statement.partnerName)],
    ['Orders', statement.ordersCount],
    ['Owed to us', html`<strong>${money(new Money(statement.amountOwedCents, currency))}</strong>`],
    ['Closed', statement.closedAt && timestamp(statement.closedAt, now)],
    ['Due', dueAt && timestamp(dueAt, now)],
    ['Paid', statement.paidAt && timestamp(statement.paidAt, now)],
    ['Reference', statement.paymentReference],
    ['Documents', documentLinks(documents, (_kind, document) => documentPath(document))],
    ['Settlement', html`<span class="id">${statement.id}</span>`],
  ]);
}

function statementLinks(
  context: PageContext,
  statement: OpsStatement,
  only?: readonly (keyof typeof STATEMENT_FORMS)[],
  back?: string,
): Markup[] {
  const link = { given: { id: statement.id }, about: statement.partnerName, back };
  return offeredLinks(context, STATEMENT_FORMS, statement, link, only);
}

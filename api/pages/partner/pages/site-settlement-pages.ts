import { Type } from 'typebox';
import { listDocuments } from '../../../../shared/messaging/documents/read-documents.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import {
  getSettlement,
  listSettlements,
  type StatementPosition,
  streamStatementLines,
} from '../../../../shared/settlement/statements/read-statements.ts';
import {
  STATEMENT_STATUSES,
  type Statement,
} from '../../../../shared/settlement/statements/statement.ts';
import { csvOf } from '../../../http/csv.ts';
import { LineView, lineView, MAX_LINES } from '../../../partner/settlement-routes.ts';
import { statusFilter } from '../../kit/form.ts';
import { formatDay, money, timestamp } from '../../kit/format.ts';
import { PAGE_SIZE } from '../../kit/list.ts';
import { descriptionList, documentLinks, emptyValue, link, section } from '../../kit/page-parts.ts';
import {
  dueDate,
  formatPeriod,
  readPosition,
  STATEMENT_COLUMNS,
  statementLines,
  statementStatus,
  statementSums,
  writePosition,
} from '../../kit/statement-parts.ts';
import { numberColumn, pager } from '../../kit/table.ts';
import { siteList, sitePage } from '../site-page.ts';

const IdField = Type.String({ maxLength: 64 });

/** The open statement, then the closed ones. */
export const settlementsPage = siteList({
  path: '/settlements',
  time: 'own',
  title: 'Settlements',
  section: 'settlements',
  filters: { status: Type.Optional(Type.Enum([...STATEMENT_STATUSES])) },
  sorts: ['newest'],
  read: (context, { status }, { from, to, after, limit }) =>
    listSettlements(context, context.owner, {
      statuses: status === undefined ? null : [status],
      from,
      to,
      after,
      limit,
    }),
  cursor: {
    write: (at: StatementPosition) =>
      at.part === 'running' ? `running.${at.currency}` : `stored.${at.id}`,
    read(text): StatementPosition {
      const [part, key = ''] = text.split('.');
      return part === 'running' ? { part, currency: key } : { part: 'stored', id: key };
    },
  },
  form: ({ status = null }) => ({ fields: [statusFilter(STATEMENT_STATUSES, status)] }),
  dates: 'Period',
  caption: 'Statements, the running one first',
  columns: (_filters, _here, { base }) => [
    {
      title: 'Period',
      cell: (statement: Statement) =>
        link(`${base}/settlements/${statement.id}`, formatPeriod(statement)),
    },
    { title: 'Status', cell: (statement, { now }) => statementStatus(statement, now) },
    { ...numberColumn('Orders'), cell: ({ ordersCount }) => ordersCount },
    { ...numberColumn('Sold'), cell: (each) => amount(each, each.grossSoldCents) },
    {
      ...numberColumn('Your commission'),
      cell: (each) => amount(each, each.commissionRetainedCents),
    },
    { ...numberColumn('You owe us'), cell: (each) => amount(each, each.amountOwedCents) },
    {
      title: 'Due',
      cell(statement) {
        const dueAt = dueDate(statement);
        return dueAt ? formatDay(dueAt) : emptyValue();
      },
    },
  ],
  empty: 'No statements match. The first one opens with your first delivered order.',
  more: 'Earlier statements',
  csv: {
    id: ({ id }) => id,
    ...STATEMENT_COLUMNS,
    closed_at: ({ closedAt }) => closedAt?.toISOString() ?? null,
    due_at: ({ dueAt }) => dueAt?.toISOString() ?? null,
  },
});

function amount({ currency }: Statement, cents: number): Markup {
  return money(new Money(cents, currency));
}

/** One statement: its totals and how they add up, its documents, its lines. */
export const settlementPage = sitePage({
  path: '/settlements/:id',
  time: 'own',
  input: Type.Object({ id: IdField, cursor: Type.Optional(Type.String({ maxLength: 200 })) }),
  async show(context, { id, cursor }) {
    const { owner, base, now } = context;
    const page = { after: readPosition(cursor), limit: PAGE_SIZE };
    const { statement, lines, next } = await getSettlement(context, owner, id, page);
    const documents = await listDocuments(context.db.knex, owner, statement.id);
    const dueAt = dueDate(statement);
    const path = `${base}/settlements/${id}`;
    return {
      title: `Statement, ${formatPeriod(statement)}`,
      section: 'settlements',
      content: html`${descriptionList([
        ['Status', statementStatus(statement, now)],
        ['Orders', statement.ordersCount],
        [
          statement.amountOwedCents < 0 ? 'We owe you' : 'You owe us',
          html`<strong>${amount(statement, Math.abs(statement.amountOwedCents))}</strong>`,
        ],
        ['Closed', statement.closedAt && timestamp(statement.closedAt, now)],
        ['Due', dueAt && timestamp(dueAt, now)],
        [
          'Documents',
          documentLinks(documents, (_kind, document) => `${base}/documents/${document}`) ||
            'Issued when the period closes',
        ],
        ['Lines', html`<a href="${path}/lines.csv" download>Download as CSV</a>`],
        ['Settlement', html`<span class="id">${statement.id}</span>`],
      ])}
${section('How it adds up', statementSums(statement, 'partner'))}
${section(
  'Lines',
  html`${statementLines(lines, statement.currency, { reader: 'partner', orderPath: (order) => `${base}/orders/${order}`, now })}
${pager(path, { cursor: writePosition(next) }, 'Later lines', cursor === undefined)}`,
)}`,
    };
  },
});

/** Every line of a statement, as the API returns them. */
export const statementLinesFile = sitePage({
  path: '/settlements/:id/lines.csv',
  time: 'own',
  input: Type.Object({ id: IdField }),
  async show(context, { id }) {
    const { owner } = context;
    const first = await getSettlement(context, owner, id, { after: null, limit: MAX_LINES });
    const pages = streamStatementLines(context, owner, first, MAX_LINES);
    const columns = Object.keys(LineView.properties) as (keyof ReturnType<typeof lineView>)[];
    const { currency } = first.statement;
    return {
      csv: `settlement-${first.statement.id}.csv`,
      chunks: csvOf(pages, columns, (line) => lineView(line, currency)),
    };
  },
});

import { html, type Markup } from '../../../shared/platform/html.ts';
import { Money } from '../../../shared/platform/money.ts';
import type {
  StatementDetail,
  StoredStatus,
} from '../../../shared/settlement/statements/read-statements.ts';
import type {
  StatementLine,
  StatementStatus,
  StatementTotals,
} from '../../../shared/settlement/statements/statement.ts';
import { formatDay, humanize, money, timestamp } from './format.ts';
import { domainLink } from './page-parts.ts';
import type { PageNow } from './page-time.ts';
import { statusBadge } from './status-badge.ts';
import { numberColumn, table } from './table.ts';

/** Returns the last moment of a period, whose end is exclusive. */
export function lastMoment({ periodEnd }: { periodEnd: Date }): Date {
  return new Date(periodEnd.getTime() - 1);
}

/** Formats a period: `Nov 1, 2026 to Nov 30, 2026`. */
export function formatPeriod(period: { periodStart: Date; periodEnd: Date }): string {
  return `${formatDay(period.periodStart)} to ${formatDay(lastMoment(period))}`;
}

/** Returns when the amount of a statement is due; null if it owes nothing. */
export function dueDate({
  dueAt,
  amountOwedCents,
}: Pick<StatementDue, 'dueAt' | 'amountOwedCents'>): Date | null {
  return amountOwedCents === 0 ? null : dueAt;
}

/** Shows the status of a statement, and whether it is overdue. */
export function statementStatus(
  { status, dueAt, amountOwedCents }: StatementDue,
  now: PageNow,
): Markup {
  const late = status === 'closed' && dueAt !== null && dueAt < now && amountOwedCents > 0;
  return html`${statusBadge(status)}${late && html` ${statusBadge('overdue')}`}`;
}

interface StatementDue {
  status: StatementStatus | StoredStatus;
  dueAt: Date | null;
  amountOwedCents: number;
}

interface StatementRow extends StatementTotals {
  periodStart: Date;
  periodEnd: Date;
  status: string;
  ordersCount: number;
  currency: string;
}

/** The columns of a CSV file of statements, in this order. */
export const STATEMENT_COLUMNS = {
  period_start: ({ periodStart }: StatementRow) => periodStart.toISOString(),
  period_end: ({ periodEnd }: StatementRow) => periodEnd.toISOString(),
  status: ({ status }: StatementRow) => status,
  orders: ({ ordersCount }: StatementRow) => ordersCount,
  currency: ({ currency }: StatementRow) => currency,
  gross_sold_cents: ({ grossSoldCents }: StatementRow) => grossSoldCents,
  commission_retained_cents: ({ commissionRetainedCents }: StatementRow) => commissionRetainedCents,
  adjustments_cents: ({ adjustmentsCents }: StatementRow) => adjustmentsCents,
  amount_owed_cents: ({ amountOwedCents }: StatementRow) => amountOwedCents,
};

/** Who reads a statement: the partner itself, or staff. */
export type StatementReader = 'partner' | 'staff';

const WORDS: Readonly<
  Record<StatementReader, Record<'commission' | 'kept' | 'owed' | 'weOwe', string>>
> = {
  partner: {
    commission: 'Your commission',
    kept: 'You keep it, of the sales that you collected.',
    owed: 'You owe us',
    weOwe: 'The sum. It is negative: we owe this to you.',
  },
  staff: {
    commission: 'Commission retained',
    kept: 'Kept by the partner, of the sales that it collected.',
    owed: 'Owed to us',
    weOwe: 'The sum. It is negative: we owe this to the partner.',
  },
};

/** Shows every step from the gross amount sold to the amount owed. */
export function statementSums(
  statement: StatementTotals & { currency: string },
  reader: StatementReader,
): Markup {
  const words = WORDS[reader];
  const { grossSoldCents, commissionRetainedCents, adjustmentsCents, amountOwedCents } = statement;
  // A partner does not owe what it did not collect: those lines count as sold, with nothing owed.
  const collectedByUs =
    grossSoldCents - commissionRetainedCents + adjustmentsCents - amountOwedCents;
  // Subtracted from 0, since -0 would be shown as -$0.00.
  const amount = (cents: number) => money(new Money(cents, statement.currency));
  return table(
    'From what was sold to what is owed',
    ['Sum', numberColumn('Amount'), 'What it is'],
    [
      ['Gross sold', amount(grossSoldCents), 'Prices of all domains sold in the period.'],
      [
        'Collected by us',
        amount(0 - collectedByUs),
        'Hosted checkout and brokerage sales: we already have the money.',
      ],
      [words.commission, amount(0 - commissionRetainedCents), words.kept],
      ['Adjustments', amount(adjustmentsCents), 'Clawbacks of refunded orders.'],
      [
        words.owed,
        html`<strong>${amount(amountOwedCents)}</strong>`,
        amountOwedCents < 0 ? words.weOwe : 'The sum.',
      ],
    ],
    '',
  );
}

/** Shows what each order adds to or subtracts from a statement. */
export function statementLines(
  lines: readonly StatementLine[],
  currency: string,
  page: { reader: StatementReader; orderPath(id: string): string; now: PageNow },
): Markup {
  return table(
    'Lines, the oldest first',
    [
      'Domain',
      'Kind',
      'Paid by',
      numberColumn('Price'),
      numberColumn('Commission'),
      numberColumn(WORDS[page.reader].owed),
      'When',
    ],
    lines.map((line) => [
      domainLink(page.orderPath(line.orderId), line.domain),
      humanize(line.kind),
      humanize(line.paymentModel),
      money(new Money(line.salePriceCents, currency)),
      money(new Money(line.commissionCents, currency)),
      money(new Money(line.amountOwedCents, currency)),
      timestamp(line.occurredAt, page.now),
    ]),
    'No lines yet.',
  );
}

type Position = StatementDetail['next'];

/** Writes the position of a line, for the URL of the next page. */
export function writePosition(position: Position): string | null {
  return position && `${position.occurredAt.getTime()}.${position.orderId}.${position.kind}`;
}

/** Reads the position of a line; an invalid one reads as the beginning. */
export function readPosition(text: string | undefined): Position {
  const [at = '', orderId = '', kind] = text?.split('.') ?? [];
  if (!/^\d{1,15}$/.test(at) || (kind !== 'sale' && kind !== 'clawback')) return null;
  return { occurredAt: new Date(Number(at)), orderId, kind };
}

import type { Statement, StatementLine } from '../../../shared/settlements/settlement.ts';
import { csvRecord } from '../../http/csv.ts';

/** A statement as partners see it. */
export function settlementView(statement: Statement) {
  return {
    id: statement.id,
    period_start: statement.periodStart.toISOString(),
    period_end: statement.periodEnd.toISOString(),
    status: statement.status,
    currency: statement.currency,
    orders_count: statement.ordersCount,
    gross_sold_cents: statement.grossSoldCents,
    commission_retained_cents: statement.commissionRetainedCents,
    adjustments_cents: statement.adjustmentsCents,
    amount_owed_cents: statement.amountOwedCents,
    closed_at: statement.closedAt?.toISOString() ?? null,
    due_at: statement.dueAt?.toISOString() ?? null,
  };
}

export function lineView(line: StatementLine, currency: string) {
  return {
    order_id: line.orderId,
    type: line.kind,
    domain: line.domain,
    payment_model: line.paymentModel,
    sale_price_cents: line.salePriceCents,
    commission_cents: line.commissionCents,
    amount_owed_cents: line.amountOwedCents,
    currency,
    occurred_at: line.occurredAt.toISOString(),
  };
}

const COLUMNS = [
  'order_id',
  'type',
  'domain',
  'payment_model',
  'sale_price_cents',
  'commission_cents',
  'amount_owed_cents',
  'currency',
  'occurred_at',
] as const;

/** The lines as CSV, a page at a time, under a header. */
export async function* linesAsCsv(
  pages: AsyncIterable<StatementLine[]>,
  currency: string,
): AsyncGenerator<string> {
  yield csvRecord(COLUMNS);
  for await (const lines of pages) {
    const records = lines.map((line) => {
      const view = lineView(line, currency);
      return csvRecord(COLUMNS.map((column) => view[column]));
    });
    yield records.join('');
  }
}

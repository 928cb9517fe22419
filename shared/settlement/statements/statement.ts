import type { Config, Environment } from '../../platform/config/config.ts';
import { derivedId } from '../../platform/ids.ts';
import type { Cents } from '../../platform/money.ts';
import type { PaymentModel } from '../../sales/orders/order.ts';
import type { DeliveredOrder } from '../../sales/orders/settle-orders.ts';

/** The partner and environment of statements. */
export interface StatementOwner {
  partnerId: string;
  environment: Environment;
}

/** The statuses that partners see: a statement that is being closed still counts as open. */
export const STATEMENT_STATUSES = ['open', 'closed', 'paid'] as const;

export type StatementStatus = (typeof STATEMENT_STATUSES)[number];

export interface StatementTotals {
  ordersCount: number;
  grossSoldCents: Cents;
  commissionRetainedCents: Cents;
  adjustmentsCents: Cents;
  /** The exact sum of the lines: the amount that the partner owes; negative if we owe it. */
  amountOwedCents: Cents;
}

export interface Statement extends StatementOwner, StatementTotals {
  id: string;
  currency: string;
  periodStart: Date;
  periodEnd: Date;
  status: StatementStatus;
  closedAt: Date | null;
  dueAt: Date | null;
}

export type LineKind = 'sale' | 'clawback';

/** The amounts that one order adds to a statement or subtracts from it. */
export interface StatementLine {
  orderId: string;
  kind: LineKind;
  domain: string;
  paymentModel: PaymentModel;
  salePriceCents: Cents;
  commissionCents: Cents;
  amountOwedCents: Cents;
  occurredAt: Date;
}

/**
 * Returns the line of a sale. A partner that collected the price owes it less its commission. For a price that we
 * collected it owes nothing, and its commission is paid out separately.
 */
export function saleLine(order: DeliveredOrder): StatementLine {
  const collected = order.paymentModel === 'merchant_of_record';
  return {
    orderId: order.id,
    kind: 'sale',
    domain: order.domain,
    paymentModel: order.paymentModel,
    salePriceCents: order.price.amount,
    commissionCents: order.commission.amount,
    amountOwedCents: collected ? order.price.minus(order.commission).amount : 0,
    occurredAt: order.transferCompletedAt,
  };
}

/** Returns how long after its delivery an order may enter a statement, in milliseconds. */
export function settlementDelayMs(config: Config, environment: Environment): number {
  return environment === 'LIVE' ? config.settlementDelayLiveMs : config.settlementDelaySandboxMs;
}

/** Returns the ID of the statement that starts then: an open statement keeps its ID when it closes. */
export function statementId(owner: StatementOwner, currency: string, periodStart: Date): string {
  return derivedId(
    'settlement',
    periodStart,
    `${owner.partnerId}/${owner.environment}/${currency}`,
  );
}

/** A request to close periods, for all partners of an environment or for one. */
export interface SettlementRun {
  id: string;
  environment: Environment;
  /** A month (`2026-11`), `ended` for a scheduled run, or null if an instant was given. */
  period: string | null;
  /** The instant up to which it closes, fixed at the request. */
  until: Date;
  partnerId: string | null;
  requestedBy: string;
  status: 'queued' | 'running' | 'completed';
  createdAt: Date;
  finishedAt: Date | null;
}

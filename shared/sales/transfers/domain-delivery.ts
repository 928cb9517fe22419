import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Order } from '../orders/order.ts';
import type { DeliveryEventType } from './domain-delivery.events.ts';
import type { Transfer } from './transfer.ts';

/**
 * The status of a delivery that we make ourselves. `awaiting_claim`: the buyer has a claim link, or the partner may
 * ask for the code. `failed`: the order was refunded before the delivery.
 */
export const DELIVERY_STATUSES = [
  'awaiting_claim',
  'code_issued',
  'pending_transfer',
  'delivered',
  'expired',
  'failed',
] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery statuses that an order shows. While it waits for its registrant, there is no delivery yet. */
export const SHOWN_DELIVERY_STATUSES = ['awaiting_registrant', ...DELIVERY_STATUSES] as const;

export type ShownDeliveryStatus = (typeof SHOWN_DELIVERY_STATUSES)[number];

/** The delivery of one order's domain by us. It does not exist until we have the domain. */
export interface Delivery {
  orderId: string;
  method: DeliveryMethod;
  status: DeliveryStatus;
  /** When the delivery got this status. */
  since: Date;
  /** When the claim link or code expires; null if there is none. */
  expiresAt: Date | null;
  /** The number of codes or claim links issued so far, which is the number of the current one. */
  issue: number;
  /** When the current one was requested; the registry may not have the code yet. */
  issuedAt: Date;
  /** The registry's id of the registrar that requested the domain. */
  requestedBy: string | null;
  createdAt: Date;
}

interface DeliveryMove {
  from: readonly DeliveryStatus[];
  to: DeliveryStatus;
  event: DeliveryEventType | null;
}

/** Every move of a delivery after it began as `awaiting_claim`. Drawn in docs/states.md. */
export const DELIVERY_MOVES = {
  issue_code: {
    from: ['awaiting_claim', 'code_issued', 'expired'],
    to: 'code_issued',
    event: 'order.delivery_ready',
  },
  approve_transfer: { from: ['code_issued'], to: 'pending_transfer', event: 'transfer.requested' },
  expire: {
    from: ['awaiting_claim', 'code_issued', 'pending_transfer'],
    to: 'expired',
    event: 'transfer.expired',
  },
  reopen: {
    from: ['awaiting_claim', 'expired'],
    to: 'awaiting_claim',
    event: 'order.delivery_ready',
  },
  deliver: {
    from: ['awaiting_claim', 'code_issued', 'pending_transfer', 'expired'],
    to: 'delivered',
    event: null,
  },
  withdraw: {
    from: ['awaiting_claim', 'code_issued', 'pending_transfer', 'expired'],
    to: 'failed',
    event: null,
  },
} as const satisfies Record<string, DeliveryMove>;

export type DeliveryMoveName = keyof typeof DELIVERY_MOVES;

/** Returns whether another registrar can fetch the domain now. */
export function isCodeOut({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'code_issued' || status === 'pending_transfer';
}

/** Returns whether a move is allowed from `status`; null is a delivery that has not begun. */
export function canDeliver(status: string | null, name: DeliveryMoveName): boolean {
  const from: readonly string[] = DELIVERY_MOVES[name].from;
  return status !== null && from.includes(status);
}

/**
 * Returns whether we hand over the domain to the buyer or the partner's registrar. Otherwise staff or the automatic
 * policy confirm what the registrar did. That is so for LIVE domains that people move, and in the sandbox unless
 * the sale asks for the partner's registrar.
 */
export function isHandedOver(
  { registrarLive }: Pick<Config, 'registrarLive'>,
  { environment }: Pick<Order, 'environment'>,
  { deliveryMethod }: Pick<Transfer, 'deliveryMethod'>,
): boolean {
  if (environment === 'LIVE') return registrarLive !== 'manual';
  return deliveryMethod === 'partner_registrar';
}

/** Returns the reference for the registry commands about one code. */
export function codeReference(transferId: string, issue: number): string {
  return `${transferId}-code-${issue}`;
}

/** Returns the references of all codes of an order's domain up to an issue, latest first. */
export function codeReferences(transferId: string, issue: number): [string, ...string[]] {
  const earlier = Array.from({ length: issue - 1 }, (_, at) => codeReference(transferId, at + 1));
  return [codeReference(transferId, issue), ...earlier.reverse()];
}

import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Order } from '../orders/order.ts';
import type { DeliveryEventType } from './domain-delivery.events.ts';
import type { Transfer } from './transfer.ts';

/**
 * Where the handing over of a domain stands that is ours to give. `awaiting_claim`: the buyer has a claim link, or the
 * partner may ask for the code. `failed`: the order was taken back before.
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

/** What an order shows of it: while it waits for its registrant there is no delivery yet. */
export const SHOWN_DELIVERY_STATUSES = ['awaiting_registrant', ...DELIVERY_STATUSES] as const;

export type ShownDeliveryStatus = (typeof SHOWN_DELIVERY_STATUSES)[number];

/** The handing over of one order's domain; there is none before the domain is ours to give. */
export interface Delivery {
  orderId: string;
  method: DeliveryMethod;
  status: DeliveryStatus;
  /** Since when it has this status. */
  since: Date;
  /** When the claim link or the code ends; null where nothing waits. */
  expiresAt: Date | null;
  /** Codes and claim links made so far; the number of the present one. */
  issue: number;
  /** When that was asked for; the registry may not have the code yet. */
  issuedAt: Date;
  /** The registrar, by its id at the registry, that asked for the domain. */
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

/** Whether another registrar can fetch the domain at this moment. */
export function isCodeOut({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'code_issued' || status === 'pending_transfer';
}

/** Whether a move may be made from `status`; null is a delivery that has not begun. */
export function canDeliver(status: string | null, name: DeliveryMoveName): boolean {
  const from: readonly string[] = DELIVERY_MOVES[name].from;
  return status !== null && from.includes(status);
}

/**
 * Whether the domain is handed over by us, to the buyer or to the partner's registrar. Otherwise staff or the automatic
 * policy confirm what the registrar did: where people move LIVE domains, and in the sandbox unless the sale asks for
 * the partner's registrar.
 */
export function isHandedOver(
  { registrarLive }: Pick<Config, 'registrarLive'>,
  { environment }: Pick<Order, 'environment'>,
  { deliveryMethod }: Pick<Transfer, 'deliveryMethod'>,
): boolean {
  if (environment === 'LIVE') return registrarLive !== 'manual';
  return deliveryMethod === 'partner_registrar';
}

/** The reference of the commands at the registry for one code. */
export function codeReference(transferId: string, issue: number): string {
  return `${transferId}-code-${issue}`;
}

/** The references of all codes of an order's domain up to an issue, the latest first. */
export function codeReferences(transferId: string, issue: number): [string, ...string[]] {
  const earlier = Array.from({ length: issue - 1 }, (_, at) => codeReference(transferId, at + 1));
  return [codeReference(transferId, issue), ...earlier.reverse()];
}

import type { SessionForPage } from '../../../shared/checkout/read-session.ts';
import { blocksNewPayment } from '../../../shared/checkout/session.ts';

/** What the page is about now. Whatever was clicked before, the page shows how things stand. */
export type PageKind =
  | 'pay'
  | 'confirm'
  | 'elsewhere'
  | 'pending'
  | 'paid'
  | 'failed'
  | 'cancelled'
  | 'expired'
  | 'sold'
  | 'reserved';

export function pageKind(
  { session, listing, payment, heldByOther }: SessionForPage,
  collects: 'card_form' | 'redirect',
): PageKind {
  switch (session.status) {
    case 'paid':
    case 'failed':
    case 'cancelled':
      return session.status;
    case 'open':
    case 'expired':
      // A payment that was begun in time may end after it.
      if (payment?.status === 'requires_confirmation') {
        return collects === 'card_form' ? 'confirm' : 'elsewhere';
      }
      if (payment && payment.status !== 'created' && blocksNewPayment(payment)) return 'pending';
  }
  if (session.status === 'expired') return 'expired';
  if (listing.status !== 'listed') return 'sold';
  return heldByOther ? 'reserved' : 'pay';
}

/** The HTTP status of each: what is over is gone, what somebody else is about to buy is a conflict. */
export const HTTP_STATUS: Record<PageKind, number> = {
  pay: 200,
  confirm: 200,
  elsewhere: 200,
  pending: 200,
  paid: 200,
  failed: 410,
  cancelled: 410,
  expired: 410,
  sold: 410,
  reserved: 409,
};

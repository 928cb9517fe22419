import type { Cancellation } from '../../../shared/sales/transfers/transfer.ts';

/** What a refund waits for before the order is reversed. */
export const REFUND_WAITS: Readonly<Record<Cancellation, string>> = {
  requested: 'Refund: waiting for the registrar to stop the transfer',
  too_late: 'Refund: the domain was already transferred. Approve or decline',
  unanswered: 'Refund: the registrar did not answer. Approve or decline',
};

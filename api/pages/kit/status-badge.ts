import type { BulkItemState, BulkJobStatus } from '../../../shared/domains/bulk/bulk-job.ts';
import type { TransferOutStatus } from '../../../shared/domains/transfers-out/transfer-out.ts';
import type { ListingStatus } from '../../../shared/market/inventory/listing.ts';
import type { MailState } from '../../../shared/messaging/mail/mail.ts';
import type { DeliveryStatus } from '../../../shared/messaging/webhooks/delivery.ts';
import type { DisputeStatus } from '../../../shared/money/payments/dispute.ts';
import type { PaymentStatus } from '../../../shared/money/payments/payment.ts';
import type { PartnerStatus } from '../../../shared/people/partners/partner.ts';
import type { HitStatus } from '../../../shared/people/screening/read-screening.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { CaseStatus } from '../../../shared/sales/brokerage/brokerage-case.ts';
import type { OfferStatus } from '../../../shared/sales/offers/offer.ts';
import type { OrderStatus } from '../../../shared/sales/orders/order.ts';
import type { CommissionType } from '../../../shared/sales/referral/commission.ts';
import type { ShownDeliveryStatus } from '../../../shared/sales/transfers/domain-delivery.ts';
import type { TransferStatus } from '../../../shared/sales/transfers/transfer.ts';
import type { PayoutList } from '../../../shared/settlement/payouts/read-payouts.ts';
import type { RunPartner } from '../../../shared/settlement/statements/read-settlement-runs.ts';
import type { StoredStatus } from '../../../shared/settlement/statements/read-statements.ts';
import type {
  SettlementRun,
  StatementStatus,
} from '../../../shared/settlement/statements/statement.ts';
import { humanize } from './format.ts';
import { badge, type Tone } from './page-parts.ts';

/** Every status that pages show: those of the marketplace, and some that pages derive. */
export type ShownStatus =
  | OrderStatus
  | TransferStatus
  | ShownDeliveryStatus
  | CaseStatus
  | OfferStatus
  | DeliveryStatus
  | ListingStatus
  | PartnerStatus
  | PayoutList
  | StatementStatus
  | StoredStatus
  | TransferOutStatus
  | BulkJobStatus
  | BulkItemState
  | CommissionType
  | PaymentStatus
  | DisputeStatus
  | SettlementRun['status']
  | RunPartner['state']
  | 'disabled'
  | 'expired'
  | 'failing'
  | 'ok'
  | 'off'
  | 'overdue'
  | MailState
  | 'revoked'
  | HitStatus;

/** Good: it succeeded. Wait: someone has to act. Bad: it failed or was disabled. */
const TONES: Readonly<Record<ShownStatus, Tone>> = {
  EXTERNALLY_PAID: 'wait',
  MANUAL_REVIEW: 'wait',
  PAID: 'good',
  TRANSFER_IN_PROGRESS: 'neutral',
  TRANSFER_COMPLETED: 'good',
  SETTLED: 'good',
  REFUNDED: 'neutral',
  CANCELLED: 'neutral',

  queued: 'neutral',
  pushing: 'neutral',
  pending_registry: 'neutral',
  action_required: 'wait',
  awaiting_confirmation: 'wait',
  awaiting_registrant: 'wait',
  awaiting_claim: 'wait',
  code_issued: 'wait',
  code_requested: 'neutral',
  stopping: 'wait',
  left: 'neutral',
  stopped: 'neutral',
  pending_transfer: 'neutral',
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',

  OPEN: 'neutral',
  CONTACTING_OWNER: 'neutral',
  NEGOTIATING: 'neutral',
  AGREED: 'wait',
  COMPLETED: 'good',
  CLOSED_NO_DEAL: 'neutral',

  COUNTERED: 'neutral',
  ACCEPTED: 'good',
  DECLINED: 'neutral',
  EXPIRED: 'neutral',

  pending: 'wait',
  delivered: 'good',
  exhausted: 'bad',

  listed: 'neutral',
  sold: 'neutral',
  delisted: 'neutral',

  active: 'good',
  suspended: 'bad',
  disabled: 'bad',
  revoked: 'bad',
  expired: 'neutral',

  needs_response: 'wait',
  under_review: 'neutral',
  won: 'good',
  lost: 'bad',
  withdrawn: 'good',

  held: 'neutral',
  paid: 'good',

  open: 'neutral',
  closing: 'neutral',
  closed: 'wait',
  overdue: 'bad',

  sent: 'good',
  bounced: 'bad',
  suppressed: 'neutral',

  running: 'neutral',
  done: 'neutral',

  completed_with_errors: 'wait',
  started: 'neutral',
  error: 'bad',

  accrued: 'neutral',
  paid_out: 'good',
  reversed: 'neutral',

  created: 'neutral',
  requires_confirmation: 'neutral',
  succeeded: 'good',
  refund_pending: 'wait',
  refunded: 'neutral',

  ok: 'good',
  failing: 'bad',
  off: 'bad',

  proposed: 'wait',
  released: 'good',
  declined: 'bad',
};

/** Returns a status as a word with a color. */
export function statusBadge(status: ShownStatus): Markup {
  return badge(TONES[status], humanize(status));
}

/** Shows the status of an order, or a failed transfer, during which the order stays in progress. */
export function orderBadge(status: OrderStatus, transferFailed: boolean): Markup {
  if (status === 'TRANSFER_IN_PROGRESS' && transferFailed) return badge('bad', 'Transfer failed');
  return statusBadge(status);
}

/** Shows the environment; LIVE stands out, since mistakes there cost money. */
export function environmentTag(environment: string): Markup {
  return html`<span class="env ${environment === 'LIVE' && 'live'}">${environment}</span>`;
}

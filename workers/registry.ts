import { runChunkRow } from './bulk/run-chunk.ts';
import { reconcilePaymentsTick } from './payments/reconcile-payments.ts';
import { refundPaymentRow } from './payments/refund-payment.ts';
import { pruneBatchesTick } from './referrals/prune-batches.ts';
import { rollUpClicksTick } from './referrals/roll-up-clicks.ts';
import type { Registry } from './runtime/row.ts';
import { closeDuePeriodsTick } from './settlements/close-due-periods.ts';
import { closePartnerRow } from './settlements/close-partner.ts';
import { startRunRow } from './settlements/start-run.ts';
import { checkLedgerTick } from './sweeps/check-ledger.ts';
import { endDeadChunksTick } from './sweeps/end-dead-chunks.ts';
import { expireCheckoutSessionsTick } from './sweeps/expire-checkout-sessions.ts';
import { expireQuotesTick } from './sweeps/expire-quotes.ts';
import { foldTalliesTick } from './sweeps/fold-tallies.ts';
import { pruneBulkJobsTick } from './sweeps/prune-bulk-jobs.ts';
import { pruneDeliveriesTick } from './sweeps/prune-deliveries.ts';
import { pruneIdempotencyKeysTick } from './sweeps/prune-idempotency-keys.ts';
import { pruneOAuthTick } from './sweeps/prune-oauth.ts';
import { pruneOutboxTick } from './sweeps/prune-outbox.ts';
import { pruneSessionsTick } from './sweeps/prune-sessions.ts';
import { refreshEmbeddingsTick } from './sweeps/refresh-embeddings.ts';
import { cancelPushRow } from './transfers/cancel-push.ts';
import { confirmDeliveryRow } from './transfers/confirm-delivery.ts';
import { pushTransferRow } from './transfers/push-transfer.ts';
import { startTransferRow } from './transfers/start-transfer.ts';
import { deliver } from './webhooks/deliver.ts';

/** Every kind of work that the fleet does. */
export const REGISTRY: Registry = [
  startTransferRow,
  pushTransferRow,
  confirmDeliveryRow,
  cancelPushRow,
  startRunRow,
  closePartnerRow,
  closeDuePeriodsTick,
  refundPaymentRow,
  reconcilePaymentsTick,
  runChunkRow,
  { queue: 'webhooks', raw: deliver },
  pruneDeliveriesTick,
  expireQuotesTick,
  expireCheckoutSessionsTick,
  pruneIdempotencyKeysTick,
  pruneOAuthTick,
  pruneOutboxTick,
  pruneSessionsTick,
  pruneBulkJobsTick,
  endDeadChunksTick,
  rollUpClicksTick,
  pruneBatchesTick,
  foldTalliesTick,
  checkLedgerTick,
  refreshEmbeddingsTick,
];

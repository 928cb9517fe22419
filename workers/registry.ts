import { runChunkRow } from './bulk/run-chunk.ts';
import { reconcilePaymentsTick } from './payments/reconcile-payments.ts';
import { refundPaymentRow } from './payments/refund-payment.ts';
import { pruneBatchesTick } from './referrals/prune-batches.ts';
import { rollUpClicksTick } from './referrals/roll-up-clicks.ts';
import type { Registry } from './runtime/row.ts';
import { closeDuePeriodsTick } from './settlements/close-due-periods.ts';
import { closePartnerRow } from './settlements/close-partner.ts';
import { startRunRow } from './settlements/start-run.ts';
import { checkLedgerTick, checkWholeLedgerTick } from './sweeps/check-ledger.ts';
import { endDeadChunksTick } from './sweeps/end-dead-chunks.ts';
import { eraseCaseBuyersTick } from './sweeps/erase-case-buyers.ts';
import { expireCheckoutSessionsTick } from './sweeps/expire-checkout-sessions.ts';
import { expireQuotesTick } from './sweeps/expire-quotes.ts';
import { foldTalliesTick } from './sweeps/fold-tallies.ts';
import { pruneBulkJobsTick } from './sweeps/prune-bulk-jobs.ts';
import { pruneCheckoutSessionsTick } from './sweeps/prune-checkout-sessions.ts';
import { pruneDeliveriesTick } from './sweeps/prune-deliveries.ts';
import { pruneIdempotencyKeysTick } from './sweeps/prune-idempotency-keys.ts';
import { pruneLedgerChecksTick } from './sweeps/prune-ledger-checks.ts';
import { pruneOAuthTick } from './sweeps/prune-oauth.ts';
import { pruneOutboxTick } from './sweeps/prune-outbox.ts';
import { pruneQuotesTick } from './sweeps/prune-quotes.ts';
import { pruneSandboxTick } from './sweeps/prune-sandbox.ts';
import { pruneSessionsTick } from './sweeps/prune-sessions.ts';
import { pruneSettlementRunsTick } from './sweeps/prune-settlement-runs.ts';
import { refreshEmbeddingsTick } from './sweeps/refresh-embeddings.ts';
import { confirmDeliveryRow } from './transfers/confirm-delivery.ts';
import { pollTransferRow } from './transfers/poll-transfer.ts';
import { pushTransferRow } from './transfers/push-transfer.ts';
import { startTransferRow } from './transfers/start-transfer.ts';
import { formerStopPushRow, stopPushRow } from './transfers/stop-push.ts';
import { deliver } from './webhooks/deliver.ts';

/** Every kind of work that the fleet does. */
export const REGISTRY: Registry = [
  startTransferRow,
  pushTransferRow,
  pollTransferRow,
  confirmDeliveryRow,
  stopPushRow,
  formerStopPushRow,
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
  pruneQuotesTick,
  eraseCaseBuyersTick,
  pruneCheckoutSessionsTick,
  pruneSandboxTick,
  pruneSettlementRunsTick,
  pruneLedgerChecksTick,
  pruneBulkJobsTick,
  endDeadChunksTick,
  rollUpClicksTick,
  pruneBatchesTick,
  foldTalliesTick,
  checkLedgerTick,
  checkWholeLedgerTick,
  refreshEmbeddingsTick,
];

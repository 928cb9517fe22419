import { runChunkHandler } from './bulk/run-chunk.ts';
import { reconcilePaymentsTask } from './payments/reconcile-payments.ts';
import { refundPaymentHandler } from './payments/refund-payment.ts';
import { pruneBatchesTask } from './referrals/prune-batches.ts';
import { rollUpClicksTask } from './referrals/roll-up-clicks.ts';
import type { Registry } from './runtime/row.ts';
import { closeDuePeriodsTask } from './settlements/close-due-periods.ts';
import { closePartnerHandler } from './settlements/close-partner.ts';
import { startRunHandler } from './settlements/start-run.ts';
import { checkRecentLedgerTask, checkWholeLedgerTask } from './sweeps/check-ledger.ts';
import { endDeadChunksTask } from './sweeps/end-dead-chunks.ts';
import { eraseCaseBuyersTask } from './sweeps/erase-case-buyers.ts';
import { expireCheckoutSessionsTask } from './sweeps/expire-checkout-sessions.ts';
import { expireQuotesTask } from './sweeps/expire-quotes.ts';
import { foldTalliesTask } from './sweeps/fold-tallies.ts';
import { pruneBulkJobsTask } from './sweeps/prune-bulk-jobs.ts';
import { pruneCheckoutSessionsTask } from './sweeps/prune-checkout-sessions.ts';
import { pruneDeliveriesTask } from './sweeps/prune-deliveries.ts';
import { pruneIdempotencyKeysTask } from './sweeps/prune-idempotency-keys.ts';
import { pruneLedgerChecksTask } from './sweeps/prune-ledger-checks.ts';
import { pruneOAuthTask } from './sweeps/prune-oauth.ts';
import { pruneOutboxTask } from './sweeps/prune-outbox.ts';
import { pruneQuotesTask } from './sweeps/prune-quotes.ts';
import { pruneSandboxTask } from './sweeps/prune-sandbox.ts';
import { pruneSessionsTask } from './sweeps/prune-sessions.ts';
import { pruneSettlementRunsTask } from './sweeps/prune-settlement-runs.ts';
import { refreshEmbeddingsTask } from './sweeps/refresh-embeddings.ts';
import { confirmDeliveryHandler } from './transfers/confirm-delivery.ts';
import { pollTransferHandler } from './transfers/poll-transfer.ts';
import { pushTransferHandler } from './transfers/push-transfer.ts';
import { startTransferHandler } from './transfers/start-transfer.ts';
import { legacyStopPushHandler, stopPushHandler } from './transfers/stop-push.ts';
import { handleDelivery } from './webhooks/deliver.ts';

/** Every kind of work that the fleet does. */
export const REGISTRY: Registry = [
  startTransferHandler,
  pushTransferHandler,
  pollTransferHandler,
  confirmDeliveryHandler,
  stopPushHandler,
  legacyStopPushHandler,
  startRunHandler,
  closePartnerHandler,
  closeDuePeriodsTask,
  refundPaymentHandler,
  reconcilePaymentsTask,
  runChunkHandler,
  { queue: 'webhooks', raw: handleDelivery },
  pruneDeliveriesTask,
  expireQuotesTask,
  expireCheckoutSessionsTask,
  pruneIdempotencyKeysTask,
  pruneOAuthTask,
  pruneOutboxTask,
  pruneSessionsTask,
  pruneQuotesTask,
  eraseCaseBuyersTask,
  pruneCheckoutSessionsTask,
  pruneSandboxTask,
  pruneSettlementRunsTask,
  pruneLedgerChecksTask,
  pruneBulkJobsTask,
  endDeadChunksTask,
  rollUpClicksTask,
  pruneBatchesTask,
  foldTalliesTask,
  checkRecentLedgerTask,
  checkWholeLedgerTask,
  refreshEmbeddingsTask,
];

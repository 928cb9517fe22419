import { endDeadChunksTask, runChunkHandler } from './handlers/bulk-handlers.ts';
import { reconcilePaymentsTask, refundPaymentHandler } from './handlers/payment-handlers.ts';
import {
  closeDuePeriodsTask,
  closePartnerHandler,
  startRunHandler,
} from './handlers/settlement-handlers.ts';
import {
  confirmDeliveryHandler,
  legacyStopPushHandler,
  pollTransferHandler,
  pushTransferHandler,
  startTransferHandler,
  stopPushHandler,
} from './handlers/transfer-handlers.ts';
import { handleDelivery } from './handlers/webhook-handlers.ts';
import type { Registry } from './runtime/job-handler.ts';
import {
  foldTalliesTask,
  refreshEmbeddingsTask,
  rollUpClicksTask,
} from './scheduled/derived-data.ts';
import { expireCheckoutSessionsTask, expireQuotesTask } from './scheduled/expiry.ts';
import {
  eraseCaseBuyersTask,
  pruneBatchesTask,
  pruneBulkJobsTask,
  pruneCheckoutSessionsTask,
  pruneDeliveriesTask,
  pruneIdempotencyKeysTask,
  pruneLedgerChecksTask,
  pruneOAuthTask,
  pruneOutboxTask,
  pruneQuotesTask,
  pruneSandboxTask,
  pruneSessionsTask,
  pruneSettlementRunsTask,
} from './scheduled/retention.ts';
import { checkRecentLedgerTask, checkWholeLedgerTask } from './scheduled/verify-ledger.ts';

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

import type { JobName } from '../shared/messaging/jobs/job-queues.ts';
import { runChunkHandler } from './handlers/bulk-handlers.ts';
import { advanceClockHandler } from './handlers/clock-handlers.ts';
import { importListingsHandler } from './handlers/import-handlers.ts';
import { enforceLegalHoldHandler } from './handlers/legal-hold-handlers.ts';
import { sendMailHandler } from './handlers/mail-handlers.ts';
import {
  forgetCardHandler,
  refundPaymentHandler,
  sendPayoutHandler,
} from './handlers/payment-handlers.ts';
import {
  changeRegistrantHandler,
  followRegistrantHandler,
  releaseHoldHandler,
} from './handlers/registrant-handlers.ts';
import { renewDomainHandler } from './handlers/renewal-handlers.ts';
import { rescreenHandler } from './handlers/screening-handlers.ts';
import { closePartnerHandler, startRunHandler } from './handlers/settlement-handlers.ts';
import {
  confirmDeliveryHandler,
  expireDeliveryHandler,
  pollTransferHandler,
  pushTransferHandler,
  remindRegistrantHandler,
  startTransferHandler,
  stopPushHandler,
  watchDeliveryHandler,
} from './handlers/transfer-handlers.ts';
import { watchTransferOutHandler } from './handlers/transfer-out-handlers.ts';
import {
  deliverHandler,
  findForgottenEndpointsTask,
  replayEventsHandler,
} from './handlers/webhook-handlers.ts';
import type { JobHandler, Registry, ScheduledTask } from './runtime/job-handler.ts';
import {
  countDailyFiguresTask,
  foldTalliesTask,
  refreshEmbeddingsTask,
  reportSearchMissesTask,
  rollUpClicksTask,
} from './scheduled/derived-data.ts';
import {
  closeDuePeriodsTask,
  endDeadChunksTask,
  reconcilePaymentsTask,
  renewByCardsTask,
} from './scheduled/due-work.ts';
import { sendNoticesTask, sendStaffDigestTask, tellEndingTask } from './scheduled/notices.ts';
import {
  awaitTransferRequestsTask,
  checkRegistrationsTask,
  findReturnedTask,
  readRegistryMessagesTask,
  renewDomainsTask,
} from './scheduled/registry-work.ts';
import { runMovedSandboxesTask } from './scheduled/sandbox-clocks.ts';
import {
  deleteExpiredTask,
  eraseBuyersTask,
  expireCheckoutSessionsTask,
  expireOffersTask,
  expireQuotesTask,
  expireRenewalsTask,
  keepPartitionsTask,
  pruneDeliveriesTask,
  pruneSettlementRunsTask,
} from './scheduled/sweeps.ts';
import { checkRecentLedgerTask, checkWholeLedgerTask } from './scheduled/verify-ledger.ts';

/** The handler of each job. A job without a handler, or with another job's handler, does not compile. */
const HANDLERS: { readonly [N in JobName]: JobHandler<N> } = {
  'enforce-legal-hold': enforceLegalHoldHandler,
  'start-transfer': startTransferHandler,
  'push-transfer': pushTransferHandler,
  'poll-transfer': pollTransferHandler,
  'confirm-delivery': confirmDeliveryHandler,
  'expire-delivery': expireDeliveryHandler,
  'watch-delivery': watchDeliveryHandler,
  'watch-transfer-out': watchTransferOutHandler,
  'stop-push': stopPushHandler,
  'remind-registrant': remindRegistrantHandler,
  'follow-registrant': followRegistrantHandler,
  'release-hold': releaseHoldHandler,
  'renew-domain': renewDomainHandler,
  'change-registrant': changeRegistrantHandler,
  'start-run': startRunHandler,
  'close-partner': closePartnerHandler,
  'refund-payment': refundPaymentHandler,
  'send-payout': sendPayoutHandler,
  'forget-card': forgetCardHandler,
  'run-chunk': runChunkHandler,
  deliver: deliverHandler,
  'replay-events': replayEventsHandler,
  'send-mail': sendMailHandler,
  'import-listings': importListingsHandler,
  'advance-clock': advanceClockHandler,
  rescreen: rescreenHandler,
};

/** The tasks that the scheduler runs at their intervals. */
export const SCHEDULED_TASKS: readonly ScheduledTask[] = [
  closeDuePeriodsTask,
  reconcilePaymentsTask,
  findForgottenEndpointsTask,
  pruneDeliveriesTask,
  expireOffersTask,
  expireQuotesTask,
  expireCheckoutSessionsTask,
  expireRenewalsTask,
  eraseBuyersTask,
  deleteExpiredTask,
  keepPartitionsTask,
  runMovedSandboxesTask,
  pruneSettlementRunsTask,
  endDeadChunksTask,
  rollUpClicksTask,
  foldTalliesTask,
  countDailyFiguresTask,
  sendNoticesTask,
  sendStaffDigestTask,
  tellEndingTask,
  checkRecentLedgerTask,
  checkWholeLedgerTask,
  refreshEmbeddingsTask,
  reportSearchMissesTask,
  readRegistryMessagesTask,
  awaitTransferRequestsTask,
  renewDomainsTask,
  renewByCardsTask,
  checkRegistrationsTask,
  findReturnedTask,
];

/** Every job and scheduled task of the fleet. */
export const REGISTRY: Registry = [...Object.values(HANDLERS), ...SCHEDULED_TASKS];

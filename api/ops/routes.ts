import type { OpsAction } from './action.ts';
import { brokerageList, brokerageMove, brokerageShow } from './actions/brokerage.ts';
import {
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
} from './actions/credentials.ts';
import { domainGrant } from './actions/domains.ts';
import { ledgerCheck } from './actions/ledger.ts';
import { listingAdd, listingDelist, listingPrice, listingRelist } from './actions/listings.ts';
import {
  orderCancel,
  orderClear,
  orderConfirmDelivery,
  orderRefund,
  orderRetryTransfer,
  orderShow,
  orderStartTransfer,
  reviewQueue,
} from './actions/orders.ts';
import { partnerCreate, partnerList, partnerResume, partnerSuspend } from './actions/partners.ts';
import { payoutList, payoutMarkFailed, payoutMarkPaid, payoutReverse } from './actions/payouts.ts';
import { queueDead, queueRetry, queueStatusAction } from './actions/queues.ts';
import { refundApprove, refundDecline, refundList } from './actions/refunds.ts';
import { repaymentList, repaymentMarkPaid } from './actions/repayments.ts';
import {
  settlementMarkPaid,
  settlementReversePayment,
  settlementRun,
  settlementRunStatus,
} from './actions/settlements.ts';
import {
  grantRevoke,
  sessionRevokeAll,
  userCreate,
  userDisable,
  userEnable,
  userList,
  userSetPassword,
} from './actions/users.ts';
import { webhookEndpoint, webhookResend } from './actions/webhooks.ts';

/** One row of the ops API: what the command of the same action does, over HTTP. */
export interface OpsRoute {
  method: 'GET' | 'POST';
  /** Below `/ops/api`; a `:name` is a field of the action's input, like those of the body or query. */
  path: string;
  status: 200 | 201 | 202;
  action: OpsAction;
}

const row = (
  method: OpsRoute['method'],
  path: string,
  status: OpsRoute['status'],
  action: OpsAction,
): OpsRoute => ({ method, path, status, action });

/** THE TABLE of the ops API; each row is a command too. */
export const opsRoutes: readonly OpsRoute[] = [
  row('GET', '/partners', 200, partnerList),
  row('POST', '/partners', 201, partnerCreate),
  row('POST', '/partners/:partner/suspend', 200, partnerSuspend),
  row('POST', '/partners/:partner/resume', 200, partnerResume),
  row('GET', '/partners/:partner/credentials', 200, credentialList),
  row('POST', '/partners/:partner/credentials', 201, credentialCreate),
  row('POST', '/credentials/:key_id/rotate', 201, credentialRotate),
  row('POST', '/credentials/:key_id/revoke', 200, credentialRevoke),

  row('POST', '/listings', 201, listingAdd),
  row('POST', '/listings/:environment/:domain/price', 200, listingPrice),
  row('POST', '/listings/:environment/:domain/delist', 200, listingDelist),
  row('POST', '/listings/:environment/:domain/relist', 200, listingRelist),

  row('GET', '/review-queue', 200, reviewQueue),
  row('GET', '/orders/:order', 200, orderShow),
  row('POST', '/orders/:order/clear', 200, orderClear),
  row('POST', '/orders/:order/cancel', 200, orderCancel),
  row('POST', '/orders/:order/start-transfer', 200, orderStartTransfer),
  row('POST', '/orders/:order/retry-transfer', 200, orderRetryTransfer),
  row('POST', '/orders/:order/confirm-delivery', 200, orderConfirmDelivery),
  row('POST', '/orders/:order/refund', 200, orderRefund),
  row('GET', '/refunds', 200, refundList),
  row('POST', '/orders/:order/refund/approve', 200, refundApprove),
  row('POST', '/orders/:order/refund/decline', 200, refundDecline),

  row('GET', '/brokerage', 200, brokerageList),
  row('GET', '/brokerage/:case', 200, brokerageShow),
  row('POST', '/brokerage/:case/move', 200, brokerageMove),

  row('POST', '/settlement-runs', 202, settlementRun),
  row('GET', '/settlement-runs/:run', 200, settlementRunStatus),
  row('POST', '/settlements/:id/mark-paid', 200, settlementMarkPaid),
  row('POST', '/settlements/:id/reverse-payment', 200, settlementReversePayment),
  row('GET', '/payouts', 200, payoutList),
  row('POST', '/payouts/:id/mark-paid', 200, payoutMarkPaid),
  row('POST', '/payouts/:id/mark-failed', 200, payoutMarkFailed),
  row('POST', '/payouts/:id/reverse', 200, payoutReverse),
  row('GET', '/repayments', 200, repaymentList),
  row('POST', '/repayments/:order/mark-paid', 200, repaymentMarkPaid),
  row('GET', '/ledger/check', 200, ledgerCheck),

  row('GET', '/webhooks/:environment/:partner', 200, webhookEndpoint),
  row('POST', '/webhooks/resend', 202, webhookResend),
  row('GET', '/users', 200, userList),
  row('POST', '/users', 201, userCreate),
  row('POST', '/users/:user/disable', 200, userDisable),
  row('POST', '/users/:user/enable', 200, userEnable),
  row('POST', '/users/:user/set-password', 200, userSetPassword),
  row('POST', '/users/:user/revoke-sessions', 200, sessionRevokeAll),
  row('POST', '/users/:user/revoke-grants', 200, grantRevoke),
  row('POST', '/domains', 200, domainGrant),
  row('GET', '/queues', 200, queueStatusAction),
  row('GET', '/queues/dead', 200, queueDead),
  row('POST', '/queues/dead/:job/retry', 202, queueRetry),
];

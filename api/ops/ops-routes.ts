import { brokerageList, brokerageMove, brokerageShow } from './actions/brokerage-actions.ts';
import {
  domainGrant,
  listingAdd,
  listingDelist,
  listingPrice,
  listingRelist,
} from './actions/domain-actions.ts';
import { ledgerCheck } from './actions/ledger-actions.ts';
import {
  contactAdd,
  contactList,
  contactRemove,
  mailAllow,
  mailList,
  mailResend,
  mailSuppress,
  mailSuppressions,
  partnerBrand,
} from './actions/mail-actions.ts';
import {
  orderCancel,
  orderClear,
  orderConfirmDelivery,
  orderRefund,
  orderRetryTransfer,
  orderShow,
  orderStartTransfer,
  refundApprove,
  refundDecline,
  refundList,
  reviewQueue,
} from './actions/order-actions.ts';
import {
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
  partnerCreate,
  partnerList,
  partnerResume,
  partnerSetTaxProfile,
  partnerSuspend,
} from './actions/partner-actions.ts';
import {
  payoutList,
  payoutMarkFailed,
  payoutMarkPaid,
  payoutReverse,
  repaymentList,
  repaymentMarkPaid,
} from './actions/payout-actions.ts';
import { queueDead, queueRetry, queueStatusAction } from './actions/queue-actions.ts';
import {
  settlementMarkPaid,
  settlementReversePayment,
  settlementRun,
  settlementRunStatus,
} from './actions/settlement-actions.ts';
import {
  grantRevoke,
  sessionRevokeAll,
  userCreate,
  userDisable,
  userEnable,
  userList,
  userSetPassword,
} from './actions/user-actions.ts';
import {
  webhookCancelReplay,
  webhookEndpoint,
  webhookEndpoints,
  webhookReplay,
  webhookReplayStatus,
  webhookResend,
  webhookTest,
} from './actions/webhook-actions.ts';
import type { OpsAction } from './ops-action.ts';

/** A route of the ops API: what the command of the same action does, over HTTP. */
export interface OpsRoute {
  method: 'GET' | 'POST';
  /** Below `/ops/api`; a `:name` is a field of the action's input, like those of the body or query. */
  path: string;
  status: 200 | 201 | 202;
  action: OpsAction;
}

const route = (
  method: OpsRoute['method'],
  path: string,
  status: OpsRoute['status'],
  action: OpsAction,
): OpsRoute => ({ method, path, status, action });

/** All routes of the ops API; each action is a command, too. */
export const opsRoutes: readonly OpsRoute[] = [
  route('GET', '/partners', 200, partnerList),
  route('POST', '/partners', 201, partnerCreate),
  route('POST', '/partners/:partner/suspend', 200, partnerSuspend),
  route('POST', '/partners/:partner/tax-profile', 200, partnerSetTaxProfile),
  route('POST', '/partners/:partner/resume', 200, partnerResume),
  route('GET', '/partners/:partner/credentials', 200, credentialList),
  route('POST', '/partners/:partner/credentials', 201, credentialCreate),
  route('POST', '/credentials/:key_id/rotate', 201, credentialRotate),
  route('POST', '/credentials/:key_id/revoke', 200, credentialRevoke),

  route('POST', '/listings', 201, listingAdd),
  route('POST', '/listings/:environment/:domain/price', 200, listingPrice),
  route('POST', '/listings/:environment/:domain/delist', 200, listingDelist),
  route('POST', '/listings/:environment/:domain/relist', 200, listingRelist),

  route('GET', '/review-queue', 200, reviewQueue),
  route('GET', '/orders/:order', 200, orderShow),
  route('POST', '/orders/:order/clear', 200, orderClear),
  route('POST', '/orders/:order/cancel', 200, orderCancel),
  route('POST', '/orders/:order/start-transfer', 200, orderStartTransfer),
  route('POST', '/orders/:order/retry-transfer', 200, orderRetryTransfer),
  route('POST', '/orders/:order/confirm-delivery', 200, orderConfirmDelivery),
  route('POST', '/orders/:order/refund', 200, orderRefund),
  route('GET', '/refunds', 200, refundList),
  route('POST', '/orders/:order/refund/approve', 200, refundApprove),
  route('POST', '/orders/:order/refund/decline', 200, refundDecline),

  route('GET', '/brokerage', 200, brokerageList),
  route('GET', '/brokerage/:case', 200, brokerageShow),
  route('POST', '/brokerage/:case/move', 200, brokerageMove),

  route('POST', '/settlement-runs', 202, settlementRun),
  route('GET', '/settlement-runs/:run', 200, settlementRunStatus),
  route('POST', '/settlements/:id/mark-paid', 200, settlementMarkPaid),
  route('POST', '/settlements/:id/reverse-payment', 200, settlementReversePayment),
  route('GET', '/payouts', 200, payoutList),
  route('POST', '/payouts/:id/mark-paid', 200, payoutMarkPaid),
  route('POST', '/payouts/:id/mark-failed', 200, payoutMarkFailed),
  route('POST', '/payouts/:id/reverse', 200, payoutReverse),
  route('GET', '/repayments', 200, repaymentList),
  route('POST', '/repayments/:order/mark-paid', 200, repaymentMarkPaid),
  route('GET', '/ledger/check', 200, ledgerCheck),

  route('GET', '/webhooks/:environment/:partner', 200, webhookEndpoint),
  route('GET', '/webhooks/:environment/:partner/endpoints', 200, webhookEndpoints),
  route('POST', '/webhooks/resend', 202, webhookResend),
  route('POST', '/webhook-endpoints/:endpoint/test', 202, webhookTest),
  route('POST', '/webhook-endpoints/:endpoint/replay', 202, webhookReplay),
  route('GET', '/webhook-replays/:replay', 200, webhookReplayStatus),
  route('POST', '/webhook-replays/:replay/cancel', 200, webhookCancelReplay),
  route('GET', '/mails', 200, mailList),
  route('POST', '/mails/:mail/resend', 202, mailResend),
  route('GET', '/mail-suppressions', 200, mailSuppressions),
  route('POST', '/mail-suppressions', 200, mailSuppress),
  route('POST', '/mail-suppressions/remove', 200, mailAllow),
  route('GET', '/contacts', 200, contactList),
  route('POST', '/contacts', 200, contactAdd),
  route('POST', '/contacts/remove', 200, contactRemove),
  route('POST', '/partners/:partner/brand', 200, partnerBrand),
  route('GET', '/users', 200, userList),
  route('POST', '/users', 201, userCreate),
  route('POST', '/users/:user/disable', 200, userDisable),
  route('POST', '/users/:user/enable', 200, userEnable),
  route('POST', '/users/:user/set-password', 200, userSetPassword),
  route('POST', '/users/:user/revoke-sessions', 200, sessionRevokeAll),
  route('POST', '/users/:user/revoke-grants', 200, grantRevoke),
  route('POST', '/domains', 200, domainGrant),
  route('GET', '/queues', 200, queueStatusAction),
  route('GET', '/queues/dead', 200, queueDead),
  route('POST', '/queues/dead/:job/retry', 202, queueRetry),
];

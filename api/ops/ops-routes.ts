import { STAFF_ROLES, type StaffRole } from '../../shared/people/users/user.ts';
import { fail } from '../../shared/platform/errors.ts';
import { auditCheck } from './actions/audit-actions.ts';
import { brokerageList, brokerageMove, brokerageShow } from './actions/brokerage-actions.ts';
import { checkoutClear, checkoutDecline, checkoutReviewQueue } from './actions/checkout-actions.ts';
import {
  domainAuthCode,
  domainGrant,
  listingAdd,
  listingDelist,
  listingPrice,
  listingRelist,
} from './actions/domain-actions.ts';
import { ledgerCheck } from './actions/ledger-actions.ts';
import { legalHoldLift, legalHoldList, legalHoldPlace } from './actions/legal-hold-actions.ts';
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
import { memberInvite, memberList, memberRemove, staffInvite } from './actions/member-actions.ts';
import {
  listingOfferFloor,
  offerAccept,
  offerCounter,
  offerDecline,
  offerList,
} from './actions/offer-actions.ts';
import {
  orderCancel,
  orderCheck,
  orderCheckCode,
  orderClear,
  orderConfirmDelivery,
  orderRefund,
  orderReopenClaim,
  orderRetryTransfer,
  orderShow,
  orderStartTransfer,
  refundApprove,
  refundDecline,
  refundList,
  reviewQueue,
} from './actions/order-actions.ts';
import {
  credentialChange,
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
  partnerAffiliate,
  partnerApprove,
  partnerApproveAccount,
  partnerCreate,
  partnerDelivery,
  partnerList,
  partnerResume,
  partnerSetConnectedAccount,
  partnerSetPayoutAccount,
  partnerSetTaxProfile,
  partnerSuspend,
  sandboxClockShow,
} from './actions/partner-actions.ts';
import {
  disputeList,
  payoutApprove,
  payoutDownloadFile,
  payoutFilePaid,
  payoutFiles,
  payoutList,
  payoutMakeFile,
  payoutMarkFailed,
  payoutMarkPaid,
  payoutReverse,
  payoutSend,
  repaymentList,
  repaymentMarkPaid,
} from './actions/payout-actions.ts';
import { queueDead, queueRetry, queueStatusAction } from './actions/queue-actions.ts';
import {
  registryMarkMessageRead,
  registryMessages,
  registryRefusedHolds,
} from './actions/registry-actions.ts';
import {
  renewalList,
  renewalMissed,
  renewalRefund,
  renewalRetry,
} from './actions/renewal-actions.ts';
import {
  screeningConfirmRelease,
  screeningDecline,
  screeningHits,
  screeningLists,
  screeningRelease,
} from './actions/screening-actions.ts';
import {
  settlementMarkPaid,
  settlementReversePayment,
  settlementRun,
  settlementRunStatus,
} from './actions/settlement-actions.ts';
import {
  grantRevoke,
  sessionRevokeAll,
  staffSetRole,
  userCreate,
  userDisable,
  userEnable,
  userList,
  userResetSecondFactor,
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
import type { Staff } from './ops-session.ts';

/** Which staff may use something. Commands are not checked: anyone with access to the machine can do everything. */
export interface Access {
  roles: readonly StaffRole[];
  /**
   * Whether an account with a second factor must have confirmed it within the last 15 minutes. Dangerous is whatever
   * moves money or domains or restarts such moves, changes what is sold and its price, stops the service, or decides
   * who has a right to any of it (including disabling an account), who is told of it, or whom buyers write to. Not
   * dangerous: reading, anything that only ends something (suspending, delisting, declining, revoking), and resending.
   */
  dangerous: boolean;
}

/** A route of the ops API: the action of a command, over HTTP. */
export interface OpsRoute extends Access {
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
  roles: readonly StaffRole[],
  dangerous: boolean,
): OpsRoute => ({ method, path, status, action, roles, dangerous });

const DANGEROUS = true;
const HARMLESS = false;

const EVERYONE = STAFF_ROLES;
const ADMINS = ['admin'] as const;
const OPERATIONS = ['admin', 'operator'] as const;
const FINANCE = ['admin', 'finance'] as const;
const REFUNDS = ['admin', 'operator', 'finance'] as const;
const SUPPORT = ['admin', 'operator', 'support'] as const;

/**
 * All routes of the ops API, and who may use them; each action is a command, too. The console's forms are for the roles
 * of their actions.
 */
export const opsRoutes: readonly OpsRoute[] = [
  route('GET', '/partners', 200, partnerList, EVERYONE, HARMLESS),
  route('POST', '/partners', 201, partnerCreate, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/suspend', 200, partnerSuspend, OPERATIONS, HARMLESS),
  route(
    'POST',
    '/partners/:partner/connected-account',
    200,
    partnerSetConnectedAccount,
    FINANCE,
    DANGEROUS,
  ),
  route('POST', '/partners/:partner/tax-profile', 200, partnerSetTaxProfile, FINANCE, DANGEROUS),
  route(
    'POST',
    '/partners/:partner/payout-account',
    200,
    partnerSetPayoutAccount,
    FINANCE,
    DANGEROUS,
  ),
  route(
    'POST',
    '/partners/:partner/approve-account',
    200,
    partnerApproveAccount,
    FINANCE,
    DANGEROUS,
  ),
  route('POST', '/partners/:partner/approve', 200, partnerApprove, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/affiliate', 200, partnerAffiliate, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/delivery', 200, partnerDelivery, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/resume', 200, partnerResume, OPERATIONS, DANGEROUS),
  route('GET', '/partners/:partner/sandbox-clock', 200, sandboxClockShow, EVERYONE, HARMLESS),
  route('GET', '/partners/:partner/members', 200, memberList, EVERYONE, HARMLESS),
  route('POST', '/partners/:partner/members/invite', 202, memberInvite, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/members/remove', 200, memberRemove, OPERATIONS, DANGEROUS),
  route('GET', '/partners/:partner/credentials', 200, credentialList, EVERYONE, HARMLESS),
  route('POST', '/partners/:partner/credentials', 201, credentialCreate, OPERATIONS, DANGEROUS),
  route('POST', '/credentials/:key_id/change', 200, credentialChange, OPERATIONS, DANGEROUS),
  route('POST', '/credentials/:key_id/rotate', 201, credentialRotate, OPERATIONS, DANGEROUS),
  route('POST', '/credentials/:key_id/revoke', 200, credentialRevoke, OPERATIONS, HARMLESS),

  route('POST', '/listings', 201, listingAdd, OPERATIONS, DANGEROUS),
  route('POST', '/listings/:environment/:domain/price', 200, listingPrice, OPERATIONS, DANGEROUS),
  route('POST', '/listings/:environment/:domain/delist', 200, listingDelist, OPERATIONS, HARMLESS),
  route('POST', '/listings/:environment/:domain/relist', 200, listingRelist, OPERATIONS, DANGEROUS),

  route('GET', '/legal-holds', 200, legalHoldList, EVERYONE, HARMLESS),
  route('POST', '/legal-holds', 201, legalHoldPlace, OPERATIONS, DANGEROUS),
  route('POST', '/legal-holds/:hold/lift', 200, legalHoldLift, OPERATIONS, DANGEROUS),

  route('GET', '/review-queue', 200, reviewQueue, EVERYONE, HARMLESS),
  route('GET', '/checkout-reviews', 200, checkoutReviewQueue, EVERYONE, HARMLESS),
  route('POST', '/checkout-reviews/:session/clear', 200, checkoutClear, OPERATIONS, DANGEROUS),
  route('POST', '/checkout-reviews/:session/decline', 200, checkoutDecline, OPERATIONS, HARMLESS),
  route('GET', '/screening/lists', 200, screeningLists, EVERYONE, HARMLESS),
  route('GET', '/screening/hits', 200, screeningHits, EVERYONE, HARMLESS),
  route('POST', '/screening/hits/:hit/release', 200, screeningRelease, REFUNDS, DANGEROUS),
  route(
    'POST',
    '/screening/hits/:hit/confirm-release',
    200,
    screeningConfirmRelease,
    REFUNDS,
    DANGEROUS,
  ),
  route('POST', '/screening/hits/:hit/decline', 200, screeningDecline, REFUNDS, DANGEROUS),
  route('GET', '/orders/:order', 200, orderShow, EVERYONE, HARMLESS),
  route('POST', '/orders/:order/clear', 200, orderClear, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/cancel', 200, orderCancel, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/start-transfer', 200, orderStartTransfer, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/retry-transfer', 200, orderRetryTransfer, OPERATIONS, DANGEROUS),
  route('POST', '/orders/:order/checks', 200, orderCheck, OPERATIONS, HARMLESS),
  route('POST', '/orders/:order/check-code', 200, orderCheckCode, OPERATIONS, HARMLESS),
  route('POST', '/orders/:order/reopen-claim', 200, orderReopenClaim, OPERATIONS, DANGEROUS),
  route(
    'POST',
    '/orders/:order/confirm-delivery',
    200,
    orderConfirmDelivery,
    OPERATIONS,
    DANGEROUS,
  ),
  route('POST', '/orders/:order/refund', 200, orderRefund, REFUNDS, DANGEROUS),
  route('GET', '/refunds', 200, refundList, EVERYONE, HARMLESS),
  route('POST', '/orders/:order/refund/approve', 200, refundApprove, REFUNDS, DANGEROUS),
  route('POST', '/orders/:order/refund/decline', 200, refundDecline, REFUNDS, HARMLESS),

  route('GET', '/brokerage', 200, brokerageList, EVERYONE, HARMLESS),
  route('GET', '/brokerage/:case', 200, brokerageShow, EVERYONE, HARMLESS),
  route('POST', '/brokerage/:case/move', 200, brokerageMove, OPERATIONS, DANGEROUS),

  route('POST', '/settlement-runs', 202, settlementRun, FINANCE, DANGEROUS),
  route('GET', '/settlement-runs/:run', 200, settlementRunStatus, EVERYONE, HARMLESS),
  route('POST', '/settlements/:id/mark-paid', 200, settlementMarkPaid, FINANCE, DANGEROUS),
  route(
    'POST',
    '/settlements/:id/reverse-payment',
    200,
    settlementReversePayment,
    FINANCE,
    DANGEROUS,
  ),
  route('GET', '/payouts', 200, payoutList, EVERYONE, HARMLESS),
  route('GET', '/payout-files', 200, payoutFiles, EVERYONE, HARMLESS),
  route('POST', '/payout-files', 201, payoutMakeFile, FINANCE, DANGEROUS),
  route('GET', '/payout-files/:id', 200, payoutDownloadFile, FINANCE, HARMLESS),
  route('POST', '/payout-files/:id/paid', 200, payoutFilePaid, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/approve', 200, payoutApprove, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/send', 200, payoutSend, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/mark-paid', 200, payoutMarkPaid, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/mark-failed', 200, payoutMarkFailed, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/reverse', 200, payoutReverse, FINANCE, DANGEROUS),
  route('GET', '/offers', 200, offerList, EVERYONE, HARMLESS),
  route('POST', '/offers/:offer/accept', 200, offerAccept, OPERATIONS, DANGEROUS),
  route('POST', '/offers/:offer/counter', 200, offerCounter, OPERATIONS, DANGEROUS),
  route('POST', '/offers/:offer/decline', 200, offerDecline, OPERATIONS, HARMLESS),
  route(
    'POST',
    '/listings/:environment/:domain/offer-floor',
    200,
    listingOfferFloor,
    OPERATIONS,
    DANGEROUS,
  ),
  route('GET', '/disputes', 200, disputeList, EVERYONE, HARMLESS),
  route('GET', '/repayments', 200, repaymentList, EVERYONE, HARMLESS),
  route('POST', '/repayments/:order/mark-paid', 200, repaymentMarkPaid, FINANCE, DANGEROUS),
  route('GET', '/refused-holds', 200, registryRefusedHolds, EVERYONE, HARMLESS),
  route('GET', '/renewals', 200, renewalList, EVERYONE, HARMLESS),
  route('GET', '/missed-renewals', 200, renewalMissed, EVERYONE, HARMLESS),
  route('POST', '/renewals/:renewal/retry', 202, renewalRetry, OPERATIONS, DANGEROUS),
  route('POST', '/renewals/:renewal/refund', 200, renewalRefund, REFUNDS, DANGEROUS),
  route('GET', '/registry-messages', 200, registryMessages, EVERYONE, HARMLESS),
  route(
    'POST',
    '/registry-messages/:message/mark-read',
    200,
    registryMarkMessageRead,
    OPERATIONS,
    HARMLESS,
  ),
  route('GET', '/ledger/check', 200, ledgerCheck, EVERYONE, HARMLESS),
  route('GET', '/audit/check', 200, auditCheck, EVERYONE, HARMLESS),

  route('GET', '/webhooks/:environment/:partner', 200, webhookEndpoint, EVERYONE, HARMLESS),
  route(
    'GET',
    '/webhooks/:environment/:partner/endpoints',
    200,
    webhookEndpoints,
    EVERYONE,
    HARMLESS,
  ),
  route('POST', '/webhooks/resend', 202, webhookResend, SUPPORT, HARMLESS),
  route('POST', '/webhook-endpoints/:endpoint/test', 202, webhookTest, SUPPORT, HARMLESS),
  route('POST', '/webhook-endpoints/:endpoint/replay', 202, webhookReplay, SUPPORT, HARMLESS),
  route('GET', '/webhook-replays/:replay', 200, webhookReplayStatus, EVERYONE, HARMLESS),
  route('POST', '/webhook-replays/:replay/cancel', 200, webhookCancelReplay, SUPPORT, HARMLESS),
  route('GET', '/mails', 200, mailList, EVERYONE, HARMLESS),
  route('POST', '/mails/:mail/resend', 202, mailResend, SUPPORT, HARMLESS),
  route('GET', '/mail-suppressions', 200, mailSuppressions, EVERYONE, HARMLESS),
  route('POST', '/mail-suppressions', 200, mailSuppress, SUPPORT, HARMLESS),
  route('POST', '/mail-suppressions/remove', 200, mailAllow, SUPPORT, HARMLESS),
  route('GET', '/contacts', 200, contactList, EVERYONE, HARMLESS),
  route('POST', '/contacts', 200, contactAdd, SUPPORT, DANGEROUS),
  route('POST', '/contacts/remove', 200, contactRemove, SUPPORT, DANGEROUS),
  route('POST', '/partners/:partner/brand', 200, partnerBrand, SUPPORT, DANGEROUS),
  route('GET', '/users', 200, userList, EVERYONE, HARMLESS),
  route('POST', '/users', 201, userCreate, ADMINS, DANGEROUS),
  route('POST', '/users/:user/disable', 200, userDisable, OPERATIONS, DANGEROUS),
  route('POST', '/users/:user/enable', 200, userEnable, OPERATIONS, DANGEROUS),
  route('POST', '/users/:user/set-password', 200, userSetPassword, ADMINS, DANGEROUS),
  route('POST', '/users/:user/revoke-sessions', 200, sessionRevokeAll, SUPPORT, HARMLESS),
  route('POST', '/users/:user/revoke-grants', 200, grantRevoke, SUPPORT, HARMLESS),
  route('POST', '/staff/invite', 202, staffInvite, ADMINS, DANGEROUS),
  route('POST', '/users/:user/reset-second-factor', 200, userResetSecondFactor, ADMINS, DANGEROUS),
  route('POST', '/users/:user/staff-role', 200, staffSetRole, ADMINS, DANGEROUS),
  route('POST', '/domains', 200, domainGrant, OPERATIONS, DANGEROUS),
  route('POST', '/domains/:domain/auth-code', 200, domainAuthCode, OPERATIONS, DANGEROUS),
  route('GET', '/queues', 200, queueStatusAction, EVERYONE, HARMLESS),
  route('GET', '/queues/dead', 200, queueDead, EVERYONE, HARMLESS),
  route('POST', '/queues/dead/:job/retry', 202, queueRetry, OPERATIONS, DANGEROUS),
];

/** Who may open the queue dashboard. Pausing, retrying, promoting and cleaning are not actions in the table. */
export const QUEUE_BOARD: Access = { roles: OPERATIONS, dangerous: DANGEROUS };

const ROUTE_OF = new Map(opsRoutes.map((each) => [each.action.name, each]));

/** Returns whether this person must confirm the second factor before an action. */
export function needsConfirmation(action: OpsAction, { stale }: Staff): boolean {
  return stale && (ROUTE_OF.get(action.name)?.dangerous ?? true);
}

/** Returns whether staff with this role may run an action. */
export function mayRun(action: OpsAction, role: StaffRole): boolean {
  return ROUTE_OF.get(action.name)?.roles.includes(role) ?? false;
}

/**
 * Refuses an action to roles that may not run it, and a dangerous one to staff with a second factor who did not confirm
 * it recently.
 * @throws forbidden
 */
export function assertMayRun(action: OpsAction, staff: Staff): void {
  assertAccess(ROUTE_OF.get(action.name) ?? { roles: [], dangerous: true }, staff);
}

/** Like {@link assertMayRun}, for what is not an action. @throws forbidden */
export function assertAccess({ roles, dangerous }: Access, { role, stale }: Staff): void {
  if (!roles.includes(role)) {
    const who = new Intl.ListFormat('en', { type: 'disjunction' }).format(roles);
    throw fail('forbidden', { message: `Your role is ${role}. This needs ${who}.` });
  }
  if (dangerous && stale) {
    throw fail('forbidden', {
      message:
        'This needs your second factor from the last 15 minutes. Enter it at /ops/confirm, or sign in again.',
    });
  }
}

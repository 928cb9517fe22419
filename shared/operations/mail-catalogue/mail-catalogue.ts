import {
  registrantChangedMail,
  verifyRegistrantMail,
} from '../../domains/domain-registrants/domain-registrant.mails.ts';
import { domainTakenMail } from '../../domains/transfers-out/taken-domain.mails.ts';
import { transferOutMail } from '../../domains/transfers-out/transfer-out.mails.ts';
import type { MailCatalogue } from '../../messaging/mail/compose-mail.ts';
import {
  endpointDisabledMail,
  endpointFailingMail,
} from '../../messaging/webhooks/webhook.mails.ts';
import { staffDigestMail } from '../../people/notices/staff-digest.mails.ts';
import { keyExpiringMail } from '../../people/partners/credential.mails.ts';
import {
  invitationMail,
  newSignInMail,
  passwordResetMail,
  secondFactorMail,
  verifyEmailMail,
} from '../../people/users/user.mails.ts';
import { brokerageUpdateMail, buyerAnsweredMail } from '../../sales/brokerage/brokerage.mails.ts';
import { checkoutEndedMail, checkoutReadyMail } from '../../sales/checkout/checkout.mails.ts';
import { offerReceivedMail } from '../../sales/offers/offer.mails.ts';
import {
  orderActionMail,
  orderHeldMail,
  receiptMail,
  registrantMail,
} from '../../sales/orders/order.mails.ts';
import { refundMail } from '../../sales/refunds/refund.mails.ts';
import {
  autoRenewFailedMail,
  domainEndingMail,
  domainRenewedMail,
  renewalRefundedMail,
} from '../../sales/renewals/renewal.mails.ts';
import { claimDomainMail, codeIssuedMail } from '../../sales/transfers/domain-delivery.mails.ts';
import {
  domainDeliveredMail,
  transferActionMail,
  transferStartedMail,
} from '../../sales/transfers/transfer.mails.ts';
import {
  destinationChangedMail,
  payoutFailedMail,
  payoutSentMail,
} from '../../settlement/payouts/payout.mails.ts';
import { statementReadyMail } from '../../settlement/statements/statement.mails.ts';

/** All mails by kind. */
export const MAILS: MailCatalogue = {
  receipt: receiptMail,
  'checkout-ready': checkoutReadyMail,
  'checkout-ended': checkoutEndedMail,
  'transfer-started': transferStartedMail,
  'claim-domain': claimDomainMail,
  'code-issued': codeIssuedMail,
  'domain-delivered': domainDeliveredMail,
  'offer-received': offerReceivedMail,
  'transfer-out': transferOutMail,
  'domain-taken': domainTakenMail,
  'domain-renewed': domainRenewedMail,
  'domain-ending': domainEndingMail,
  'auto-renew-failed': autoRenewFailedMail,
  'renewal-refunded': renewalRefundedMail,
  refund: refundMail,
  'brokerage-update': brokerageUpdateMail,
  'buyer-answered': buyerAnsweredMail,
  'endpoint-failing': endpointFailingMail,
  'endpoint-disabled': endpointDisabledMail,
  'statement-ready': statementReadyMail,
  'payout-sent': payoutSentMail,
  'payout-failed': payoutFailedMail,
  'payout-account-changed': destinationChangedMail,
  'key-expiring': keyExpiringMail,
  'order-held': orderHeldMail,
  'registrant-required': registrantMail,
  'order-action-required': orderActionMail,
  'verify-registrant': verifyRegistrantMail,
  'registrant-changed': registrantChangedMail,
  'transfer-action-required': transferActionMail,
  'verify-email': verifyEmailMail,
  invitation: invitationMail,
  'password-reset': passwordResetMail,
  'new-sign-in': newSignInMail,
  'second-factor-changed': secondFactorMail,
  'staff-digest': staffDigestMail,
};

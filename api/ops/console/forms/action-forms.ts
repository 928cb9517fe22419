import type { ActionForm } from './action-form.ts';
import { CHECKOUT_FORMS } from './checkout-forms.ts';
import {
  LEGAL_HOLD_FORMS,
  MARKET_FORMS,
  NEW_LISTING_FORMS,
  OWNED_DOMAIN_FORMS,
} from './listing-forms.ts';
import { MAIL_FORMS, REGISTRY_FORMS } from './message-forms.ts';
import { BROKERAGE_FORMS, OFFER_FORMS } from './negotiation-forms.ts';
import { LISTING_FORMS, ORDER_FORMS } from './order-forms.ts';
import {
  DESTINATION_FORMS,
  KEY_PAIR_FORMS,
  NEW_PARTNER_FORMS,
  PARTNER_FORMS,
} from './partner-forms.ts';
import { PAYOUT_FILE_FORMS, PAYOUT_FORMS, REPAYMENT_FORMS } from './payout-forms.ts';
import { ACCOUNT_FORMS, PEOPLE_FORMS } from './people-forms.ts';
import { RENEWAL_FORMS } from './renewal-forms.ts';
import { SCREENING_FORMS } from './screening-forms.ts';
import { LEDGER_FORMS, SETTLEMENT_RUN_FORMS, STATEMENT_FORMS } from './settlement-forms.ts';
import { ENDPOINT_FORMS, REPLAY_FORMS, WEBHOOK_FORMS } from './webhook-forms.ts';

/** Every form of the console by its name, which is the last part of its path. */
export const ACTION_FORMS = {
  ...ORDER_FORMS,
  ...LISTING_FORMS,
  ...CHECKOUT_FORMS,
  ...SCREENING_FORMS,
  ...MARKET_FORMS,
  ...NEW_LISTING_FORMS,
  ...LEGAL_HOLD_FORMS,
  ...OWNED_DOMAIN_FORMS,
  ...WEBHOOK_FORMS,
  ...ENDPOINT_FORMS,
  ...REPLAY_FORMS,
  ...MAIL_FORMS,
  ...REGISTRY_FORMS,
  ...BROKERAGE_FORMS,
  ...OFFER_FORMS,
  ...PAYOUT_FORMS,
  ...PAYOUT_FILE_FORMS,
  ...REPAYMENT_FORMS,
  ...RENEWAL_FORMS,
  ...STATEMENT_FORMS,
  ...SETTLEMENT_RUN_FORMS,
  ...PARTNER_FORMS,
  ...DESTINATION_FORMS,
  ...NEW_PARTNER_FORMS,
  ...KEY_PAIR_FORMS,
  ...ACCOUNT_FORMS,
  ...PEOPLE_FORMS,
  ...LEDGER_FORMS,
};

export type FormName = keyof typeof ACTION_FORMS;

const BY_NAME: ReadonlyMap<string, ActionForm> = new Map(Object.entries<ActionForm>(ACTION_FORMS));

/** Returns every form by its name. */
export function actionForms(): ReadonlyMap<string, ActionForm> {
  return BY_NAME;
}

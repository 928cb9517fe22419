import { DAY, MINUTE, SECOND } from '../clock.ts';
import {
  countries,
  country,
  integer,
  ms,
  oneOf,
  pageUrl,
  ratesByCountry,
  type Section,
  text,
} from './variable.ts';

/** The rules of the marketplace: how it sells, delivers, settles and brokers. */
export const MARKETPLACE_SECTIONS = [
  {
    title: 'Quotes and orders',
    variables: {
      quoteMs: ms('QUOTE_MS', 10 * MINUTE, 'Lifetime of a quote and its hold.', 1),
      offerMs: ms('OFFER_MS', 7 * DAY, 'How long an offer waits for an answer.', 1),
      offerQuoteMs: ms('OFFER_QUOTE_MS', 2 * DAY, 'Lifetime of the quote of an accepted offer.', 1),
      checkoutSessionMs: ms('CHECKOUT_SESSION_MS', 7 * DAY, 'Lifetime of a checkout link.', 1),
      checkoutPriceMs: ms(
        'CHECKOUT_PRICE_MS',
        1 * DAY,
        'How long a checkout session keeps its first price.',
      ),
      maxOpenHolds: integer(
        'MAX_OPEN_HOLDS',
        50,
        'Domains a partner may hold per environment by quotes and checkout payments; as many purchases may be in review.',
        1,
      ),
      idempotencyDays: integer(
        'IDEMPOTENCY_DAYS',
        30,
        'How long the response to an Idempotency-Key is kept.',
        1,
        3_650,
      ),
      reviewPriceCents: integer(
        'REVIEW_PRICE_CENTS',
        10_000_000,
        'Orders from this price, in minor units of their currency, go to manual review; 0 is off.',
      ),
      payoutApprovalOverCents: integer(
        'PAYOUT_APPROVAL_OVER_CENTS',
        0,
        'LIVE payouts over this amount, in minor units of their currency, need two people: `payout:approve`, then `payout:mark-paid`; 0 is off.',
      ),
      reviewCountries: countries(
        'REVIEW_COUNTRIES',
        'Buyer countries (ISO 3166-1 alpha-2, comma-separated) whose orders go to manual review.',
      ),
      reviewOrdersPerHour: integer(
        'REVIEW_ORDERS_PER_HOUR',
        100,
        "A partner's LIVE orders beyond this in an hour go to manual review; 0 is off.",
      ),
    },
  },
  {
    title: 'Transfers',
    about: '[states.md](states.md#transfers), [sandbox.md](sandbox.md)',
    variables: {
      transferPolicySandbox: oneOf(
        'TRANSFER_POLICY_SANDBOX',
        ['manual', 'automatic'],
        'automatic',
        'Who starts and confirms SANDBOX transfers.',
      ),
      transferPolicyLive: oneOf(
        'TRANSFER_POLICY_LIVE',
        ['manual', 'automatic'],
        'manual',
        'Who starts and confirms LIVE transfers. In production, automatic needs `REGISTRAR_LIVE=epp`.',
      ),
      transferStartDelayMs: ms(
        'TRANSFER_START_DELAY_MS',
        2 * SECOND,
        'Automatic policy: wait before the push.',
      ),
      transferConfirmDelayMs: ms(
        'TRANSFER_CONFIRM_DELAY_MS',
        2 * SECOND,
        'Automatic policy: wait before the confirmation.',
      ),
    },
  },
  {
    title: 'Payments',
    about: '[payments.md](payments.md)',
    variables: {
      paymentsLive: oneOf(
        'PAYMENTS_LIVE',
        ['sandbox', 'stripe', ''],
        '',
        'Provider of LIVE payments. Empty: sandbox in development and test, none in production.',
      ),
      stripeSecretKey: text(
        'STRIPE_SECRET_KEY',
        '',
        "Stripe's secret or restricted key (`sk_...`, `rk_...`). Required with stripe.",
      ),
      stripeWebhookSecret: text(
        'STRIPE_WEBHOOK_SECRET',
        '',
        'Signing secret (`whsec_...`) of the webhook endpoint at Stripe. Required with stripe.',
      ),
      premiumMarginBps: integer(
        'PREMIUM_MARGIN_BPS',
        1_000,
        'Our markup on registry fees for premium domains, in hundredths of a percent.',
        0,
        100_000,
      ),
    },
  },
  {
    title: 'Settlements',
    about: '[settlements.md](settlements.md), [closing.md](closing.md)',
    variables: {
      settlementDelayLiveMs: ms(
        'SETTLEMENT_DELAY_LIVE_MS',
        14 * DAY,
        'How long after delivery a LIVE order is due for a statement.',
      ),
      settlementDelaySandboxMs: ms(
        'SETTLEMENT_DELAY_SANDBOX_MS',
        0,
        'The same for SANDBOX orders.',
      ),
      settlementDueDays: integer(
        'SETTLEMENT_DUE_DAYS',
        14,
        'Days from the close of a statement to its due date.',
        0,
        365,
      ),
    },
  },
  {
    title: 'Documents and tax',
    about: '[documents.md](documents.md)',
    variables: {
      payoutIban: text(
        'PAYOUT_IBAN',
        '',
        'IBAN of the account that payouts are sent from. Required for bank files.',
      ),
      payoutBic: text('PAYOUT_BIC', '', "BIC of PAYOUT_IBAN's bank, if the bank requires it."),
      sellerName: text(
        'SELLER_NAME',
        'Domain marketplace',
        'Legal name of the company that sells and issues documents.',
      ),
      sellerAddress: text('SELLER_ADDRESS', '', 'Its address, lines separated by `|`.'),
      sellerCountry: country('SELLER_COUNTRY', 'Its country (ISO 3166-1 alpha-2).'),
      sellerTaxId: text('SELLER_TAX_ID', '', 'Its tax number, as documents show it.'),
      taxProfile: oneOf(
        'TAX_PROFILE',
        ['none', 'vat', 'us_none'],
        'none',
        'Tax included in the prices of sales that we collect: none, VAT by `VAT_RATES`, or a US state without sales tax.',
      ),
      vatRates: ratesByCountry(
        'VAT_RATES',
        'VAT in percent by the country of the buyer, such as `DE=19,FR=20`. Other countries are out of scope. With `TAX_PROFILE=vat`, the rate of SELLER_COUNTRY is required.',
      ),
    },
  },
  {
    title: 'Brokerage',
    about: '[brokerage.md](brokerage.md)',
    variables: {
      brokerageLinkDays: integer(
        'BROKERAGE_LINK_DAYS',
        90,
        'How long the progress page of a closed case works.',
        0,
        3_650,
      ),
    },
  },
  {
    title: 'Referrals',
    about:
      '[referral.md](referral.md). The pages must be yours: the placeholder may stand only after the host.',
    variables: {
      referralCommissionBps: integer(
        'REFERRAL_COMMISSION_BPS',
        500,
        "An affiliate's share of a sale in basis points, fixed in each link.",
        0,
        10_000,
      ),
      referralLandingUrl: pageUrl(
        'REFERRAL_LANDING_URL',
        '',
        'Target of generic referral links. Empty: BASE_URL/.',
      ),
      referralDomainUrl: pageUrl(
        'REFERRAL_DOMAIN_URL',
        '{domain}',
        'Target of referral links to a domain. Empty: that of generic links.',
      ),
      referralProductUrl: pageUrl(
        'REFERRAL_PRODUCT_URL',
        '{product}',
        'Target of referral links to a product. Empty: that of generic links.',
      ),
    },
  },
] as const satisfies readonly Section[];

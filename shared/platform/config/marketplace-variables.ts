import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts';
import {
  countries,
  country,
  integer,
  ms,
  oneOf,
  pageUrl,
  perMinute,
  ratesByCountry,
  suffixes,
  text,
  type Variable,
} from './variable.ts';

/** The rules of the marketplace: how it sells, delivers, settles and brokers. */
export const MARKETPLACE_VARIABLES = {
  quoteMs: ms('QUOTE_MS', 10 * MINUTE, 'Lifetime of a quote and its hold.', 1),
  offerMs: ms('OFFER_MS', 7 * DAY, 'How long an offer waits for an answer.', 1),
  offerQuoteMs: ms('OFFER_QUOTE_MS', 2 * DAY, 'Lifetime of the quote of an accepted offer.', 1),
  checkoutSessionMs: ms('CHECKOUT_SESSION_MS', 7 * DAY, 'Lifetime of a checkout link.', 1),
  checkoutPriceMs: ms(
    'CHECKOUT_PRICE_MS',
    1 * DAY,
    'How long a checkout session keeps its first price.',
  ),
  checkoutPaymentMs: ms(
    'CHECKOUT_PAYMENT_MS',
    30 * MINUTE,
    'How long a started payment may take; the domain is held meanwhile.',
    1,
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

  payoutApprovalOverCents: integer(
    'PAYOUT_APPROVAL_OVER_CENTS',
    0,
    'LIVE payouts over this amount, in minor units of their currency, take two people: `payout:approve`, then `payout:mark-paid`; 0 is off.',
  ),

  reviewPriceCents: integer(
    'REVIEW_PRICE_CENTS',
    10_000_000,
    'Orders from this price, in minor units of their currency, go to manual review; 0 is off.',
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
  transferPollMs: ms(
    'TRANSFER_POLL_MS',
    1 * SECOND,
    'Shortest wait between polls of a push; otherwise a tenth of the time it has been in its state.',
    10,
  ),
  transferPollMaxMs: ms(
    'TRANSFER_POLL_MAX_MS',
    10 * MINUTE,
    'Longest wait between polls of a push.',
    10,
  ),
  sandboxRegistrarDelayMs: ms(
    'SANDBOX_REGISTRAR_DELAY_MS',
    2 * SECOND,
    'How long the sandbox registrar takes for a push.',
  ),
  sandboxRegistrarSlowDelayMs: ms(
    'SANDBOX_REGISTRAR_SLOW_DELAY_MS',
    60 * SECOND,
    'The same for `slow-transfer-` names.',
  ),

  paymentsLive: oneOf(
    'PAYMENTS_LIVE',
    ['sandbox', 'stripe', ''],
    '',
    'Provider of LIVE payments; empty is sandbox in development and test, nobody in production.',
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
  stripeApiUrl: text(
    'STRIPE_API_URL',
    '',
    "Replaces Stripe's API in tests; refused in production.",
  ),

  settlementDelayLiveMs: ms(
    'SETTLEMENT_DELAY_LIVE_MS',
    14 * DAY,
    'How long after delivery a LIVE order is due for a statement.',
  ),
  settlementDelaySandboxMs: ms('SETTLEMENT_DELAY_SANDBOX_MS', 0, 'The same for SANDBOX orders.'),
  settlementDueDays: integer(
    'SETTLEMENT_DUE_DAYS',
    14,
    'Days from the close of a statement to its due date.',
    0,
    365,
  ),
  settlementBatchSize: integer(
    'SETTLEMENT_BATCH_SIZE',
    5_000,
    'Most orders per transaction of a settlement; fewer if they would lock the history for too long.',
    1,
    100_000,
  ),

  sellerName: text(
    'SELLER_NAME',
    'Domain marketplace',
    'Legal name of the company that sells and issues documents.',
  ),
  sellerAddress: text('SELLER_ADDRESS', '', 'Its address, lines separated by `|`.'),
  sellerCountry: country('SELLER_COUNTRY', 'Its country (ISO 3166-1 alpha-2).'),
  sellerTaxId: text('SELLER_TAX_ID', '', 'Its tax number, as documents show it.'),
  payoutIban: text('PAYOUT_IBAN', '', 'IBAN of its account that pays out; needed for bank files.'),
  payoutBic: text('PAYOUT_BIC', '', 'BIC of the bank of PAYOUT_IBAN, where the bank asks for it.'),
  taxProfile: oneOf(
    'TAX_PROFILE',
    ['none', 'vat', 'us_none'],
    'none',
    'Tax within the prices of sales that we collect: no tax, VAT by `VAT_RATES`, or a US state without sales tax.',
  ),
  vatRates: ratesByCountry(
    'VAT_RATES',
    'VAT in percent by the country of the buyer, such as `DE=19,FR=20`. Other countries are outside its scope. With `TAX_PROFILE=vat` that of SELLER_COUNTRY is required.',
  ),

  brokerageProbeMs: ms(
    'BROKERAGE_PROBE_MS',
    3 * SECOND,
    'Time for checking the site of a domain.',
    100,
  ),
  brokerageProbeCacheMs: ms(
    'BROKERAGE_PROBE_CACHE_MS',
    5 * MINUTE,
    'How long the result is cached.',
  ),
  brokerageLinkDays: integer(
    'BROKERAGE_LINK_DAYS',
    90,
    'How long the progress page of a closed case works.',
    0,
    3_650,
  ),
  limitProgressPage: perMinute(
    'LIMIT_PROGRESS_PAGE',
    20,
    'Changes on progress pages, per address.',
  ),

  lookupRegistries: oneOf(
    'LOOKUP_REGISTRIES',
    ['network', 'demo', 'offline', ''],
    '',
    'Who answers lookups: `network` real registries, `demo` made-up answers for listed and reserved names, `offline` made-up answers only. Empty is network in production, demo in development, offline in test; production refuses the others.',
  ),
  lookupMs: ms('LOOKUP_MS', 8 * SECOND, 'Total time of a lookup, fallbacks included.', 100),
  lookupServerMs: ms('LOOKUP_SERVER_MS', 4 * SECOND, 'Time for one RDAP or WHOIS server.', 10),
  lookupRegistrarMs: ms('LOOKUP_REGISTRAR_MS', 2_500, "Time for the registrar's record.", 10),
  lookupCacheMs: ms(
    'LOOKUP_CACHE_MS',
    1 * HOUR,
    'How long the record of a registered name is cached.',
  ),
  lookupFreeCacheMs: ms('LOOKUP_FREE_CACHE_MS', 1 * MINUTE, 'How long a free name is cached.'),
  lookupPerServer: integer(
    'LOOKUP_PER_SERVER',
    4,
    'Parallel queries to one server, per process.',
    1,
    64,
  ),
  lookupBootstrapUrl: text(
    'LOOKUP_BOOTSTRAP_URL',
    'https://data.iana.org/rdap/dns.json',
    "IANA's list of RDAP servers (RFC 9224).",
  ),
  lookupBootstrapMs: ms('LOOKUP_BOOTSTRAP_MS', 1 * DAY, 'How long that list is cached.', 1),
  lookupWhoisServer: text(
    'LOOKUP_WHOIS_SERVER',
    'whois.iana.org',
    'The WHOIS server that names those of TLDs.',
  ),

  domainSearchTlds: suffixes(
    'DOMAIN_SEARCH_TLDS',
    ['com', 'net', 'org', 'io', 'co', 'ai', 'app', 'dev', 'xyz', 'shop'],
    'Suffixes of public domain search, comma-separated; a label is checked under the first.',
  ),
  domainSearchBudgetMs: ms(
    'DOMAIN_SEARCH_BUDGET_MS',
    2 * SECOND,
    'How long domain search waits for a registry; then a name is `unknown`.',
    1,
  ),
  tldCacheMs: ms('TLD_CACHE_MS', MINUTE, 'How long domain search caches prices of TLDs.'),

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
    'Where generic referral links lead; empty is BASE_URL/.',
  ),
  referralDomainUrl: pageUrl(
    'REFERRAL_DOMAIN_URL',
    '{domain}',
    'Where referral links to a domain lead; empty is BASE_URL/domains/{domain}.',
  ),
  referralProductUrl: pageUrl(
    'REFERRAL_PRODUCT_URL',
    '{product}',
    'Where referral links to a product lead; empty is BASE_URL/products/{product}.',
  ),
} satisfies Record<string, Variable<unknown>>;

/** The optional model that ranks what search finds a second time. */
export const EMBEDDINGS_VARIABLES = {
  embeddingsUrl: text(
    'EMBEDDINGS_URL',
    '',
    'An endpoint of the OpenAI embeddings API (`https://.../v1/embeddings`); empty is off.',
  ),
  embeddingsModel: text('EMBEDDINGS_MODEL', '', 'Its model. Required with EMBEDDINGS_URL.'),
  embeddingsApiKey: text('EMBEDDINGS_API_KEY', '', 'Its bearer token; empty sends none.'),
  embeddingsBudgetMs: ms('EMBEDDINGS_BUDGET_MS', 150, 'How long a search waits for embeddings.', 1),
  embeddingsTimeoutMs: ms(
    'EMBEDDINGS_TIMEOUT_MS',
    10 * SECOND,
    'Time for one call to the endpoint.',
    1,
  ),
  embeddingsBatchSize: integer(
    'EMBEDDINGS_BATCH_SIZE',
    64,
    'Listings per call of the worker.',
    1,
    2_048,
  ),
  embeddingsCacheSize: integer(
    'EMBEDDINGS_CACHE_SIZE',
    2_000,
    'Queries whose vectors a process caches.',
    1,
    1_000_000,
  ),
} satisfies Record<string, Variable<unknown>>;

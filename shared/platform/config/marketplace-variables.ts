import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts';
import {
  integer,
  list,
  ms,
  oneOf,
  pageUrl,
  perMinute,
  suffixes,
  text,
  type Variable,
} from './variable.ts';

/** The rules of the marketplace: how it sells, delivers, settles and brokers. */
export const MARKETPLACE_VARIABLES = {
  quoteMs: ms('QUOTE_MS', 10 * MINUTE, 'Validity of a quote and its hold.', 1),
  checkoutSessionMs: ms('CHECKOUT_SESSION_MS', 7 * DAY, 'Validity of a checkout link.', 1),
  checkoutPriceMs: ms(
    'CHECKOUT_PRICE_MS',
    1 * DAY,
    'How long a checkout session keeps the price of its creation.',
  ),
  checkoutPaymentMs: ms(
    'CHECKOUT_PAYMENT_MS',
    30 * MINUTE,
    'How long a buyer has for a payment that was begun; the domain is held meanwhile.',
    1,
  ),
  maxOpenHolds: integer(
    'MAX_OPEN_HOLDS',
    50,
    'Domains a partner may hold in an environment, by open quotes and by payments under way on its checkout pages.',
    1,
  ),
  idempotencyDays: integer(
    'IDEMPOTENCY_DAYS',
    30,
    'Days for which an idempotency key is bound to its answer.',
    1,
    3_650,
  ),

  reviewPriceCents: integer(
    'REVIEW_PRICE_CENTS',
    10_000_000,
    'Orders at or over this price, in minor units of their own currency, go to manual review; 0 switches the rule off.',
  ),
  reviewCountries: list(
    'REVIEW_COUNTRIES',
    [],
    'Buyer countries (ISO 3166-1 alpha-2, comma-separated) whose orders go to manual review.',
  ),
  reviewOrdersPerHour: integer(
    'REVIEW_ORDERS_PER_HOUR',
    100,
    "A partner's LIVE orders beyond this number in an hour go to manual review; 0 switches the rule off.",
  ),

  transferPolicySandbox: oneOf(
    'TRANSFER_POLICY_SANDBOX',
    ['manual', 'automatic'],
    'automatic',
    'Who starts and confirms transfers of SANDBOX orders.',
  ),
  transferPolicyLive: oneOf(
    'TRANSFER_POLICY_LIVE',
    ['manual', 'automatic'],
    'manual',
    'Who starts and confirms transfers of LIVE orders. Production refuses automatic: no registrar is connected that could.',
  ),
  transferStartDelayMs: ms(
    'TRANSFER_START_DELAY_MS',
    2 * SECOND,
    'Automatic policy: wait between the sale and the push.',
  ),
  transferConfirmDelayMs: ms(
    'TRANSFER_CONFIRM_DELAY_MS',
    2 * SECOND,
    "Automatic policy: wait between the registrar's completion and the confirmation.",
  ),
  transferPollMs: ms(
    'TRANSFER_POLL_MS',
    1 * SECOND,
    'Shortest wait between two polls of a push at the registrar; a push is polled after a tenth of the time it has been in its state.',
    10,
  ),
  transferPollMaxMs: ms(
    'TRANSFER_POLL_MAX_MS',
    10 * MINUTE,
    'Longest wait between two polls of a push at the registrar.',
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
    'Who takes LIVE payments of hosted checkout; empty is sandbox in development and test, and nobody in production.',
  ),
  stripeSecretKey: text(
    'STRIPE_SECRET_KEY',
    '',
    "Stripe's secret or restricted key (`sk_...`, `rk_...`). Required when PAYMENTS_LIVE is stripe.",
  ),
  stripeWebhookSecret: text(
    'STRIPE_WEBHOOK_SECRET',
    '',
    'Signing secret (`whsec_...`) of the webhook endpoint at Stripe. Required when PAYMENTS_LIVE is stripe.',
  ),
  stripeApiUrl: text(
    'STRIPE_API_URL',
    '',
    "Another server in place of Stripe's API, for tests; refused in production.",
  ),

  settlementDelayLiveMs: ms(
    'SETTLEMENT_DELAY_LIVE_MS',
    14 * DAY,
    'Settlement clock of LIVE orders: wait after delivery before an order is eligible.',
  ),
  settlementDelaySandboxMs: ms(
    'SETTLEMENT_DELAY_SANDBOX_MS',
    0,
    'Settlement clock of SANDBOX orders.',
  ),
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
    'Orders that one transaction of a settlement takes at most; it takes fewer when they would keep the history of the partner locked for long.',
    1,
    100_000,
  ),

  brokerageProbeMs: ms(
    'BROKERAGE_PROBE_MS',
    3 * SECOND,
    'Total time for looking at the site of a domain that is to be brokered.',
    100,
  ),
  brokerageProbeCacheMs: ms(
    'BROKERAGE_PROBE_CACHE_MS',
    5 * MINUTE,
    'How long what was found there is believed.',
  ),
  brokerageLinkDays: integer(
    'BROKERAGE_LINK_DAYS',
    90,
    'Days for which the progress page of a closed case can be opened.',
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
    'Who is asked about domains: `network` the real registries, `demo` a made-up one for listed and reserved names and the real ones for the rest, `offline` the made-up one alone, where all other names are free. Empty is network in production, demo in development and offline in test; production refuses the others.',
  ),
  lookupMs: ms(
    'LOOKUP_MS',
    8 * SECOND,
    'Total time for asking a registry, fallbacks included.',
    100,
  ),
  lookupServerMs: ms('LOOKUP_SERVER_MS', 4 * SECOND, 'Time that one RDAP or WHOIS server has.', 10),
  lookupRegistrarMs: ms(
    'LOOKUP_REGISTRAR_MS',
    2_500,
    "Time for the registrar's record, where the registry refers to it.",
    10,
  ),
  lookupCacheMs: ms(
    'LOOKUP_CACHE_MS',
    1 * HOUR,
    'How long the record of a registered name is kept.',
  ),
  lookupFreeCacheMs: ms(
    'LOOKUP_FREE_CACHE_MS',
    1 * MINUTE,
    'How long it is believed that a name is not registered.',
  ),
  lookupPerServer: integer(
    'LOOKUP_PER_SERVER',
    4,
    'Questions to one RDAP or WHOIS server at a time, per process.',
    1,
    64,
  ),
  lookupBootstrapUrl: text(
    'LOOKUP_BOOTSTRAP_URL',
    'https://data.iana.org/rdap/dns.json',
    "IANA's list of RDAP servers (RFC 9224).",
  ),
  lookupBootstrapMs: ms('LOOKUP_BOOTSTRAP_MS', 1 * DAY, 'How long that list is fresh.', 1),
  lookupWhoisServer: text(
    'LOOKUP_WHOIS_SERVER',
    'whois.iana.org',
    'The WHOIS server that knows those of the TLDs.',
  ),

  domainSearchTlds: suffixes(
    'DOMAIN_SEARCH_TLDS',
    ['com', 'net', 'org', 'io', 'co', 'ai', 'app', 'dev', 'xyz', 'shop'],
    'Where public domain search looks for siblings of a name, comma-separated; for a label, the first is what was asked for.',
  ),
  domainSearchBudgetMs: ms(
    'DOMAIN_SEARCH_BUDGET_MS',
    2 * SECOND,
    'How long public domain search waits for a registry; after that a name is `unknown`.',
    1,
  ),
  tldCacheMs: ms('TLD_CACHE_MS', MINUTE, 'How long domain search believes the prices of TLDs.'),

  referralCommissionBps: integer(
    'REFERRAL_COMMISSION_BPS',
    500,
    "An affiliate's share of a referred sale in basis points, fixed in each link when it is made.",
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
    'Full address of an endpoint that speaks the OpenAI embeddings API (`https://.../v1/embeddings`); empty leaves embeddings out of search.',
  ),
  embeddingsModel: text(
    'EMBEDDINGS_MODEL',
    '',
    'Model that is asked for there. Required with EMBEDDINGS_URL.',
  ),
  embeddingsApiKey: text(
    'EMBEDDINGS_API_KEY',
    '',
    'Bearer token for that endpoint; empty sends none.',
  ),
  embeddingsBudgetMs: ms(
    'EMBEDDINGS_BUDGET_MS',
    150,
    'How long a search waits for embeddings; after that it ranks without them.',
    1,
  ),
  embeddingsTimeoutMs: ms(
    'EMBEDDINGS_TIMEOUT_MS',
    10 * SECOND,
    'Total time of one call to the endpoint.',
    1,
  ),
  embeddingsBatchSize: integer(
    'EMBEDDINGS_BATCH_SIZE',
    64,
    'Listings whose vectors the worker asks for in one call.',
    1,
    2_048,
  ),
  embeddingsCacheSize: integer(
    'EMBEDDINGS_CACHE_SIZE',
    2_000,
    'Queries whose vectors a process keeps in memory.',
    1,
    1_000_000,
  ),
} satisfies Record<string, Variable<unknown>>;

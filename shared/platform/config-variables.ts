import { DAY, HOUR, MINUTE, SECOND } from './clock.ts';

/**
 * One environment variable: its name, how its text is read, its default, and what `docs/configuration.md`
 * says of it (a test holds the two together).
 */
export interface Variable<T> {
  name: string;
  fallback: T;
  doc: string;
  /** @throws Error whose message says what is wrong with the text */
  parse(text: string): T;
}

function integer(
  name: string,
  fallback: number,
  doc: string,
  min = 0,
  max = 2_147_483_647,
): Variable<number> {
  return {
    name,
    fallback,
    doc,
    parse(text) {
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < min || value > max) {
        throw new Error(`must be a whole number from ${min} to ${max}`);
      }
      return value;
    },
  };
}

function text(name: string, fallback: string, doc: string): Variable<string> {
  return { name, fallback, doc, parse: (value) => value };
}

function oneOf<const T extends string>(
  name: string,
  values: readonly T[],
  fallback: T,
  doc: string,
): Variable<T> {
  const choice = values.filter((value) => value !== '').join(', ');
  return {
    name,
    fallback,
    doc: `${doc} One of ${choice}.`,
    parse(value) {
      const found = values.find((candidate) => candidate === value);
      if (found === undefined) throw new Error(`must be one of ${choice}`);
      return found;
    },
  };
}

function list(name: string, fallback: readonly string[], doc: string): Variable<readonly string[]> {
  return {
    name,
    fallback,
    doc,
    parse: (value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
  };
}

function durations(
  name: string,
  fallback: readonly number[],
  doc: string,
): Variable<readonly number[]> {
  return {
    name,
    fallback,
    doc,
    parse: (value) =>
      value.split(',').map((part) => {
        if (!/^\d+$/.test(part.trim()))
          throw new Error('must be milliseconds, separated by commas');
        return Number(part);
      }),
  };
}

const perMinute = (name: string, fallback: number, what: string) =>
  integer(name, fallback, `${what} Requests a minute.`, 1);
const ms = (name: string, fallback: number, doc: string, min = 0) =>
  integer(name, fallback, `${doc} Milliseconds.`, min, 365 * DAY);

/** The whole configuration of the service, in the order in which the documentation lists it. */
export const VARIABLES = {
  nodeEnv: oneOf(
    'NODE_ENV',
    ['development', 'test', 'production'],
    'development',
    'Production refuses the conveniences of development.',
  ),
  port: integer('PORT', 3_000, 'Port of the API; 0 picks a free one.', 0, 65_535),
  host: text('HOST', '', 'Address the API listens on; empty is all.'),
  baseUrl: text(
    'BASE_URL',
    '',
    'Public address, without a trailing slash; empty is http://localhost:PORT.',
  ),
  databaseUrl: text(
    'DATABASE_URL',
    '',
    'Postgres. Required in production; in development `npm start` brings its own.',
  ),
  databasePoolSize: integer(
    'DATABASE_POOL_SIZE',
    16,
    'Connections a process opens at most.',
    2,
    200,
  ),
  redisUrl: text(
    'REDIS_URL',
    '',
    'Redis. Required in production; in development `npm start` brings its own.',
  ),
  redisPrefix: text(
    'REDIS_PREFIX',
    '{dm}',
    'Prefix of every key; the braces keep all keys in one cluster slot.',
  ),
  dataDir: text(
    'DATA_DIR',
    '.data',
    'Where development keeps its databases and its generated key.',
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'Least severe log line that is written.',
  ),
  secretsKey: text(
    'SECRETS_KEY',
    '',
    '32 bytes as base64: encrypts stored secrets and signs tokens. Required in production; development makes one under DATA_DIR.',
  ),
  trustProxy: text(
    'TRUST_PROXY',
    '',
    'Addresses or hop count of the proxies whose X-Forwarded-* headers are believed (Express `trust proxy`); empty trusts none.',
  ),
  shutdownMs: ms('SHUTDOWN_MS', 20 * SECOND, 'How long a process drains after the first signal.'),

  rateLimits: oneOf(
    'RATE_LIMITS',
    ['on', 'off'],
    'on',
    'Off is for benchmarks and refused in production.',
  ),
  limitSearch: perMinute('LIMIT_SEARCH', 60, 'Discovery endpoints, per credential.'),
  limitWrite: perMinute('LIMIT_WRITE', 20, 'Writing endpoints, per credential.'),
  limitReporting: perMinute('LIMIT_REPORTING', 30, 'Reporting endpoints, per credential.'),
  limitReads: perMinute('LIMIT_READS', 120, 'Order, event and webhook reads, per credential.'),
  limitFailedSignatures: perMinute(
    'LIMIT_FAILED_SIGNATURES',
    30,
    'Failed signatures, per address.',
  ),
  limitSignIn: perMinute('LIMIT_SIGN_IN', 10, 'Sign-in attempts, per address.'),
  credentialCacheMs: ms(
    'CREDENTIAL_CACHE_MS',
    5 * SECOND,
    'How long a process may use a cached credential; a revocation drops it at once.',
  ),

  quoteMs: ms('QUOTE_MS', 10 * MINUTE, 'Validity of a quote and its hold.', 1),
  maxOpenHolds: integer(
    'MAX_OPEN_HOLDS',
    50,
    'Open quotes a partner may hold in an environment.',
    1,
  ),
  idempotencyDays: integer(
    'IDEMPOTENCY_DAYS',
    30,
  limitCheckout: perMinute('LIMIT_CHECKOUT', 30, 'Forms sent from checkout pages, per address.'),
    'Days for which an idempotency key is bound to its answer.',
    1,
    3_650,
  ),

  reviewPriceCents: integer(
    'REVIEW_PRICE_CENTS',
    10_000_000,
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
    'Orders at or over this price go to manual review; 0 switches the rule off.',
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
    'Who starts and confirms transfers of LIVE orders.',
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
    'How often a push is asked after at the registrar.',
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

  settlementBatchSize: integer(
    'SETTLEMENT_BATCH_SIZE',
    5_000,
    'Orders that one transaction of a settlement takes.',
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

  webhookAllowPrivate: oneOf(
    'WEBHOOK_ALLOW_PRIVATE',
    ['true', 'false', ''],
    '',
    'Whether webhook targets may be loopback or private addresses; empty is true in development and test, false in production.',
  ),
  webhookTimeoutMs: ms(
    'WEBHOOK_TIMEOUT_MS',
    5 * SECOND,
    'Total time a receiver has to answer.',
    100,
  ),
  webhookScheduleMs: durations(
    'WEBHOOK_SCHEDULE_MS',
    [
      5 * SECOND,
      30 * SECOND,
      2 * MINUTE,
      10 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
    ],
    'Waits after each failed attempt (milliseconds, comma-separated).',
  ),
  webhookMaxInFlight: integer(
    'WEBHOOK_MAX_IN_FLIGHT',
    4,
    'Deliveries under way to one endpoint at once.',
    1,
    100,
  ),
  webhookConcurrency: integer(
    'WEBHOOK_CONCURRENCY',
    64,
    'Deliveries under way in one worker process at once.',
    1,
    1_000,
  ),
  webhookRetrySharePercent: integer(
    'WEBHOOK_RETRY_SHARE_PERCENT',
    30,
    'Share of the delivery slots that retries and failing endpoints may take; the rest is kept for everybody else.',
    1,
    100,
  ),
  webhookRotationHours: integer(
    'WEBHOOK_ROTATION_HOURS',
    24,
    'Hours for which an old webhook secret still signs beside the new one.',
    0,
    168,
  ),
  webhookDisableAfterMs: ms(
    'WEBHOOK_DISABLE_AFTER_MS',
    5 * DAY,
    'An endpoint that did nothing but fail for this long is disabled.',
  ),

  outboxPollMs: ms(
    'OUTBOX_POLL_MS',
    250,
    'How often the relay looks for due work when nobody wakes it.',
    10,
  ),
  outboxLeaseMs: ms(
    'OUTBOX_LEASE_MS',
    60 * SECOND,
    'How long a dispatched job may go unfinished before it is sent again.',
    100,
  ),
  reconcileMs: ms(
    'RECONCILE_MS',
    5 * SECOND,
    'How often lost jobs and wiped schedules are looked for.',
    50,
  ),
  jobLockMs: ms(
    'JOB_LOCK_MS',
    10 * SECOND,
    'How long a dead worker keeps a job before another takes it.',
    500,
  ),
  outboxKeepDays: integer(
    'OUTBOX_KEEP_DAYS',
    7,
    'Days for which finished jobs are kept.',
    0,
    3_650,
  ),
  deliveryKeepDays: integer(
    'DELIVERY_KEEP_DAYS',
    90,
    'Days for which finished webhook deliveries and their attempts are kept.',
    1,
    3_650,
  ),
  sessionHours: integer('SESSION_HOURS', 12, 'Hours for which a sign-in lasts.', 1, 720),
} satisfies Record<string, Variable<unknown>>;

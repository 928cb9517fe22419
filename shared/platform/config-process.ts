import { DAY, MINUTE, SECOND } from './clock.ts';
import { postgresAddress, redisAddresses } from './config-addresses.ts';
import {
  integer,
  list,
  ms,
  oneOf,
  perMinute,
  proxies,
  text,
  type Variable,
} from './config-kinds.ts';

/** How a process runs: addresses, keys, sign-in and the limits of its callers. */
export const PROCESS_VARIABLES = {
  nodeEnv: oneOf(
    'NODE_ENV',
    ['development', 'test', 'production'],
    'development',
    'Production refuses the conveniences of development.',
  ),
  port: integer('PORT', 3_000, 'Port of the API; 0 picks a free one.', 0, 65_535),
  host: text('HOST', '', 'Address the API and METRICS_PORT listen on; empty is all.'),
  metricsPort: integer(
    'METRICS_PORT',
    0,
    'Port on which a process answers /metrics (and /healthz), for the inside of the network; 0 is none. Processes of one machine need one each.',
    0,
    65_535,
  ),
  traceEndpoint: text(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    'OpenTelemetry collector (OTLP over HTTP) that gets traces, without /v1/traces; empty traces nothing.',
  ),
  traceSamplePercent: integer(
    'TRACE_SAMPLE_PERCENT',
    100,
    'Share of the traces that are recorded.',
    0,
    100,
  ),
  traceTrustCallers: oneOf(
    'TRACE_TRUST_CALLERS',
    ['true', 'false'],
    'false',
    "Whether a request goes on with its caller's trace (traceparent); only for a gateway that sets the header itself.",
  ),
  baseUrl: text(
    'BASE_URL',
    '',
    'Public address, without a trailing slash; empty is http://localhost:PORT. Required in production, with https.',
  ),
  databaseUrl: postgresAddress(
    'DATABASE_URL',
    '',
    'Postgres. Required in production; in development `npm start` brings its own.',
  ),
  databaseReadUrl: postgresAddress(
    'DATABASE_READ_URL',
    '',
    'A replica of it for searches, listings, TLDs and reports, which may then be two seconds late; empty reads everything from DATABASE_URL.',
  ),
  databasePoolSize: integer(
    'DATABASE_POOL_SIZE',
    16,
    'Connections a process opens at most.',
    2,
    200,
  ),
  databaseLockMs: ms(
    'DATABASE_LOCK_MS',
    3 * SECOND,
    'How long a statement waits for a row or table that another transaction has locked; then its request is 503, and its job runs again.',
    1,
  ),
  callerTransactions: integer(
    'CALLER_TRANSACTIONS',
    4,
    'Writing transactions of one partner or user at once, per process; never more than half of DATABASE_POOL_SIZE.',
    1,
    100,
  ),
  callerTransactionsWaiting: integer(
    'CALLER_TRANSACTIONS_WAITING',
    200,
    'How many more of them wait their turn; the next one is 429.',
    0,
    10_000,
  ),
  callerWaitMs: ms('CALLER_WAIT_MS', 3 * SECOND, 'How long one of them waits; then it is 503.', 1),
  redisUrl: redisAddresses(
    'REDIS_URL',
    '',
    'Redis; several addresses, comma-separated, are nodes of one Redis Cluster. Required in production; in development `npm start` brings its own.',
  ),
  redisPrefix: text(
    'REDIS_PREFIX',
    'dm',
    'Prefix of every key; braces in it keep all keys in one slot of a Redis Cluster.',
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
    '32 bytes as base64: encrypts stored secrets and signs tokens. Required in production, which refuses one that was not drawn at random; development makes one under DATA_DIR. `none` for the release and for workers of other queues than `webhooks`, which need no key.',
  ),
  secretsKeyPrevious: list(
    'SECRETS_KEY_PREVIOUS',
    [],
    'Further keys of the same kind, comma-separated: they open what they encrypted and signed, and make nothing new.',
  ),
  trustProxy: proxies(
    'TRUST_PROXY',
    'Addresses or hop count of the proxies whose X-Forwarded-* headers are believed (Express `trust proxy`); empty trusts none. Production refuses networks that hold every address.',
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
  limitCheckout: perMinute(
    'LIMIT_CHECKOUT',
    30,
    'Forms sent from checkout pages, per address; questions to the payment provider, per session.',
  ),
  limitPublicSearch: perMinute('LIMIT_PUBLIC_SEARCH', 30, 'Public domain search, per address.'),
  limitPublicWhois: perMinute('LIMIT_PUBLIC_WHOIS', 20, 'Public WHOIS lookups, per address.'),
  limitPublicReads: perMinute(
    'LIMIT_PUBLIC_READS',
    120,
    'Public reads and requests for unknown paths, per address.',
  ),
  limitPublicBatch: perMinute('LIMIT_PUBLIC_BATCH', 30, 'Public batches, per address.'),
  limitUserSearch: perMinute('LIMIT_USER_SEARCH', 120, 'Public domain search, per signed-in user.'),
  limitUserWhois: perMinute('LIMIT_USER_WHOIS', 60, 'Public WHOIS lookups, per signed-in user.'),
  limitUserReads: perMinute('LIMIT_USER_READS', 600, 'Public reads, per signed-in user.'),
  limitUserBatch: perMinute('LIMIT_USER_BATCH', 120, 'Public batches, per signed-in user.'),
  limitUserBulk: perMinute('LIMIT_USER_BULK', 10, 'Bulk operations, per signed-in user.'),
  limitSignIn: perMinute('LIMIT_SIGN_IN', 10, 'Sign-in attempts, per address.'),
  limitClientRegistration: perMinute(
    'LIMIT_CLIENT_REGISTRATION',
    10,
    'Registrations of OAuth clients, per address.',
  ),
  credentialCacheMs: ms(
    'CREDENTIAL_CACHE_MS',
    5 * SECOND,
    'How long a process may use a cached credential; a revocation drops it at once.',
  ),

  oauthCodeMs: ms('OAUTH_CODE_MS', MINUTE, 'Life of an authorization code.', SECOND),
  oauthAccessTokenMs: ms('OAUTH_ACCESS_TOKEN_MS', 30 * MINUTE, 'Life of an access token.', SECOND),
  oauthRefreshTokenMs: ms(
    'OAUTH_REFRESH_TOKEN_MS',
    30 * DAY,
    'Life of a refresh token; every use gives a new one.',
    SECOND,
  ),
  oauthClientKeepDays: integer(
    'OAUTH_CLIENT_KEEP_DAYS',
    90,
    'Days for which an OAuth client is kept that nobody is signed in with.',
    1,
    3_650,
  ),

  sessionHours: integer('SESSION_HOURS', 12, 'Hours for which a sign-in lasts.', 1, 720),
} satisfies Record<string, Variable<unknown>>;

import { DAY, SECOND } from '../clock.ts';
import { parseTuning, type Tuning } from './tuning.ts';
import {
  integer,
  list,
  ms,
  oneOf,
  perMinute,
  postgresAddress,
  proxies,
  redisAddresses,
  type Section,
  text,
  type Variable,
} from './variable.ts';

/** Overrides of `tuning.ts`. */
const tuning: Variable<Partial<Tuning>> = {
  name: 'TUNING',
  fallback: {},
  doc: 'Internal waits and sizes, as JSON, for tests; refused in production.',
  parse: parseTuning,
};

/** How a process runs: addresses, keys, sign-in and rate limits. */
export const PROCESS_SECTIONS = [
  {
    title: 'The process',
    variables: {
      nodeEnv: oneOf(
        'NODE_ENV',
        ['development', 'test', 'production'],
        'development',
        'Production refuses development conveniences.',
      ),
      port: integer('PORT', 3_000, 'Port of the API; 0 picks a free one.', 0, 65_535),
      host: text(
        'HOST',
        '',
        'Address the API and METRICS_PORT listen on; empty is all in production, else 127.0.0.1 alone.',
      ),
      webConcurrency: integer(
        'WEB_CONCURRENCY',
        1,
        'Number of API processes on PORT. Each uses the next METRICS_PORT.',
        1,
        64,
      ),
      metricsPort: integer(
        'METRICS_PORT',
        0,
        'Port for /metrics and /healthz; 0 is none. Keep it inside the network. Processes on one machine need one each.',
        0,
        65_535,
      ),
      baseUrl: text(
        'BASE_URL',
        '',
        'Public address, without a trailing slash; empty is http://localhost:PORT. Required in production, with https.',
      ),
      databaseUrl: postgresAddress(
        'DATABASE_URL',
        '',
        'Postgres. Required in production; `npm start` brings its own.',
      ),
      databaseReadUrl: postgresAddress(
        'DATABASE_READ_URL',
        '',
        'A replica for searches, listings, TLDs and reports, up to two seconds late; empty is DATABASE_URL.',
      ),
      databasePooler: oneOf(
        'DATABASE_POOLER',
        ['none', 'transaction'],
        'none',
        'Whether the addresses are PgBouncer in transaction mode.',
      ),
      databaseDirectUrl: postgresAddress(
        'DATABASE_DIRECT_URL',
        '',
        'Postgres itself, for LISTEN and migrations; required with a pooler. Empty is DATABASE_URL.',
      ),
      databaseOwnerUrl: postgresAddress(
        'DATABASE_OWNER_URL',
        '',
        'For the release: the owner of the tables. The role of DATABASE_URL then only gets access to their rows.',
      ),
      databasePoolSize: integer(
        'DATABASE_POOL_SIZE',
        16,
        'Postgres connections per process.',
        2,
        200,
      ),
      redisUrl: redisAddresses(
        'REDIS_URL',
        '',
        'Redis; comma-separated addresses are nodes of one Redis Cluster. Required in production; `npm start` brings its own.',
      ),
      redisSentinelName: text(
        'REDIS_SENTINEL_NAME',
        '',
        'Name of the primary in Sentinel. REDIS_URL then lists the sentinels, with the Redis user and password.',
      ),
      redisSentinelPassword: text('REDIS_SENTINEL_PASSWORD', '', 'Password of the sentinels.'),
      redisPrefix: text(
        'REDIS_PREFIX',
        'dm',
        'Prefix of every key; braces keep all keys in one slot of a Redis Cluster.',
      ),
      dataDir: text('DATA_DIR', '.data', 'Where development keeps its databases and key.'),
      logLevel: oneOf(
        'LOG_LEVEL',
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'info',
        'Lowest level that is logged. Of equal warnings or errors in ten seconds, five are, then how many more there were (`repeated`).',
      ),
      traceEndpoint: text(
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        '',
        'OpenTelemetry collector for traces (OTLP over HTTP), without /v1/traces; empty is off.',
      ),
      traceSamplePercent: integer(
        'TRACE_SAMPLE_PERCENT',
        100,
        'Share of traces that are recorded.',
        0,
        100,
      ),
      traceTrustCallers: oneOf(
        'TRACE_TRUST_CALLERS',
        ['true', 'false'],
        'false',
        "Whether to continue a caller's trace (traceparent); only behind a gateway that sets the header itself.",
      ),
      secretsKey: text(
        'SECRETS_KEY',
        '',
        '32 random bytes as base64; encrypts stored secrets and signs tokens. Required in production; development generates one. `none` for the release and for workers of other queues than `webhooks` and `mail`.',
      ),
      secretsKeyPrevious: list(
        'SECRETS_KEY_PREVIOUS',
        [],
        'Previous keys, comma-separated: they only decrypt and verify.',
      ),
      trustProxy: proxies(
        'TRUST_PROXY',
        'Addresses or hop count of trusted proxies (Express `trust proxy`); empty trusts none. Production refuses to trust every address.',
      ),
      shutdownMs: ms(
        'SHUTDOWN_MS',
        20 * SECOND,
        'How long a process drains after the first signal.',
      ),
      tuning,
      sessionHours: integer('SESSION_HOURS', 12, 'Lifetime of a sign-in.', 1, 720),
      staffSecondFactor: oneOf(
        'STAFF_SECOND_FACTOR',
        ['optional', 'required'],
        'optional',
        'Whether `/ops` requires a second factor.',
      ),
      oauthRefreshTokenMs: ms(
        'OAUTH_REFRESH_TOKEN_MS',
        30 * DAY,
        'Lifetime of a refresh token; every use gives a new one.',
        SECOND,
      ),
    },
  },
  {
    title: 'Rate limits',
    about:
      'The groups are those of the [partner API](partner-api.md#limits) and the [public API](public-api.md#limits). An address is an IPv4 address or the /64 network of an IPv6 address. Redis keeps the nonce of each request within its limit for about 10 minutes, in about 300 bytes: 0.7 MB per credential with the defaults.',
    variables: {
      rateLimits: oneOf(
        'RATE_LIMITS',
        ['on', 'off'],
        'on',
        'Off is for benchmarks; refused in production.',
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
      limitPublicSearch: perMinute('LIMIT_PUBLIC_SEARCH', 30, 'Public domain search, per address.'),
      limitPublicWhois: perMinute('LIMIT_PUBLIC_WHOIS', 20, 'Public WHOIS lookups, per address.'),
      limitPublicReads: perMinute(
        'LIMIT_PUBLIC_READS',
        120,
        'Public reads and unknown paths, per address.',
      ),
      limitPublicBatch: perMinute('LIMIT_PUBLIC_BATCH', 30, 'Public batches, per address.'),
      limitUserSearch: perMinute(
        'LIMIT_USER_SEARCH',
        120,
        'Public domain search, per signed-in user.',
      ),
      limitUserWhois: perMinute(
        'LIMIT_USER_WHOIS',
        60,
        'Public WHOIS lookups, per signed-in user.',
      ),
      limitUserReads: perMinute('LIMIT_USER_READS', 600, 'Public reads, per signed-in user.'),
      limitUserBatch: perMinute('LIMIT_USER_BATCH', 120, 'Public batches, per signed-in user.'),
      limitUserBulk: perMinute('LIMIT_USER_BULK', 10, 'Bulk operations, per signed-in user.'),
      limitSignIn: perMinute('LIMIT_SIGN_IN', 10, 'Sign-in attempts, per address.'),
      limitClientRegistration: perMinute(
        'LIMIT_CLIENT_REGISTRATION',
        10,
        'Registrations of OAuth clients, per address.',
      ),
    },
  },
] as const satisfies readonly Section[];

import { TIME_UNITS } from '../../shared/platform/clock.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import type { Variable } from '../../shared/platform/config/variable.ts';
import { code, table } from './markdown.ts';

type Name = keyof typeof VARIABLES;

/** The sections of docs/configuration.md: a title, a line on what else to read, and the variables. */
const SECTIONS: readonly { title: string; about?: string; names: readonly Name[] }[] = [
  {
    title: 'The process',
    names: [
      'nodeEnv',
      'port',
      'host',
      'webConcurrency',
      'webTargetMs',
      'metricsPort',
      'baseUrl',
      'databaseUrl',
      'databaseReadUrl',
      'databasePooler',
      'databaseDirectUrl',
      'databaseOwnerUrl',
      'databasePoolSize',
      'databaseLockMs',
      'callerTransactions',
      'callerTransactionsWaiting',
      'callerWaitMs',
      'redisUrl',
      'redisSentinelName',
      'redisSentinelPassword',
      'redisPrefix',
      'dataDir',
      'logLevel',
      'traceEndpoint',
      'traceSamplePercent',
      'traceTrustCallers',
      'secretsKey',
      'secretsKeyPrevious',
      'trustProxy',
      'shutdownMs',
      'sessionHours',
      'staffSecondFactor',
      'oauthCodeMs',
      'oauthAccessTokenMs',
      'oauthRefreshTokenMs',
      'oauthClientKeepDays',
    ],
  },
  {
    title: 'Rate limits',
    about:
      'The groups are those of the [partner API](partner-api.md#limits) and the [public API](public-api.md#limits). An address is an IPv4 address or the /64 network of an IPv6 address. Redis keeps the nonce of each request within its limit for about 10 minutes, in about 300 bytes: 0.7 MB per credential with the defaults.',
    names: [
      'rateLimits',
      'limitSearch',
      'limitWrite',
      'limitReporting',
      'limitReads',
      'limitPingHost',
      'limitStaff',
      'limitStaffExports',
      'limitFailedSignatures',
      'limitCheckout',
      'limitPublicSearch',
      'limitPublicWhois',
      'limitPublicReads',
      'limitPublicBatch',
      'limitUserSearch',
      'limitUserWhois',
      'limitUserReads',
      'limitUserBatch',
      'limitUserBulk',
      'limitSignIn',
      'limitLinkMails',
      'limitClientRegistration',
      'credentialCacheMs',
    ],
  },
  {
    title: 'Quotes and orders',
    names: [
      'quoteMs',
      'offerMs',
      'offerQuoteMs',
      'checkoutSessionMs',
      'checkoutPriceMs',
      'checkoutPaymentMs',
      'maxOpenHolds',
      'idempotencyDays',
      'reviewPriceCents',
      'payoutApprovalOverCents',
      'reviewCountries',
      'reviewOrdersPerHour',
    ],
  },
  {
    title: 'Transfers',
    about: '[states.md](states.md#transfers), [sandbox.md](sandbox.md)',
    names: [
      'transferPolicySandbox',
      'transferPolicyLive',
      'transferStartDelayMs',
      'transferConfirmDelayMs',
      'transferPollMs',
      'transferPollMaxMs',
      'sandboxRegistrarDelayMs',
      'sandboxRegistrarSlowDelayMs',
    ],
  },
  {
    title: 'Registrar',
    about: '[registrar.md](registrar.md)',
    names: [
      'registrarLive',
      'eppHost',
      'eppPort',
      'eppClientId',
      'eppPassword',
      'eppNewPassword',
      'eppCa',
      'eppCertificate',
      'eppKey',
      'eppSessions',
      'eppKeepAliveMs',
      'eppAnswerMs',
      'registrationCheckMs',
      'registrarKeepDays',
    ],
  },
  {
    title: 'Payments',
    about: '[payments.md](payments.md)',
    names: ['paymentsLive', 'stripeSecretKey', 'stripeWebhookSecret', 'stripeApiUrl'],
  },
  {
    title: 'Settlements',
    about: '[settlements.md](settlements.md), [closing.md](closing.md)',
    names: [
      'settlementDelayLiveMs',
      'settlementDelaySandboxMs',
      'settlementDueDays',
      'settlementBatchSize',
    ],
  },
  {
    title: 'Documents and tax',
    about: '[documents.md](documents.md)',
    names: [
      'payoutIban',
      'payoutBic',
      'sellerName',
      'sellerAddress',
      'sellerCountry',
      'sellerTaxId',
      'taxProfile',
      'vatRates',
    ],
  },
  {
    title: 'Brokerage',
    about: '[brokerage.md](brokerage.md)',
    names: ['brokerageProbeMs', 'brokerageProbeCacheMs', 'brokerageLinkDays', 'limitProgressPage'],
  },
  {
    title: 'Lookups',
    about: '[lookup.md](lookup.md), [without a network](#lookups-without-a-network)',
    names: [
      'lookupRegistries',
      'lookupMs',
      'lookupServerMs',
      'lookupRegistrarMs',
      'lookupCacheMs',
      'lookupFreeCacheMs',
      'lookupPerServer',
      'lookupBootstrapUrl',
      'lookupBootstrapMs',
      'lookupWhoisServer',
      'domainSearchTlds',
      'domainSearchBudgetMs',
      'tldCacheMs',
    ],
  },
  {
    title: 'Search',
    about: '[embeddings.md](embeddings.md)',
    names: [
      'embeddingsUrl',
      'embeddingsModel',
      'embeddingsApiKey',
      'embeddingsBudgetMs',
      'embeddingsTimeoutMs',
      'embeddingsBatchSize',
      'embeddingsCacheSize',
    ],
  },
  {
    title: 'Referrals',
    about:
      '[referral.md](referral.md). The pages must be yours: the placeholder may stand only after the host.',
    names: [
      'referralCommissionBps',
      'referralLandingUrl',
      'referralDomainUrl',
      'referralProductUrl',
    ],
  },
  {
    title: 'Webhooks',
    about: '[webhooks.md](webhooks.md)',
    names: [
      'webhookAllowPrivate',
      'webhookTimeoutMs',
      'webhookScheduleMs',
      'webhookMaxInFlight',
      'webhookConcurrency',
      'webhookRetrySharePercent',
      'webhookRotationHours',
      'webhookDisableAfterMs',
      'deliveryKeepDays',
    ],
  },
  {
    title: 'Mail',
    about: '[operations.md](operations.md#mail)',
    names: [
      'mail',
      'mailUrl',
      'mailFrom',
      'mailDkimKey',
      'mailDkimSelector',
      'mailConnections',
      'mailTimeoutMs',
      'mailDomainPerMinute',
      'mailPartnerPerDay',
      'mailAddressPerDay',
      'mailLinksPerDay',
      'invitationsPerDay',
      'mailScheduleMs',
      'mailKeepDays',
    ],
  },
  {
    title: 'Bulk operations',
    about: '[bulk.md](bulk.md)',
    names: [
      'bulkChunkSize',
      'bulkConcurrency',
      'bulkParallelCalls',
      'bulkKeepDays',
      'bulkStreamPollMs',
      'bulkStreamHeartbeatMs',
      'bulkStreams',
    ],
  },
  {
    title: 'Jobs',
    about: '`OUTBOX_LEASE_MS` must be longer than `JOB_LOCK_MS` and `WEBHOOK_TIMEOUT_MS`.',
    names: ['outboxPollMs', 'outboxLeaseMs', 'reconcileMs', 'jobLockMs', 'outboxKeepDays'],
  },
  {
    title: 'Retention',
    about: '[operations.md](operations.md#retention)',
    names: [
      'checkoutBuyerKeepDays',
      'checkoutKeepDays',
      'quoteKeepDays',
      'brokerageBuyerKeepDays',
      'sandboxKeepDays',
      'settlementRunKeepDays',
      'ledgerCheckKeepDays',
      'signInFailureKeepDays',
      'searchMissKeepDays',
      'importKeepDays',
      'requestLogKeepDays',
    ],
  },
];

/** Names the variables that are in no section: each belongs where a reader looks for it. */
function requireEveryVariable(): void {
  const listed = new Set<string>(SECTIONS.flatMap(({ names }) => names));
  const missing = Object.keys(VARIABLES).filter((name) => !listed.has(name));
  if (missing.length > 0) throw new Error(`In no section: ${missing.join(', ')}`);
}

/** The tables of docs/configuration.md: every variable with its default and meaning. */
export const configurationBlocks = {
  variables: () => {
    requireEveryVariable();
    return SECTIONS.map(({ title, about, names }) =>
      [
        `## ${title}`,
        ...(about === undefined ? [] : [about]),
        table(
          ['Variable', 'Default', 'Meaning'],
          names.map((name) => rowOf(VARIABLES[name])),
        ),
      ].join('\n\n'),
    ).join('\n\n');
  },
};

function rowOf({ name, fallback, doc }: Variable<unknown>): string[] {
  return [code(name), defaultText(name, fallback), doc];
}

function defaultText(name: string, fallback: unknown): string {
  const values = typeof fallback === 'object' ? Object.values(fallback ?? {}) : [fallback];
  const text = values.join(',');
  if (text === '') return 'empty';
  const times = name.endsWith('_MS') ? (Array.isArray(fallback) ? fallback : [fallback]) : [];
  const readable = times.map(Number).map(durationText).join(', ');
  return readable === '' || readable === `${text} ms` ? code(text) : `${code(text)} (${readable})`;
}

/** Milliseconds in the largest unit that divides them. */
export function durationText(ms: number): string {
  const [size, unit] = TIME_UNITS.find(([each]) => ms >= each && ms % each === 0) ?? [1, 'ms'];
  return `${ms / size} ${unit}`;
}

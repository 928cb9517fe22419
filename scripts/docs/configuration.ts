import { DAY, HOUR, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import type { Variable } from '../../shared/platform/config/variable.ts';
import { code, table } from './markdown.ts';

type Name = keyof typeof VARIABLES;

/** The tables of docs/configuration.md, by the name of their place there. */
const SECTIONS = {
  process: [
    'nodeEnv',
    'port',
    'host',
    'metricsPort',
    'baseUrl',
    'databaseUrl',
    'databaseReadUrl',
    'databasePoolSize',
    'databaseLockMs',
    'callerTransactions',
    'callerTransactionsWaiting',
    'callerWaitMs',
    'redisUrl',
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
    'oauthCodeMs',
    'oauthAccessTokenMs',
    'oauthRefreshTokenMs',
    'oauthClientKeepDays',
  ],
  limits: [
    'rateLimits',
    'limitSearch',
    'limitWrite',
    'limitReporting',
    'limitReads',
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
    'limitClientRegistration',
    'credentialCacheMs',
  ],
  orders: [
    'quoteMs',
    'checkoutSessionMs',
    'checkoutPriceMs',
    'checkoutPaymentMs',
    'maxOpenHolds',
    'idempotencyDays',
    'reviewPriceCents',
    'reviewCountries',
    'reviewOrdersPerHour',
  ],
  transfers: [
    'transferPolicySandbox',
    'transferPolicyLive',
    'transferStartDelayMs',
    'transferConfirmDelayMs',
    'transferPollMs',
    'transferPollMaxMs',
    'sandboxRegistrarDelayMs',
    'sandboxRegistrarSlowDelayMs',
  ],
  payments: ['paymentsLive', 'stripeSecretKey', 'stripeWebhookSecret', 'stripeApiUrl'],
  settlements: [
    'settlementDelayLiveMs',
    'settlementDelaySandboxMs',
    'settlementDueDays',
    'settlementBatchSize',
  ],
  brokerage: [
    'brokerageProbeMs',
    'brokerageProbeCacheMs',
    'brokerageLinkDays',
    'limitProgressPage',
  ],
  lookups: [
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
  search: [
    'embeddingsUrl',
    'embeddingsModel',
    'embeddingsApiKey',
    'embeddingsBudgetMs',
    'embeddingsTimeoutMs',
    'embeddingsBatchSize',
    'embeddingsCacheSize',
  ],
  referrals: [
    'referralCommissionBps',
    'referralLandingUrl',
    'referralDomainUrl',
    'referralProductUrl',
  ],
  webhooks: [
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
  bulk: [
    'bulkChunkSize',
    'bulkConcurrency',
    'bulkParallelCalls',
    'bulkKeepDays',
    'bulkStreamPollMs',
    'bulkStreamHeartbeatMs',
    'bulkStreams',
  ],
  jobs: ['outboxPollMs', 'outboxLeaseMs', 'reconcileMs', 'jobLockMs', 'outboxKeepDays'],
  retention: [
    'checkoutBuyerKeepDays',
    'checkoutKeepDays',
    'quoteKeepDays',
    'brokerageBuyerKeepDays',
    'sandboxKeepDays',
    'settlementRunKeepDays',
    'ledgerCheckKeepDays',
  ],
} as const satisfies Record<string, readonly Name[]>;

/** Names the variables that are in no section: each belongs where a reader looks for it. */
function requireEveryVariable(): void {
  const listed = new Set<string>(Object.values(SECTIONS).flat());
  const missing = Object.keys(VARIABLES).filter((name) => !listed.has(name));
  if (missing.length > 0) throw new Error(`In no section: ${missing.join(', ')}`);
}

/**
 * A block for each section: its variables with their defaults and meanings.
 */
export const configurationBlocks = Object.fromEntries(
  Object.entries(SECTIONS).map(([section, names]) => [
    `variables ${section}`,
    () => {
      requireEveryVariable();
      return table(
        ['Variable', 'Default', 'Meaning'],
        names.map((name) => rowOf(VARIABLES[name])),
      );
    },
  ]),
);

function rowOf({ name, fallback, doc }: Variable<unknown>): string[] {
  return [code(name), defaultText(name, fallback), doc];
}

function defaultText(name: string, fallback: unknown): string {
  const text = Array.isArray(fallback) ? fallback.join(',') : String(fallback);
  if (text === '') return 'empty';
  const times = name.endsWith('_MS') ? (Array.isArray(fallback) ? fallback : [fallback]) : [];
  const readable = times.map(Number).map(durationText).join(', ');
  return readable === '' || readable === `${text} ms` ? code(text) : `${code(text)} (${readable})`;
}

const UNITS = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
] as const;

/** Milliseconds in the largest unit that divides them. */
export function durationText(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= each && ms % each === 0) ?? [1, 'ms'];
  return `${ms / size} ${unit}`;
}

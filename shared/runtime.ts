import { createQueues, type Queues } from './delivery/jobs/job-queues.ts';
import { createDatabase, type Database } from './delivery/unit-of-work/database.ts';
import { createRegistrars } from './domains/registrar/create-registrars.ts';
import type { Registrars } from './domains/registrar/registrar.ts';
import {
  createListingTermsFinder,
  type ListingTermsFinder,
} from './market/inventory/find-listing.ts';
import { sandboxOutcome } from './market/inventory/sandbox-names.ts';
import { configuredLookups } from './market/lookup/configured-lookups.ts';
import type { Lookups } from './market/lookup/lookup.ts';
import { createEmbeddings, type Embeddings } from './market/search/embeddings/embeddings.ts';
import { createTldCatalogue, type TldCatalogue } from './market/tlds/tld-catalogue.ts';
import { createPaymentProviders } from './money/payments/create-payment-providers.ts';
import type { PaymentProviders } from './money/payments/payment-provider.ts';
import { createFleetStats, type FleetStats } from './operations/monitoring/fleet-stats.ts';
import { type CredentialCache, createCredentialCache } from './people/partners/credential-cache.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config/config.ts';
import { createSecretBox, type SecretBox } from './platform/crypto/secrets.ts';
import { createSignedTokens, type SignedTokens } from './platform/crypto/signed-tokens.ts';
import { createPostgres } from './platform/database/postgres.ts';
import { createLogger, type Logger } from './platform/observability/logger.ts';
import { createMetrics, type Metrics } from './platform/observability/metrics.ts';
import { createHttpClient, type HttpClient } from './platform/outbound/http-client.ts';
import { connectRedis, type Redis, untilReady } from './platform/redis/redis.ts';
import { createSiteProbes, type SiteProbes } from './sales/brokerage/site-probe.ts';

/** Everything a process works with. Built once; commands take the slice of it that they need. */
export interface Runtime {
  config: Config;
  log: Logger;
  clock: Clock;
  db: Database;
  redis: Redis;
  queues: Queues;
  secrets: SecretBox;
  tokens: SignedTokens;
  http: HttpClient;
  credentials: CredentialCache;
  findTerms: ListingTermsFinder;
  registrars: Registrars;
  siteProbes: SiteProbes;
  lookups: Lookups;
  tlds: TldCatalogue;
  payments: PaymentProviders;
  embeddings: Embeddings;
  metrics: Metrics;
  figures: FleetStats;
  /** Waits until Redis answers. @throws Error when it does not in time */
  ready(): Promise<void>;
  /** Releases everything, last taken first; safe to call twice. */
  stop(): Promise<void>;
}

const REDIS_START_MS = 10_000;

/** Builds the runtime of one process; `clock` and `log` can be handed in by tests. */
export function createRuntime(
  config: Config,
  options: { process: string; clock?: Clock; log?: Logger },
): Runtime {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? createLogger({ level: config.logLevel, name: options.process });
  if (config.nodeEnv === 'production' && config.webhookAllowPrivate) {
    log.warn('WEBHOOK_ALLOW_PRIVATE lets partners have requests sent into this network');
  }
  const postgres = createPostgres({
    url: config.databaseUrl,
    readUrl: config.databaseReadUrl,
    poolSize: config.databasePoolSize,
    lockMs: config.databaseLockMs,
    share: {
      atOnce: config.callerTransactions,
      waiting: config.callerTransactionsWaiting,
      waitMs: config.callerWaitMs,
    },
    applicationName: `marketplace-${options.process}`,
    log,
  });
  const db = createDatabase(postgres, clock);
  const redis = connectRedis(config.redisUrl, 'commands', log);
  const subscriber = connectRedis(config.redisUrl, 'subscriber', log);
  const queueConnection = connectRedis(config.redisUrl, 'queue', log);
  const queues = createQueues(queueConnection, config.redisPrefix);
  const secrets = createSecretBox(config.secretsKey, config.secretsKeyPrevious);
  const http = createHttpClient({ allowPrivate: config.webhookAllowPrivate });
  const credentials = createCredentialCache({ config, db, secrets, subscriber, log });
  const embeddings = createEmbeddings({ config, db, clock, log });
  const metrics = createMetrics({
    db,
    redis: { commands: redis, subscriber, queue: queueConnection },
  });
  const lookups = configuredLookups({ config, db, redis, http, clock, log, metrics });

  let stopping: Promise<void> | undefined;
  const release = async () => {
    lookups.close();
    await embeddings.close();
    await http.close();
    await queues.close().catch(() => {});
    for (const connection of [queueConnection, subscriber, redis]) connection.disconnect();
    await db.close();
  };
  return {
    config,
    log,
    clock,
    db,
    redis,
    queues,
    secrets,
    tokens: createSignedTokens(config.secretsKey, clock, config.secretsKeyPrevious),
    http,
    credentials,
    findTerms: createListingTermsFinder({ db, clock }),
    registrars: createRegistrars({ db, clock, config, log }, sandboxOutcome),
    siteProbes: createSiteProbes(config, http),
    lookups,
    tlds: createTldCatalogue({ db, clock }, config.tldCacheMs),
    payments: createPaymentProviders({ db, clock, config, log }),
    embeddings,
    metrics,
    figures: createFleetStats({ db, clock, queues }),
    async ready() {
      await Promise.all([redis, queueConnection].map((each) => untilReady(each, REDIS_START_MS)));
    },
    stop() {
      stopping ??= release();
      return stopping;
    },
  };
}

import { type OnEventFault, refuseFaultyEvent } from '../messaging/event-types/event-schema.ts';
import { createQueues, type Queues } from '../messaging/jobs/job-queues.ts';
import type { Database } from '../messaging/unit-of-work/database.ts';
import { createDatabase } from '../messaging/unit-of-work/unit-of-work.ts';
import { type Clock, MINUTE } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { createSecretBox, type SecretBox } from '../platform/crypto/secrets.ts';
import { createSignedTokens, type SignedTokens } from '../platform/crypto/signed-tokens.ts';
import { createPostgres } from '../platform/database/postgres.ts';
import { createPostgresClock } from '../platform/database/postgres-clock.ts';
import { createLogger, type Logger } from '../platform/observability/logger.ts';
import { createMetrics, type Metrics } from '../platform/observability/metrics.ts';
import { createHttpClient, type HttpClient } from '../platform/outbound/http-client.ts';
import { connectRedis, type Redis, untilReady } from '../platform/redis/redis.ts';

/** The shared infrastructure of a process: its settings, connections, keys and logs. */
export interface Infrastructure {
  config: Config;
  log: Logger;
  clock: Clock;
  /** The clock of Postgres: the same as `clock` in production; tests move `clock`. */
  postgresClock: Clock;
  db: Database;
  redis: Redis;
  /** The subscribe-only connection, for messages between processes. */
  subscriber: Redis;
  queues: Queues;
  secrets: SecretBox;
  tokens: SignedTokens;
  http: HttpClient;
  metrics: Metrics;
  /** Waits until Redis answers, and reads the time of Postgres. @throws Error when it does not in time */
  ready(): Promise<void>;
  /** Has `release` called when the process stops, before what it was built on is released. */
  beforeStop(release: () => void | Promise<void>): void;
  /** Releases everything in reverse order of acquisition; safe to call twice. */
  stop(): Promise<void>;
}

const REDIS_START_MS = MINUTE;

/**
 * Opens what a process stands on; `clock` and `log` can be handed in by tests. `patient` is for programs that do a long
 * piece of work for nobody who waits.
 */
export function openInfrastructure(
  config: Config,
  options: { process: string; patient?: boolean; clock?: Clock; log?: Logger },
): Infrastructure {
  const log = options.log ?? createLogger({ level: config.logLevel, name: options.process });
  if (config.nodeEnv === 'production' && config.webhookAllowPrivate) {
    log.warn('WEBHOOK_ALLOW_PRIVATE lets partners have requests sent into this network');
  }
  const postgres = createPostgres({
    url: config.databaseUrl,
    readUrl: config.databaseReadUrl,
    poolSize: config.databasePoolSize,
    pooler: config.databasePooler,
    lockMs: config.databaseLockMs,
    share: {
      atOnce: config.callerTransactions,
      waiting: config.callerTransactionsWaiting,
      waitMs: config.callerWaitMs,
    },
    applicationName: `marketplace-${options.process}`,
    patient: options.patient ?? false,
    log,
  });
  const postgresClock = createPostgresClock(postgres.readTime, log);
  const clock = options.clock ?? postgresClock;
  const redis = connectRedis(config, 'commands', log);
  const subscriber = connectRedis(config, 'subscriber', log);
  const queueConnection = connectRedis(config, 'queue', log);
  const queues = createQueues(queueConnection, config.redisPrefix);
  const http = createHttpClient({ allowPrivate: config.webhookAllowPrivate });
  const metrics = createMetrics({
    db: postgres,
    redis: { commands: redis, subscriber, queue: queueConnection },
  });

  const releases: (() => void | Promise<void>)[] = [
    () => postgres.close(),
    () => postgresClock.stop(),
    () => {
      for (const connection of [queueConnection, subscriber, redis]) connection.disconnect();
    },
    () => queues.close().catch(() => {}),
    () => http.close(),
  ];
  let stopping: Promise<void> | undefined;
  const releaseAll = async () => {
    for (const release of releases.toReversed()) await release();
  };
  return {
    config,
    log,
    clock,
    postgresClock,
    db: createDatabase(postgres, clock, config, eventFaultPolicy(config, log, metrics)),
    redis,
    subscriber,
    queues,
    secrets: createSecretBox(config.secretsKey, config.secretsKeyPrevious),
    tokens: createSignedTokens(config.secretsKey, clock, config.secretsKeyPrevious),
    http,
    metrics,
    async ready() {
      const answers = [redis, queueConnection].map((each) => untilReady(each, REDIS_START_MS));
      await Promise.all([...answers, clock === postgresClock && postgresClock.follow()]);
    },
    beforeStop(release) {
      releases.push(release);
    },
    stop() {
      stopping ??= releaseAll();
      return stopping;
    },
  };
}

/** In production an event that its schema refuses is recorded and sent all the same, since losing it is worse. */
function eventFaultPolicy(
  { nodeEnv }: Config,
  log: Logger,
  { eventFaults }: Metrics,
): OnEventFault {
  if (nodeEnv !== 'production') return refuseFaultyEvent;
  return ({ id, type, fault }) => {
    eventFaults.inc();
    log.error({ event_id: id, type, fault }, 'an event is not as its schema says');
  };
}

import { Queue } from 'bullmq';
import type { Config } from '../../platform/config/config.ts';
import { hashTagPrefix, type Redis } from '../../platform/redis/redis.ts';

interface QueueDefinition {
  /** The names of the queue's outbox jobs; scheduled tasks are not listed. */
  jobs: readonly string[];
  /** How many jobs of the queue a worker process runs at a time. */
  concurrency(config: Config): number;
  /** The area that the status page shows as degraded while the queue is late; null for housekeeping. */
  area: string | null;
  /** Whether its jobs call servers on the internet, which a network policy must then allow. */
  callsOut: boolean;
  /**
   * Whether each subject of the queue always has one job. Such jobs are sent to BullMQ ahead of time, so that the
   * dashboard shows when each is due, and they are never batched, because they run long.
   */
  standing?: boolean;
}

/** Every queue of the service, in the order of the status page; a worker process serves one, some or all of them. */
export const QUEUES = {
  payments: {
    jobs: ['refund-payment', 'send-payout', 'forget-card'],
    concurrency: () => 8,
    area: 'checkout',
    callsOut: true,
  },
  transfers: {
    jobs: [
      'start-transfer',
      'push-transfer',
      'confirm-delivery',
      'stop-push',
      'enforce-legal-hold',
      'remind-registrant',
      'follow-registrant',
      'release-hold',
      'change-registrant',
      'expire-delivery',
      'renew-domain',
    ],
    concurrency: () => 64,
    area: 'transfers',
    callsOut: true,
  },
  // A separate queue, so that new transfers never wait for slow ones.
  'transfer-polls': {
    jobs: ['poll-transfer', 'watch-delivery', 'watch-transfer-out'],
    concurrency: () => 8,
    area: 'transfers',
    callsOut: true,
  },
  // One job for each endpoint with pending deliveries.
  webhooks: {
    jobs: ['deliver'],
    concurrency: (config) => config.webhookConcurrency,
    area: 'webhooks',
    callsOut: true,
    standing: true,
  },
  settlements: {
    jobs: ['start-run', 'close-partner'],
    concurrency: () => 4,
    area: 'settlements',
    callsOut: false,
  },
  'bulk-domains': {
    jobs: ['run-chunk'],
    concurrency: (config) => config.bulkConcurrency,
    area: 'bulk',
    callsOut: true,
  },
  mail: {
    jobs: ['send-mail'],
    concurrency: (config) => config.mailConnections,
    area: 'mail',
    callsOut: true,
  },
  referrals: { jobs: [], concurrency: () => 4, area: 'referrals', callsOut: false },
  maintenance: {
    jobs: ['replay-events', 'import-listings', 'advance-clock', 'rescreen'],
    concurrency: () => 4,
    area: null,
    callsOut: true,
  },
} as const satisfies Record<string, QueueDefinition>;

export type QueueName = keyof typeof QUEUES;
export type JobName = (typeof QUEUES)[QueueName]['jobs'][number];
export type QueueArea = NonNullable<(typeof QUEUES)[QueueName]['area']>;

export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** Returns whether the queue is {@link QueueDefinition.standing}. */
export function isStanding(name: QueueName): boolean {
  const { standing = false }: QueueDefinition = QUEUES[name];
  return standing;
}

export function isQueueName(name: string): name is QueueName {
  return Object.hasOwn(QUEUES, name);
}

export interface Queues {
  get(name: QueueName): Queue;
  all(): Queue[];
  close(): Promise<void>;
}

/**
 * How long workers keep finished jobs in Redis for operators to read. Set once here rather than sent with each job.
 */
export const KEPT_JOBS = {
  removeOnComplete: { age: 3_600, count: 10_000 },
  removeOnFail: { age: 7 * 86_400, count: 10_000 },
} as const;

/**
 * Creates the producers of the queues. Retries and schedules live in Postgres, so a BullMQ job has one attempt.
 */
export function createQueues(connection: Redis, prefix: string): Queues {
  const create = (name: QueueName) => {
    const queue = new Queue(name, { connection, prefix: hashTagPrefix(prefix, name) });
    // Connection errors are logged once by the connection itself.
    queue.on('error', () => {});
    return queue;
  };
  const queues = Object.fromEntries(QUEUE_NAMES.map((name) => [name, create(name)])) as Record<
    QueueName,
    Queue
  >;
  return {
    get: (name) => queues[name],
    all: () => Object.values(queues),
    close: async () => {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}

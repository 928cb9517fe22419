import { Queue } from 'bullmq';
import { hashTagPrefix, type Redis } from '../../platform/redis/redis.ts';

/**
 * Every queue of the service, with the jobs of the outbox that go through it; a worker process serves one, some or
 * all queues. The others of their jobs are scheduled tasks, and deliveries of webhooks.
 */
export const JOBS = {
  webhooks: [],
  transfers: ['start-transfer', 'push-transfer', 'confirm-delivery', 'stop-push', 'cancel-push'],
  'transfer-polls': ['poll-transfer'],
  settlements: ['start-run', 'close-partner'],
  payments: ['refund-payment'],
  'bulk-domains': ['run-chunk'],
  referrals: [],
  maintenance: [],
} as const satisfies Record<string, readonly string[]>;

export type QueueName = keyof typeof JOBS;
export type JobName = (typeof JOBS)[QueueName][number];

export const QUEUE_NAMES = Object.keys(JOBS) as QueueName[];

export function isQueueName(name: string): name is QueueName {
  return Object.hasOwn(JOBS, name);
}

export interface Queues {
  get(name: QueueName): Queue;
  all(): Queue[];
  close(): Promise<void>;
}

/**
 * The producing side of the queues. Finished jobs are kept for a while so that a job id added twice is
 * recognised, and so that ops can read them; retries and schedules live in Postgres, so a job has one attempt.
 */
export function createQueues(connection: Redis, prefix: string): Queues {
  const create = (name: QueueName) => {
    const queue = new Queue(name, {
      connection,
      prefix: hashTagPrefix(prefix, name),
      defaultJobOptions: {
        attempts: 1,
        removeOnComplete: { age: 3_600, count: 10_000 },
        removeOnFail: { age: 7 * 86_400, count: 10_000 },
      },
    });
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

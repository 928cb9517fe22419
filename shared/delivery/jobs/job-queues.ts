import { Queue } from 'bullmq';
import { hashTagPrefix, type Redis } from '../../platform/redis/redis.ts';

/** Every queue of the service; a worker process serves one, some or all of them. */
export const QUEUE_NAMES = [
  'webhooks',
  'transfers',
  'transfer-polls',
  'settlements',
  'payments',
  'bulk-domains',
  'referrals',
  'maintenance',
] as const;

export type QueueName = (typeof QUEUE_NAMES)[number];

export function isQueueName(name: string): name is QueueName {
  return (QUEUE_NAMES as readonly string[]).includes(name);
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

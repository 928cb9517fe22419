import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { CONCURRENCY, type Peer, type Place } from './peer.ts';

const QUEUE = 'peer';

/** BullMQ: jobs in Redis, apart from any transaction. */
export const bullmq: Peer = {
  name: 'BullMQ',

  async produce(place) {
    const connection = connect(place);
    const queue = new Queue(QUEUE, { connection, prefix: `${place.redisPrefix}-peer` });
    return {
      async add(jobs) {
        await queue.addBulk(
          jobs.map((data) => ({
            name: 'job',
            data,
            opts: {
              attempts: 5,
              backoff: { type: 'exponential', delay: 1_000 },
              removeOnComplete: true,
            },
          })),
        );
      },
      async isIdle() {
        return (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0;
      },
      clear: () => queue.obliterate({ force: true }),
      async close() {
        await queue.close();
        connection.disconnect();
      },
    };
  },

  async consume(place, run) {
    const connection = connect(place);
    const worker = new Worker(QUEUE, (job) => run(job.data), {
      connection,
      prefix: `${place.redisPrefix}-peer`,
      concurrency: CONCURRENCY,
    });
    await worker.waitUntilReady();
    return async () => {
      await worker.close();
      connection.disconnect();
    };
  },
};

function connect({ redisUrl }: Place): Redis {
  return new Redis(redisUrl, { maxRetriesPerRequest: null });
}

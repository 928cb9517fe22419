import { logRun } from '../support/run-log.ts';
import { tellUsage } from '../support/tell-usage.ts';
import { bullmq } from './bullmq.ts';
import { createDeliver } from './delivery.ts';
import { graphileWorker } from './graphile-worker.ts';
import { pgBoss } from './pg-boss.ts';

// A worker process of the peer that BENCH_PEER names.
const {
  BENCH_PEER,
  BENCH_WORK,
  DATABASE_URL = '',
  REDIS_URL = '',
  REDIS_PREFIX = '',
} = process.env;
const peer = [bullmq, graphileWorker, pgBoss].find(({ name }) => name === BENCH_PEER);
if (!peer) throw new Error(`no peer ${BENCH_PEER}`);
const delivery = BENCH_WORK === 'deliveries' ? createDeliver(DATABASE_URL) : undefined;
const stop = await peer.consume(
  { postgresUrl: DATABASE_URL, redisUrl: REDIS_URL, redisPrefix: REDIS_PREFIX },
  delivery?.deliver ?? (async ({ n }) => logRun(n)),
);
tellUsage();
process.send?.({ port: 0 });
process.once('SIGTERM', async () => {
  await stop();
  await delivery?.close();
  process.exit(0);
});

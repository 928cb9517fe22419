import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import PgBoss from 'pg-boss';
import { inParallel } from '../../support/figures.ts';
import { CONCURRENCY, type Peer, type PeerJob } from './peer.ts';

const QUEUE = 'peer';
/** Jobs per fetch, which are completed together. */
const BATCH = 500;
const POLL_MS = 500;

/** pg-boss: jobs in Postgres, taken and completed in batches by `fetch` and `complete`. */
export const pgBoss: Peer = {
  name: 'pg-boss',

  async produce({ postgresUrl }) {
    const boss = await start(postgresUrl, 2);
    await boss.createQueue(QUEUE);
    const pool = new pg.Pool({ connectionString: postgresUrl, max: 2 });
    return {
      async add(jobs) {
        await boss.insert(jobs.map((data) => ({ name: QUEUE, data, retryLimit: 5 })));
      },
      async isIdle() {
        const { rowCount } = await pool.query(
          `select 1 from pgboss.job where name = $1 and state < 'completed' limit 1`,
          [QUEUE],
        );
        return rowCount === 0;
      },
      async clear() {
        await pool.query('delete from pgboss.job where name = $1', [QUEUE]);
      },
      async close() {
        await boss.stop({ graceful: false });
        await pool.end();
      },
    };
  },

  async consume({ postgresUrl }, run) {
    const boss = await start(postgresUrl, 16);
    let stopped = false;
    const loop = async () => {
      while (!stopped) {
        const jobs = await boss.fetch<PeerJob>(QUEUE, { batchSize: BATCH });
        await inParallel(jobs.length, CONCURRENCY, async (at) => {
          const job = jobs[at];
          if (job) await run(job.data);
        });
        if (jobs.length > 0)
          await boss.complete(
            QUEUE,
            jobs.map(({ id }) => id),
          );
        else await sleep(POLL_MS);
      }
    };
    const looping = loop();
    return async () => {
      stopped = true;
      await looping;
      await boss.stop({ graceful: false });
    };
  },
};

async function start(connectionString: string, max: number): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, max });
  boss.on('error', () => {});
  await boss.start();
  return boss;
}

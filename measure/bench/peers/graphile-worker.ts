import { Logger, run, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { CONCURRENCY, type Peer, type PeerJob } from './peer.ts';

const logger = new Logger(() => () => {});

/** graphile-worker: jobs in Postgres, taken one by one. */
export const graphileWorker: Peer = {
  name: 'graphile-worker',

  async produce({ postgresUrl }) {
    await runMigrations({ connectionString: postgresUrl, logger });
    const pool = new pg.Pool({ connectionString: postgresUrl, max: 2 });
    return {
      async add(jobs) {
        await pool.query(
          `select graphile_worker.add_job('job', payload::json)
           from unnest($1::text[]) as j (payload)`,
          [jobs.map((job) => JSON.stringify(job))],
        );
      },
      async isIdle() {
        const { rowCount } = await pool.query('select 1 from graphile_worker.jobs limit 1');
        return rowCount === 0;
      },
      async clear() {
        await pool.query('truncate graphile_worker._private_jobs');
      },
      close: () => pool.end(),
    };
  },

  async consume({ postgresUrl }, work) {
    const runner = await run({
      connectionString: postgresUrl,
      concurrency: CONCURRENCY,
      maxPoolSize: 16,
      noHandleSignals: true,
      logger,
      taskList: { job: (payload) => work(payload as PeerJob) },
    });
    return () => runner.stop();
  },
};

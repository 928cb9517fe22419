import { createHmac } from 'node:crypto';
import pg from 'pg';
import { Agent } from 'undici';
import { CONCURRENCY, type PeerJob } from './peer.ts';

const SECRET = 'a-secret-of-the-benchmark';

export const ATTEMPTS_TABLE = `create table if not exists peer_attempts (
  delivery text not null, started_at timestamptz not null, elapsed_ms integer not null,
  status integer, outcome text not null)`;

/**
 * Creates a webhook delivery as one would write it on a job library: two signatures, a POST, and a Postgres row for the
 * attempt. Any status but 2xx throws, so that the library retries.
 */
export function createDeliver(postgresUrl: string): {
  deliver(job: PeerJob): Promise<void>;
  close(): Promise<void>;
} {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 16 });
  const agent = new Agent({ connections: CONCURRENCY });
  return {
    async deliver({ n, url = '', body = '' }) {
      const started = new Date();
      const { origin, pathname } = new URL(url);
      const id = `evt_${n}`;
      const seconds = Math.floor(started.getTime() / 1_000);
      const sign = (text: string) => createHmac('sha256', SECRET).update(text);
      const answer = await agent.request({
        origin,
        path: pathname,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-service-signature': sign(body).digest('hex'),
          'webhook-id': id,
          'webhook-timestamp': String(seconds),
          'webhook-signature': `v1,${sign(`${id}.${seconds}.${body}`).digest('base64')}`,
        },
        body,
      });
      await answer.body.dump();
      const delivered = answer.statusCode >= 200 && answer.statusCode < 300;
      await pool.query({
        name: 'record',
        text: 'insert into peer_attempts values ($1, $2, $3, $4, $5)',
        values: [
          id,
          started,
          Date.now() - started.getTime(),
          answer.statusCode,
          delivered ? 'delivered' : 'failed',
        ],
      });
      if (!delivered) throw new Error(`the receiver answered ${answer.statusCode}`);
    },
    async close() {
      await agent.close();
      await pool.end();
    },
  };
}

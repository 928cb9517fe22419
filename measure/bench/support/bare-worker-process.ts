import pg from 'pg';
import { Pool } from 'undici';
import { deliveryHeaders } from '../../../shared/messaging/webhooks/webhook-signature.ts';
import { tellUsage } from './tell-usage.ts';

/**
 * The minimum work of durable deliveries: claim 100 rows, POST them 64 at a time, record 100 attempts and deliveries in
 * one statement. No fairness, cap, health check or timeout. Starts on request and ends with the backlog. Claims have a
 * lease, as any loop that survives its process needs.
 */
const AT_A_TIME = 100;
const CONCURRENCY = 64;

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
tellUsage();
process.send?.({ port: 0 });
process.on('message', async (message: { secret?: string }) => {
  if (message.secret === undefined) return;
  const pools = new Map<string, Pool>();
  for (;;) {
    const { rows } = await client.query(CLAIM);
    if (rows.length === 0) break;
    const statuses: number[] = [];
    let next = 0;
    const lane = async () => {
      for (let at = next++; at < rows.length; at = next++) {
        statuses[at] = await post(rows[at], message.secret as string, pools);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
    await client.query(RECORD, [rows.map((row) => row.id), statuses]);
  }
  for (const pool of pools.values()) await pool.close();
});
process.once('SIGTERM', () => process.exit(0));

const CLAIM = {
  name: 'claim',
  text: `with picked as (
      select id from webhook_deliveries
      where state = 'pending' and least(attempts, 1) = 0 and next_attempt_at <= now()
      limit ${AT_A_TIME} for update skip locked)
    update webhook_deliveries d set next_attempt_at = now() + interval '1 minute'
    from picked, webhook_endpoints w, events e
    where d.id = picked.id and w.id = d.endpoint_id and e.id = d.event_id
    returning d.id, w.url, e.id as event, e.type, e.body`,
};
const RECORD = `with ended as (select * from unnest($1::text[], $2::integer[]) as a (id, status)),
  moved as (
    update webhook_deliveries d set state = 'delivered', attempts = 1, finished_at = now()
    from ended where d.id = ended.id)
  insert into webhook_attempts (delivery_id, attempt, started_at, elapsed_ms, status, outcome)
  select id, 1, now(), 0, status, 'delivered' from ended`;

async function post(
  row: { url: string; event: string; type: string; body: string },
  secret: string,
  pools: Map<string, Pool>,
): Promise<number> {
  const { origin, pathname } = new URL(row.url);
  const pool = pools.get(origin) ?? new Pool(origin, { connections: CONCURRENCY });
  pools.set(origin, pool);
  const { type: eventType, event: eventId, body } = row;
  const headers = deliveryHeaders({
    eventId,
    eventType,
    attempt: 1,
    body,
    secret,
    now: new Date(),
  });
  const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
  await answer.body.dump();
  return answer.statusCode;
}

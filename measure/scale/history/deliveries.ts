import { ago, type Filling, type HistorySize } from './filling.ts';

/** Events, their deliveries, and jobs. */
export function deliveries({ orders, events }: HistorySize, now: Date): Filling[] {
  const body = `'{"id":"' || id || '","type":"' || type || '","created_at":"2026-11-21T09:30:00.000Z","partner_id":"'
    || partner_id || '","data":{"order":{"public_id":"' || subject
    || '","domain":"name' || n || '.com","status":"EXTERNALLY_PAID","sale_price_cents":485000,"currency":"USD"}}}'`;
  return [
    [
      'events',
      `insert into events (id, partner_id, environment, position, type, subject, body, created_at)
       select id, partner_id, environment, row_number() over (partition by partner_id, environment order by n), type,
         subject, ${body}, pg_temp.at(pg_temp.event_ms(n))
       from (select n, pg_temp.id('evt', pg_temp.event_ms(n), n) as id, pg_temp.partner(o) as partner_id,
           pg_temp.environment(o) as environment, pg_temp.id('ord', pg_temp.order_ms(o), o) as subject,
           (array['order.recorded', 'order.transfer_started', 'order.transfer_completed', 'order.settled'])[1 + n % 4] as type
         from (select n, 1 + (n - 1) * ${orders} / ${Math.max(1, events)} as o from generate_series(1::bigint, ${events}) n) g) e
       order by n`,
    ],
    [
      'event_streams',
      `insert into event_streams select partner_id, environment, max(position) from events group by 1, 2`,
    ],
    [
      'webhook_deliveries',
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, state, attempts,
         next_attempt_at, created_at, finished_at)
       select replace(id, 'evt', 'dlv'), replace(partner_id, 'ptr', case environment when 'LIVE' then 'whe' else 'wht' end),
         partner_id, environment, id, type, state, case state when 'pending' then 0 else 1 end, created_at, created_at,
         case state when 'pending' then null else created_at + interval '90 milliseconds' end
       from (select *, case when position % 100 = 3 then 'exhausted' when created_at > ${ago(now, 0.02)} then 'pending'
           else 'delivered' end as state from events where created_at > ${ago(now, 90)} order by id) e`,
    ],
    [
      'webhook_attempts',
      `insert into webhook_attempts (delivery_id, attempt, started_at, elapsed_ms, status, outcome, request_headers,
         response_headers, response_body)
       select id, 1, created_at, 85, 200, 'delivered',
         '{"accept": "*/*", "user-agent": "marketplace-webhooks/1", "content-type": "application/json",
           "x-service-event-id": "evt_01m7yg4ev0e89rzq0ngjrt467r", "x-service-signature": "[redacted]"}',
         '{"date": "Sat, 21 Nov 2026 09:30:00 GMT", "content-type": "text/plain", "content-length": "2"}', 'ok'
       from webhook_deliveries where state <> 'pending' order by id`,
    ],
    [
      'outbox',
      `insert into outbox (id, queue, name, payload, dedupe_key, state, epoch, attempts, run_at, done_at, created_at)
       select pg_temp.number_id(created_at, row_number() over (order by id)), q, j, jsonb_build_object('orderId', id), j || ':' || id, case when listing_id % 500 = 4 then 'dead' else 'done' end,
         1, 1, created_at, case when listing_id % 500 = 4 then null else created_at end, created_at
       from orders, unnest(array['transfers', 'transfers', 'mail'], array['start-transfer', 'push-transfer', 'send-mail']) t (q, j)
       where created_at > ${ago(now, 7)} order by id`,
    ],
    [
      'job_keys',
      'insert into job_keys select dedupe_key, id, created_at from outbox where dedupe_key is not null order by id',
    ],
  ];
}

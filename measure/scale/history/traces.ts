import { ago, type Filling, type HistorySize } from './filling.ts';

/** Records of activity: requests, mails, the audit trail, bulk jobs. */
export function traces({ partners }: HistorySize, now: Date): Filling[] {
  const week = ago(now, 7);
  return [
    [
      'idempotency_keys',
      `insert into idempotency_keys (credential, method, path, key, fingerprint, status, body, created_at, expires_at)
       select 'pk_live_' || right(partner_id, 8), 'POST', '/api/partner/v1/orders', gen_random_uuid(),
         sha256(id::bytea), 201, repeat('{"public_id":"' || id || '"}', 8), created_at, created_at + interval '30 days'
       from orders where created_at > ${ago(now, 30)}`,
    ],
    [
      'api_requests',
      `insert into api_requests (id, partner_id, environment, key_id, request_id, method, path, status, error_code,
         elapsed_ms, created_at)
       select pg_temp.id('rlg', pg_temp.ms(o.created_at), o.listing_id * 20 + k), o.partner_id, o.environment,
         c.key_id, gen_random_uuid(), 'GET', '/api/partner/v1/domains/search',
         case when k = 3 then 422 else 200 end, case when k = 3 then 'validation_error' end, 12, o.created_at
       from orders o join credentials c on c.partner_id = o.partner_id and c.environment = o.environment,
         generate_series(1, 20) k where o.created_at > ${week} order by o.created_at`,
    ],
    [
      'mails',
      `insert into mails (id, kind, cause, recipient, partner_id, environment, data, locale, state, attempts, message_id,
         created_at, finished_at)
       select replace(id, 'ord', 'eml'), 'order-delivered', 'delivered:' || id, buyer_email, partner_id, environment,
         jsonb_build_object('orderId', id, 'domain', domain, 'price', sale_price_cents), 'en', 'sent', 1,
         '<' || id || '@marketplace.example>', created_at, created_at
       from orders where created_at > ${ago(now, 90)}`,
    ],
    [
      'audit_log',
      `insert into audit_log (id, at, actor, action, subject, after)
       select pg_temp.number_id(created_at, listing_id), created_at, 'usr_ops', 'order.confirm-delivery', id, '{"status": "TRANSFER_COMPLETED"}'
       from orders where listing_id % 3 = 0 order by created_at`,
    ],
    [
      'audit_chain',
      `insert into audit_chain select row_number() over (order by id), id, sha256(id::text::bytea) from audit_log`,
    ],
    [
      'registrar_pushes',
      `insert into registrar_pushes (client_reference, domain, method, status, created_at, updated_at)
       select id, 'x', 'push', 'completed', created_at, updated_at from transfers where created_at > ${ago(now, 90)}`,
    ],
    [
      'bulk_jobs',
      `insert into bulk_jobs (id, user_id, op, params, dry_run, status, total, succeeded, created_at, finished_at)
       select replace(id, 'ptr', 'blk'), (select min(id) from users), 'lock', '{}', false, 'completed', 50, 50,
         ${week}, ${week} from partners limit ${partners}`,
    ],
    [
      'bulk_items',
      `insert into bulk_items (job_id, position, domain, state)
       select id, n, 'owned' || n || '.com', 'ok' from bulk_jobs, generate_series(1, 50) n`,
    ],
  ];
}

import { ago, type Filling, type HistorySize, YEAR_MS } from './filling.ts';

/** Partners with their keys, endpoints, members and links; owners with their domains. */
export function accounts({ partners }: HistorySize, now: Date): Filling[] {
  const start = now.getTime() - YEAR_MS;
  const opened = ago(now, 365);
  const users = partners * 5;
  return [
    [
      'partners',
      `insert into partners (id, name, created_at)
       select pg_temp.id('ptr', ${start}, n), 'Partner ' || n, ${opened} from generate_series(0, ${partners - 1}) n`,
    ],
    [
      'credentials',
      `insert into credentials (key_id, partner_id, environment, scopes, secret_ciphertext, created_at)
       select 'pk_' || lower(e) || '_' || lpad(p.n::text, 22, '0'), p.id, e, '{search,buy,webhook}',
         decode(repeat('ab', 60), 'hex'), p.created_at
       from (select row_number() over () as n, * from partners) p, unnest(array['LIVE', 'SANDBOX']) e`,
    ],
    [
      'webhook_endpoints',
      `insert into webhook_endpoints (id, partner_id, environment, url, secret_ciphertext, created_at, updated_at)
       select replace(id, 'ptr', case e when 'LIVE' then 'whe' else 'wht' end), id, e,
         'https://partner.example/' || id, decode(repeat('ab', 60), 'hex'), created_at, created_at
       from partners, unnest(array['LIVE', 'SANDBOX']) e`,
    ],
    [
      'users',
      `insert into users (id, email, password_hash, role, created_at)
       select pg_temp.id('usr', ${start}, n), 'person' || n || '@example.com', repeat('x', 97), 'owner', ${opened}
       from generate_series(1, ${users}) n`,
    ],
    [
      'user_sessions',
      `insert into user_sessions (token_hash, user_id, created_at, expires_at)
       select sha256((n || 's')::bytea), pg_temp.id('usr', ${start}, 1 + n % ${users}), ${ago(now, 0)},
         ${ago(now, 0)} + (n % 720 - 10) * interval '1 minute' from generate_series(1, ${users * 3}) n`,
    ],
    [
      'partner_members',
      `insert into partner_members (partner_id, user_id, role, created_at)
       select pg_temp.id('ptr', ${start}, n % ${partners}), pg_temp.id('usr', ${start}, n), 'viewer', ${opened}
       from generate_series(1, ${partners * 2}) n`,
    ],
    [
      'owned_domains',
      `insert into owned_domains (domain, domain_unicode, tld, user_id, nameservers, locked, auto_renew, privacy,
         expires_at, registrar_version, granted_at, updated_at)
       select 'owned' || n || '.com', 'owned' || n || '.com', 'com', pg_temp.id('usr', ${start}, 1 + n % ${users}),
         '{ns1.example.com,ns2.example.com}', true, n % 3 = 0, true, ${ago(now, 0)} + n % 365 * interval '1 day', 1,
         ${opened}, ${opened} from generate_series(1, ${users * 4}) n`,
    ],
    [
      'referral_links',
      `insert into referral_links (id, partner_id, environment, kind, code, commission_bps, created_at)
       select pg_temp.id('lnk', ${start}, n), pg_temp.id('ptr', ${start}, n % ${partners}), 'LIVE', 'generic',
         'code' || n, 500, ${opened} from generate_series(1, ${partners * 5}) n`,
    ],
    [
      'referral_daily',
      `insert into referral_daily (link_id, day, partner_id, environment, clicks, unique_clicks)
       select id, (${opened} + d * interval '1 day')::date, partner_id, environment, 20, 15
       from referral_links, generate_series(5, 365, 10) d`,
    ],
  ];
}

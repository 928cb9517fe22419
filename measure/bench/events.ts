import pg from 'pg';
import { givenPartner, type PartnerFixture } from '../../test/support/factories.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { type SignedClient, signedClient } from '../../test/support/signed-client.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, perSecond, times } from '../support/figures.ts';
import { scaled } from './support/settings.ts';

const EVENTS = 10_000_000;
const REQUESTS = 300;
const PAGE = 100;
const PATH = '/v1/events';

/** Measures `GET /events` of a partner with a long history: the end of the list against its beginning. */
export async function benchEvents(): Promise<Figure[]> {
  const count = scaled(EVENTS);
  const runtime = await createTestRuntime();
  const straight = new pg.Pool({ connectionString: runtime.config.databaseUrl, max: 1 });
  const partner = await givenPartner(runtime);
  await givenHistory(straight, partner, count, runtime.clock.now());
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  try {
    const client = signedClient(`http://127.0.0.1:${api.ready.port}`, partner);
    const deep = () => ask(client, { limit: PAGE, after_id: idOf(count - 2 * PAGE) });
    const first = () => ask(client, { limit: PAGE });
    const name = `GET /events, ${count.toLocaleString('en-US')} events of one partner`;
    const unit = 'requests/s';
    return [
      {
        name: `${name}: the last page of ${PAGE}`,
        unit,
        limitName: 'the first page',
        goal: { share: 0.83 },
        ...(await alternate(deep, first)),
      },
      {
        name: `${name}: the first page of ${PAGE}`,
        unit,
        limitName: 'its rows alone, straight through pg',
        ...(await alternate(first, () => readAlone(straight, partner))),
      },
    ];
  } finally {
    await api.stop();
    await straight.end();
    await runtime.stop();
  }
}

const idOf = (position: number) => `evt_${String(position).padStart(26, '0')}`;

/** Inserted by SQL, in steps that fit its checkpoints. */
async function givenHistory(
  pool: pg.Pool,
  { partnerId, environment }: PartnerFixture,
  count: number,
  now: Date,
): Promise<void> {
  await pool.query('insert into event_streams values ($1, $2, $3)', [
    partnerId,
    environment,
    count,
  ]);
  const step = 500_000;
  for (let from = 1; from <= count; from += step) {
    await pool.query(
      `insert into events (id, partner_id, environment, position, type, subject, body, created_at)
       select id, $1, $2, n, 'order.recorded', 'ord_' || n,
         '{"id":"' || id || '","type":"order.recorded","created_at":"2026-11-21T09:30:00.000Z","partner_id":"'
           || $1 || '","data":{"order":{"public_id":"ord_' || n
           || '","domain":"example.com","status":"EXTERNALLY_PAID","sale_price_cents":485000,"currency":"USD"}}}',
         $5
       from (select n, 'evt_' || lpad(n::text, 26, '0') as id from generate_series($3::int, $4::int) n) e`,
      [partnerId, environment, from, Math.min(count, from + step - 1), now],
    );
  }
  await pool.query('vacuum analyze events');
}

function ask(client: SignedClient, query: Record<string, string | number>): Promise<number> {
  return perSecond(REQUESTS, () =>
    times(REQUESTS, async () => {
      const { body } = await client.get(PATH, { query }).expect(200);
      if (body.events.length !== PAGE) throw new Error(`answered ${body.events.length} events`);
    }),
  );
}

function readAlone(pool: pg.Pool, { partnerId, environment }: PartnerFixture): Promise<number> {
  return perSecond(REQUESTS, () =>
    times(REQUESTS, () =>
      pool.query({
        name: 'first-page',
        text: `select body from events where partner_id = $1 and environment = $2 and position > 0
               order by position limit $3`,
        values: [partnerId, environment, PAGE],
      }),
    ),
  );
}

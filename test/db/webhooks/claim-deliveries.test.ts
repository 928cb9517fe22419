import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimDeliveries } from '../../../shared/delivery/webhooks/delivery-engine.ts';
import type { Runtime } from '../../support/runtime.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { pagesReadBy, rowsReadBy, type Statement, statementsOf } from '../../support/statements.ts';
import {
  deliveriesOf,
  givenEndpoint,
  givenEvents,
  givenWaitingEndpoints,
} from '../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9999/hook';

let runtime: TestRuntime;
beforeEach(async () => {
  runtime = await createTestRuntime({
    WEBHOOK_MAX_IN_FLIGHT: '4',
    WEBHOOK_CONCURRENCY: '20',
    WEBHOOK_RETRY_SHARE_PERCENT: '30',
  });
});
afterEach(() => runtime.stop());

const endpointWith = async (events: number) => {
  const endpoint = await givenEndpoint(runtime, URL);
  if (events > 0) await givenEvents(runtime, endpoint, events);
  return endpoint.endpointId;
};

const set = (endpointId: string, changes: object) =>
  runtime.db.knex('webhook_endpoints').where('id', endpointId).update(changes);
const setDeliveries = (endpointId: string, changes: object) =>
  runtime.db.knex('webhook_deliveries').where('endpoint_id', endpointId).update(changes);

/** How many of the claimed deliveries each endpoint got. */
async function claim(limit: number, by: Runtime = runtime): Promise<Map<string, number>> {
  const { claimed: claims } = await claimDeliveries(by, 'worker', limit);
  const rows = await runtime.db
    .knex('webhook_deliveries')
    .whereIn(
      'id',
      claims.map((each) => each.id),
    )
    .select('endpoint_id');
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row.endpoint_id, (counts.get(row.endpoint_id) ?? 0) + 1);
  return counts;
}

/** What a claim sends; a wake-up of the workers may go out meanwhile. */
async function statementsOfClaim() {
  const sent = await statementsOf(runtime, () => claimDeliveries(runtime, 'worker', 100));
  return sent.filter(({ sql }) => sql.includes('webhook_deliveries'));
}

describe('claiming deliveries', () => {
  it('gives an endpoint with a great backlog no more than its cap', async () => {
    const [busy, quiet] = [await endpointWith(500), await endpointWith(2)];
    expect(await claim(100)).toEqual(
      new Map([
        [busy, 4],
        [quiet, 2],
      ]),
    );
    expect(await claim(100)).toEqual(new Map());
  });

  it('does not let a fresh event wait for the hundreds of a settlement, nor those for fresh ones', async () => {
    const endpoint = await givenEndpoint(runtime, URL);
    await givenEvents(runtime, endpoint, 800);
    runtime.clock.advance(1_000);
    await givenEvents(runtime, endpoint, 1);
    const [fresh] = (await deliveriesOf(runtime, endpoint.endpointId)).slice(-1);
    const [oldest] = await deliveriesOf(runtime, endpoint.endpointId);
    const ids = (await claimDeliveries(runtime, 'worker', 100)).claimed.map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(ids).toContain(fresh?.id);

    // Events that never stop coming take half of the turns at most.
    const deliver = () =>
      runtime.db
        .knex('webhook_deliveries')
        .where('state', 'dispatched')
        .update({ state: 'delivered' });
    await deliver();
    const claimed = new Set<string>();
    for (let round = 0; round < 10; round += 1) {
      runtime.clock.advance(1_000);
      await givenEvents(runtime, endpoint, 2);
      for (const { id } of (await claimDeliveries(runtime, 'worker', 2)).claimed) claimed.add(id);
      await deliver();
    }
    expect(claimed.size).toBe(20);
    const old = await runtime.db
      .knex('webhook_deliveries')
      .where('state', 'delivered')
      .andWhere('next_attempt_at', oldest?.next_attempt_at as Date);
    expect(old.length).toBeGreaterThanOrEqual(10);
  });

  it('serves every endpoint once before any of them twice', async () => {
    const endpoints = [await endpointWith(9), await endpointWith(9), await endpointWith(9)];
    expect(await claim(3)).toEqual(new Map(endpoints.map((id) => [id, 1])));
    expect([...(await claim(4)).values()].sort()).toEqual([1, 1, 2]);
  });

  it('fills the places that were freed', async () => {
    const endpoint = await endpointWith(10);
    await claim(100);
    const [first] = await deliveriesOf(runtime, endpoint);
    await runtime.db
      .knex('webhook_deliveries')
      .where('id', first?.id)
      .update({ state: 'delivered' });
    expect(await claim(100)).toEqual(new Map([[endpoint, 1]]));
  });

  it('keeps to the cap when many claim at once', async () => {
    const others = await Promise.all([1, 2, 3].map(() => joinRuntime(runtime)));
    try {
      const endpoints = await Promise.all(Array.from({ length: 10 }, () => endpointWith(20)));
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(
          [runtime, ...others].flatMap((each) =>
            [1, 2, 3].map(() => claimDeliveries(each, 'worker', 100)),
          ),
        );
        const rows = await runtime.db
          .knex('webhook_deliveries')
          .where('state', 'dispatched')
          .groupBy('endpoint_id')
          .select('endpoint_id', runtime.db.knex.raw('count(*)::int as count'));
        expect(rows).toHaveLength(endpoints.length);
        expect(rows.every((row) => row.count === 4)).toBe(true);
        await runtime.db
          .knex('webhook_deliveries')
          .where('state', 'dispatched')
          .update({ state: 'pending' });
      }
    } finally {
      await Promise.all(others.map((each) => each.stop()));
    }
  });

  it('skips what is not due, not active or behind an open breaker', async () => {
    const [later, inactive, open] = [
      await endpointWith(1),
      await endpointWith(1),
      await endpointWith(1),
    ];
    const now = runtime.clock.now();
    const ahead = new Date(now.getTime() + 60_000);
    await setDeliveries(later, { next_attempt_at: ahead });
    await set(inactive, { active: false });
    await set(open, { open_until: ahead });
    expect(await claim(100)).toEqual(new Map());
    runtime.clock.advance(61_000);
    expect(await claim(100)).toEqual(
      new Map([
        [later, 1],
        [open, 1],
      ]),
    );
  });

  it('sends one probe to an endpoint whose breaker is half open, and one at a time while it fails', async () => {
    const [halfOpen, failing] = [await endpointWith(9), await endpointWith(9)];
    const before = new Date(runtime.clock.now().getTime() - 1_000);
    await set(halfOpen, { open_until: before, failing_since: before });
    await set(failing, { failing_since: before });
    expect(await claim(100)).toEqual(
      new Map([
        [halfOpen, 1],
        [failing, 1],
      ]),
    );
    expect(await claim(100)).toEqual(new Map());
  });

  it('leaves room for first attempts however many retries are due', async () => {
    const retrying = await Promise.all(Array.from({ length: 5 }, () => endpointWith(10)));
    for (const id of retrying) await setDeliveries(id, { attempts: 3 });
    const fresh = await endpointWith(3);
    const claimed = await claim(100);
    expect(claimed.get(fresh)).toBe(3);
    // 30 % of 20 slots.
    const retries = [...claimed].reduce(
      (sum, [id, count]) => (id === fresh ? sum : sum + count),
      0,
    );
    expect(retries).toBe(6);
  });

  it('leaves room for sound endpoints however many others fail', async () => {
    const failing = await Promise.all(Array.from({ length: 15 }, () => endpointWith(5)));
    for (const id of failing) await set(id, { failing_since: runtime.clock.now() });
    const sound = await endpointWith(3);
    const claimed = await claim(100);
    expect(claimed.get(sound)).toBe(3);
    expect(claimed.size).toBe(1 + 6);
    expect(await claim(100)).toEqual(new Map());
  });

  it("lets an endpoint's retries and first attempts take turns", async () => {
    const endpoint = await endpointWith(20);
    const rows = await deliveriesOf(runtime, endpoint);
    const half = rows.slice(0, 10).map((row) => row.id);
    await runtime.db.knex('webhook_deliveries').whereIn('id', half).update({ attempts: 1 });
    await claim(100);
    const taken = await runtime.db.knex('webhook_deliveries').where('state', 'dispatched');
    expect(taken.map((row) => row.attempts).sort()).toEqual([0, 0, 0, 1]);
  });

  it('reads a few pages when nothing is due, at however many endpoints something waits for its time', async () => {
    const ahead = new Date(runtime.clock.now().getTime() + 60_000);
    await givenWaitingEndpoints(runtime, { count: 2_000, due: ahead });
    const asked = await statementsOfClaim();
    expect(asked).toHaveLength(1);
    for (const statement of asked) expect(await pagesReadBy(runtime, statement)).toBeLessThan(10);
    runtime.clock.advance(61_000);
    expect((await claim(6)).size).toBe(6);
  });

  it('is not kept busy by what is due to endpoints that get nothing now', async () => {
    const open = await endpointWith(300);
    await set(open, { open_until: new Date(runtime.clock.now().getTime() + 60_000) });
    expect(await statementsOfClaim()).toHaveLength(1);
  });

  it('finds what is due behind any number of deliveries that have to wait', async () => {
    const open = await endpointWith(1);
    await copyDeliveries(open, 1_500);
    await set(open, { open_until: new Date(runtime.clock.now().getTime() + 60_000) });
    runtime.clock.advance(1_000);
    const sound = await endpointWith(2);
    expect(await claim(100)).toEqual(new Map([[sound, 2]]));
  });

  it('reads some deliveries of each endpoint with 100,000 due rows, half of them of one', async () => {
    await givenWaitingEndpoints(runtime, { count: 200, due: runtime.clock.now(), attempts: 0 });
    for (let n = 1; n <= 200; n += 1) await copyDeliveries(`whe_many${n}`, 250);
    const giant = await endpointWith(1);
    await copyDeliveries(giant, 50_000);
    await runtime.db.knex.raw('analyze webhook_deliveries');
    let claimed = new Map<string, number>();
    const [statement] = await statementsOf(runtime, async () => {
      claimed = await claim(500);
    });
    expect([...claimed.values()].every((count) => count <= 4)).toBe(true);
    expect(claimed.size).toBe(201);
    expect(await rowsReadBy(runtime, statement as Statement, 'webhook_deliveries')).toBeLessThan(
      10_000,
    );
  });

  it('reads each delivery that it takes by its id, while the statistics know of none that is due', async () => {
    for (let n = 0; n < 16; n += 1) await copyDeliveries(await endpointWith(1), 150);
    await runtime.db.knex('webhook_deliveries').update({ state: 'delivered' });
    await runtime.db.knex.raw('vacuum analyze webhook_deliveries');
    await runtime.db.knex('webhook_deliveries').update({ state: 'pending' });
    const [statement] = await statementsOf(runtime, async () => {
      expect([...(await claim(100)).values()]).toEqual(Array.from({ length: 16 }, () => 4));
    });
    expect(await rowsReadBy(runtime, statement as Statement, 'webhook_deliveries')).toBeLessThan(
      10_000,
    );
  });

  it('reads the first of some subjects of an endpoint in order, however many wait behind them', async () => {
    const endpoint = await endpointWith(1);
    await set(endpoint, { ordering: 'per_subject' });
    await runtime.db.knex.raw(
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, subject, position,
         next_attempt_at, created_at)
       select d.id || '_' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, 'ord_' || n % 10, n,
         d.next_attempt_at, d.created_at
       from webhook_deliveries d, generate_series(1, 20000) n where d.endpoint_id = :endpoint`,
      { endpoint },
    );
    const deliveries = () => runtime.db.knex('webhook_deliveries');
    await deliveries().whereNull('subject').update({ state: 'delivered' });
    // Of eight subjects the first was refused, and waits.
    const later = new Date(runtime.clock.now().getTime() + 60_000);
    const refused = { attempts: 1, next_attempt_at: later };
    await deliveries().whereBetween('position', [1, 8]).update(refused);
    await runtime.db.knex.raw('vacuum analyze webhook_deliveries');
    for (let round = 0; round < 5; round += 1) {
      const firsts = await deliveries()
        .distinctOn('subject')
        .whereIn('subject', ['ord_9', 'ord_0'])
        .where('state', 'pending')
        .orderBy(['subject', 'position'])
        .pluck('id');
      let ids: string[] = [];
      const [statement] = await statementsOf(runtime, async () => {
        ids = (await claimDeliveries(runtime, 'worker', 100)).claimed.map(({ id }) => id);
      });
      expect(ids.sort()).toEqual(firsts.sort());
      expect(await rowsReadBy(runtime, statement as Statement, 'webhook_deliveries')).toBeLessThan(
        2_000,
      );
      await deliveries().whereIn('id', ids).update({ state: 'delivered' });
    }
  });
});

/** Multiplies the one delivery of an endpoint. */
async function copyDeliveries(endpointId: string, count: number): Promise<void> {
  await runtime.db.knex.raw(
    `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, next_attempt_at, created_at)
     select d.id || '_' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, d.next_attempt_at, d.created_at
     from webhook_deliveries d, generate_series(1, :count) n where d.endpoint_id = :endpointId`,
    { endpointId, count },
  );
}

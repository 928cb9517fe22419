import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sendPing } from '../../../shared/messaging/events/pings.ts';
import type { DueDelivery } from '../../../shared/messaging/webhooks/delivery-work.store.ts';
import { addMs, DAY, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { planOf, rowsReadBy, type Statement, statementsOf } from '../../support/statements.ts';
import { deliveriesOf, dueTo, givenEndpoint, givenEvents } from '../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9999/hook';

let runtime: TestRuntime;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;
beforeEach(async () => {
  runtime = await createTestRuntime({ webhookRetrySharePercent: 30 });
  endpoint = await givenEndpoint(runtime, URL);
});
afterEach(() => runtime.stop());

const deliveries = () => runtime.db.knex('webhook_deliveries');
const setEndpoint = (changes: object) =>
  runtime.db.knex('webhook_endpoints').where('id', endpoint.endpointId).update(changes);
const keepOrder = () => setEndpoint({ ordering: 'per_subject' });
const due = () => dueTo(runtime, endpoint.endpointId);
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const delivered = (rows: readonly { id: string }[]) =>
  deliveries().whereIn('id', idsOf(rows)).update({ state: 'delivered' });

/** Copies the endpoint's only delivery; all copies are due. */
const copyDeliveries = (count: number) =>
  runtime.db.knex.raw(
    `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, next_attempt_at, created_at)
     select d.id || '_' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, d.event_type, d.next_attempt_at, d.created_at
     from webhook_deliveries d, generate_series(1, :count) n where d.endpoint_id = :endpointId`,
    { endpointId: endpoint.endpointId, count },
  );

/** Of what `work` reads, the statements that look for deliveries that are due, as they were sent. */
async function readings(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent = await statementsOf(runtime, work);
  return sent.filter(({ sql }) => sql.includes('next_attempt_at'));
}

/** Rows of `webhook_deliveries` that all of these read. */
async function rowsReadByAll(statements: readonly Statement[]): Promise<number> {
  let rows = 0;
  for (const each of statements) rows += await rowsReadBy(runtime, each, 'webhook_deliveries');
  return rows;
}

describe('due deliveries of an endpoint', () => {
  it('are each taken once until they are finished', async () => {
    await givenEvents(runtime, endpoint, 30);
    const { take, end } = await due();
    const taken = [...(await take(7)), ...(await take(20)), ...(await take(20))];
    expect(taken).toHaveLength(30);
    expect(new Set(idsOf(taken)).size).toBe(30);
    expect(await take()).toEqual([]);
    const [first, second] = taken as [DueDelivery, DueDelivery];
    await delivered([first]);
    end(first);
    // It was not sent after all.
    end(second);
    expect(await take()).toEqual([second]);
  });

  it('are looked up only in the weekly partitions that can have due ones', async () => {
    await givenEvents(runtime, endpoint, 1);
    const { take } = await due();
    const [statement] = await readings(() => take(1));
    const plan = await planOf(runtime, statement as Statement);
    const weeks = new Set(plan.match(/webhook_deliveries_2\d{7}\b/g));
    expect(weeks.size).toBeLessThanOrEqual(2);
  });

  it('are found weeks later, even by a process that has looked before', async () => {
    await givenEvents(runtime, endpoint, 1);
    const { take, end, age } = await due();
    const [taken] = await take();
    end(taken as DueDelivery);
    runtime.clock.advance(30 * DAY);
    age();
    expect(await take()).toMatchObject([{ id: taken?.id }]);
  });

  it('include everything about their event that an attempt needs', async () => {
    await givenEvents(runtime, endpoint, 1, () => 'ord_one');
    const { take } = await due();
    const [event] = await runtime.db.knex('events');
    expect(await take()).toMatchObject([
      {
        attempts: 0,
        eventId: event.id,
        eventType: event.type,
        subject: 'ord_one',
        body: event.body,
      },
    ]);
  });

  it('exclude those that are scheduled later, finished, or for another endpoint', async () => {
    const other = await givenEndpoint(runtime, URL);
    await givenEvents(runtime, other, 5);
    await givenEvents(runtime, endpoint, 5);
    const [later, ...ended] = idsOf(await deliveriesOf(runtime, endpoint.endpointId));
    const at = addMs(runtime.clock.now(), MINUTE);
    await deliveries().where({ id: later }).update({ next_attempt_at: at });
    for (const [index, state] of ['delivered', 'exhausted', 'cancelled', 'cancelled'].entries()) {
      await deliveries().where({ id: ended[index] }).update({ state });
    }
    const { take } = await due();
    expect(await take()).toEqual([]);
    runtime.clock.advance(MINUTE + 1);
    expect(idsOf(await take())).toEqual([later]);
  });

  it('alternate between fresh events and a large backlog', async () => {
    await givenEvents(runtime, endpoint, 800);
    const [oldest] = await deliveriesOf(runtime, endpoint.endpointId);
    runtime.clock.advance(SECOND);
    await givenEvents(runtime, endpoint, 1);
    const [fresh] = (await deliveriesOf(runtime, endpoint.endpointId)).slice(-1);
    const { take, end } = await due();
    const first = await take(4);
    expect(first).toHaveLength(4);
    expect(idsOf(first)).toContain(fresh?.id);

    // A constant stream of new events takes at most half of the turns.
    let old = 0;
    for (let round = 0; round < 10; round += 1) {
      runtime.clock.advance(SECOND);
      await givenEvents(runtime, endpoint, 2);
      const taken = await take(2);
      expect(taken).toHaveLength(2);
      const isOld = (each: DueDelivery) =>
        each.nextAttemptAt.getTime() === oldest?.next_attempt_at.getTime();
      old += taken.filter(isOld).length;
      await delivered(taken);
      for (const each of taken) end(each);
    }
    expect(old).toBeGreaterThanOrEqual(10);
  });

  it('mix retries with first attempts, with a fixed share of retries', async () => {
    await givenEvents(runtime, endpoint, 40);
    const half = idsOf(await deliveriesOf(runtime, endpoint.endpointId)).slice(0, 20);
    await deliveries().whereIn('id', half).update({ attempts: 1 });
    const { take } = await due();
    const taken = await take(10);
    // 30 %.
    expect(taken.filter(({ attempts }) => attempts > 0)).toHaveLength(3);
    expect(taken).toHaveLength(10);
  });

  it('include only as many retries as allowed and fill up with first attempts', async () => {
    await givenEvents(runtime, endpoint, 40);
    const half = idsOf(await deliveriesOf(runtime, endpoint.endpointId)).slice(0, 20);
    await deliveries().whereIn('id', half).update({ attempts: 1 });
    expect(await (await due()).take(40, 0)).toHaveLength(20);
    const some = await (await due()).take(40, 2);
    expect(some).toHaveLength(22);
    expect(some.filter(({ attempts }) => attempts > 0)).toHaveLength(2);
    expect(await (await due()).take(40)).toHaveLength(40);
  });

  it('can be all retries', async () => {
    await givenEvents(runtime, endpoint, 10);
    await deliveries().update({ attempts: 2 });
    expect(await (await due()).take(6)).toHaveLength(6);
  });

  it('are found by reading a few rows, however many are waiting', async () => {
    await givenEvents(runtime, endpoint, 1);
    await copyDeliveries(50_000);
    await runtime.db.knex.raw('analyze webhook_deliveries');
    const { take } = await due();
    for (let round = 0; round < 3; round += 1) {
      const asked = await readings(async () => expect(await take(50)).toHaveLength(50));
      expect(await rowsReadByAll(asked)).toBeLessThan(2_000);
    }
  });

  it('are found by reading a few rows, even with stale statistics', async () => {
    await givenEvents(runtime, endpoint, 1);
    await copyDeliveries(20_000);
    await deliveries().update({ state: 'delivered' });
    await runtime.db.knex.raw('vacuum analyze webhook_deliveries');
    await deliveries().update({ state: 'pending' });
    const { take } = await due();
    const asked = await readings(async () => expect(await take(50)).toHaveLength(50));
    expect(await rowsReadByAll(asked)).toBeLessThan(2_000);
  });
});

describe('due deliveries of an ordered endpoint', () => {
  const subjects = Array.from({ length: 150 }, (_, at) => `ord_${String(at).padStart(3, '0')}`);
  const subjectAt = (at: number) => subjects[at % subjects.length] ?? '';
  const placesOf = (rows: readonly DueDelivery[]) => rows.map((each) => each.inOrderOf).sort();

  it('are the first of each subject, however many subjects there are', async () => {
    await keepOrder();
    await givenEvents(runtime, endpoint, 450, subjectAt);
    const { take, end } = await due();
    const positions = new Map<string, number[]>();
    for (let round = 0; round < 3; round += 1) {
      const taken = await take(1_000);
      expect(placesOf(taken)).toEqual(subjects);
      expect(await take(1_000)).toEqual([]);
      for (const { id, inOrderOf } of taken) {
        const { position } = await deliveries().where({ id }).first('position');
        const known = positions.get(inOrderOf ?? '') ?? [];
        positions.set(inOrderOf ?? '', [...known, Number(position)]);
      }
      await delivered(taken);
      for (const each of taken) end(each);
    }
    for (const found of positions.values()) expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(await take()).toEqual([]);
  });

  it('take turns among subjects, so that none waits for the others', async () => {
    await keepOrder();
    await givenEvents(runtime, endpoint, 450, subjectAt);
    const { take, end, age } = await due();
    const met = new Set<string | null>();
    for (let sent = 0; sent < subjects.length; sent += 10) {
      const taken = await take(10);
      for (const each of taken) met.add(each.inOrderOf);
      await delivered(taken);
      for (const each of taken) end(each);
      // The endpoint is slow.
      age();
    }
    expect(met.size).toBe(subjects.length);
  });

  it('wait for a retry of their subject while other subjects continue', async () => {
    await keepOrder();
    await givenEvents(runtime, endpoint, 450, subjectAt);
    // All but the last subject failed and wait for a retry.
    const later = addMs(runtime.clock.now(), MINUTE);
    const firsts = deliveries().distinctOn('subject').orderBy(['subject', 'position']).select('id');
    await deliveries()
      .whereIn('id', runtime.db.knex.select('id').from(firsts.as('firsts')))
      .whereNot({ subject: subjects.at(-1) })
      .update({ attempts: 1, next_attempt_at: later });
    const { take } = await due();
    expect(placesOf(await take())).toEqual([subjects.at(-1)]);
    runtime.clock.advance(MINUTE + 1);
    const retries = await take(1_000);
    expect(placesOf(retries)).toEqual(subjects.slice(0, -1));
    expect(retries.every(({ attempts }) => attempts === 1)).toBe(true);
  });

  it('include pings and deliveries scheduled before ordering was turned on', async () => {
    await givenEvents(runtime, endpoint, 2, () => 'ord_early');
    const early = idsOf(await deliveriesOf(runtime, endpoint.endpointId));
    await keepOrder();
    await givenEvents(runtime, endpoint, 2, () => 'ord_late');
    const ping = await sendPing(runtime, endpoint);
    const { take } = await due();
    const taken = await take();
    expect(idsOf(taken)).toEqual(expect.arrayContaining([...early, ping]));
    expect(placesOf(taken).filter(Boolean)).toEqual(['ord_late']);
  });

  it('are found by reading a few rows, however many wait behind the first', async () => {
    await keepOrder();
    await givenEvents(runtime, endpoint, 1);
    await runtime.db.knex.raw(
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, subject, position,
         next_attempt_at, created_at)
       select d.id || '_' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, d.event_type, 'ord_' || n % 10, n,
         d.next_attempt_at, d.created_at
       from webhook_deliveries d, generate_series(1, 20000) n where d.endpoint_id = :endpointId`,
      { endpointId: endpoint.endpointId },
    );
    await deliveries().whereNot('subject', 'like', 'ord\\__').update({ state: 'delivered' });
    // The first deliveries of eight subjects failed and wait for a retry.
    const refused = { attempts: 1, next_attempt_at: addMs(runtime.clock.now(), MINUTE) };
    await deliveries()
      .whereBetween('position', [1, 8])
      .andWhere('id', 'like', '%\\_%')
      .update(refused);
    await runtime.db.knex.raw('vacuum analyze webhook_deliveries');
    const { take, end } = await due();
    for (let round = 0; round < 3; round += 1) {
      let taken: DueDelivery[] = [];
      const asked = await readings(async () => {
        taken = await take();
      });
      expect(placesOf(taken)).toEqual(['ord_0', 'ord_9']);
      expect(await rowsReadByAll(asked)).toBeLessThan(2_000);
      await delivered(taken);
      for (const each of taken) end(each);
    }
  });
});

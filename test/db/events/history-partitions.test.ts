import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_LOG, listEvents } from '../../../shared/messaging/events/read-events.ts';
import { recordEvents } from '../../../shared/messaging/events/record-events.ts';
import { DAY } from '../../../shared/platform/clock.ts';
import { addPartitions } from '../../../shared/platform/database/partitioned-log.ts';
import { Pipeline } from '../../../shared/platform/database/pipeline.ts';
import { newId, timeOfId } from '../../../shared/platform/ids.ts';
import { recordedOrder } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { explain, type Statement, statementsOf } from '../../support/statements.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;

beforeEach(async () => {
  runtime = await createTestRuntime();
  runtime.clock.set('2099-01-01T10:00:00Z');
  partner = await givenPartner(runtime);
});
afterEach(() => runtime.stop());

/** Records this many events in each month of two years, creating partitions in time. */
async function givenMonths(each: number): Promise<void> {
  for (let month = 0; month < 24; month += 1) {
    runtime.clock.set(new Date(Date.UTC(2099, month, 2)).toISOString());
    await addPartitions(runtime.db.knex, EVENT_LOG, runtime.clock.now());
    const events = Array.from({ length: each }, (_, at) => recordedOrder(`m${month}-${at}`));
    await runtime.db.transact(async (uow) => uow.events.add(partner, ...events));
  }
}

const page = (afterId: string | null, limit: number) =>
  listEvents(runtime, partner, { afterId, limit });

/** The subjects of all events, read page by page. */
async function readAll(limit: number): Promise<string[]> {
  const subjects: string[] = [];
  for (let after: string | null = null; ; ) {
    const { rows, next } = await page(after, limit);
    for (const { data } of rows)
      subjects.push((data as { order: { public_id: string } }).order.public_id);
    if (next === null) return subjects;
    after = next;
  }
}

const expected = (each: number) =>
  Array.from({ length: 24 * each }, (_, at) => `m${Math.floor(at / each)}-${at % each}`);

describe('event history over two years', () => {
  it('has one partition per month and can be read from start to end', async () => {
    await givenMonths(3);
    const { rows } = await runtime.db.knex.raw(
      'select count(distinct tableoid)::int as months from events',
    );
    expect(rows[0].months).toBe(24);
    for (const limit of [2, 7, 100]) expect(await readAll(limit)).toEqual(expected(3));
  });

  it('is complete even when the ids of a stream are out of order', async () => {
    // Like a sandbox whose clock runs far ahead of events recorded in real time.
    for (const at of ['2099-03-01', '2101-05-01', '2099-03-02', '2099-12-01', '2099-03-03']) {
      runtime.clock.set(`${at}T00:00:00Z`);
      if (at.startsWith('2099'))
        await addPartitions(runtime.db.knex, EVENT_LOG, runtime.clock.now());
      await runtime.db.transact(async (uow) => uow.events.add(partner, recordedOrder(at)));
    }
    for (const limit of [1, 2, 3, 10]) {
      expect(await readAll(limit)).toEqual([
        '2099-03-01',
        '2101-05-01',
        '2099-03-02',
        '2099-12-01',
        '2099-03-03',
      ]);
    }
  });

  it('reads at most three partitions for any page', async () => {
    await givenMonths(10);
    const { rows: all } = await page(null, 200);
    for (const at of [0, 55, 190]) {
      const statements = await statementsOf(runtime, async () => {
        await page(all[at]?.id ?? '', 5);
      });
      expect(statements.length).toBe(1);
      const plan = JSON.stringify(
        await explain(runtime, statements[0] as Statement, { options: 'analyze, format json' }),
      );
      const partitions = new Set(plan.match(/events_(?:\d{8}|default)(?=")/g));
      expect(partitions.size).toBeLessThanOrEqual(3);
    }
  });

  it('rejects a second event at the same position', async () => {
    await givenMonths(1);
    const [newest] = await runtime.db.knex('events').orderBy('id', 'desc').limit(1);
    const twin = { ...newest, id: newId('event', timeOfId(newest.id)) };
    await expect(runtime.db.knex('events').insert(twin)).rejects.toThrow('duplicate key');
  });

  it('keeps future events in the default partition until their month is created', async () => {
    runtime.clock.set('2099-09-10T00:00:00Z');
    await runtime.db.transact(async (uow) => uow.events.add(partner, recordedOrder('ahead')));
    const place = async () =>
      (await runtime.db.knex.raw('select tableoid::regclass::text as place from events')).rows[0]
        .place;
    expect(await place()).toBe('events_default');
    runtime.clock.advance(-90 * DAY);
    await addPartitions(runtime.db.knex, EVENT_LOG, runtime.clock.now());
    expect(await place()).toBe('events_20990901');
  });

  describe('creating a month while events are written', () => {
    const addMonth = () => addPartitions(runtime.db.knex, EVENT_LOG, runtime.clock.now());
    const places = async () => {
      const { rows } = await runtime.db.knex.raw(
        'select tableoid::regclass::text as place from events order by position',
      );
      return rows.map(({ place }: { place: string }) => place);
    };
    const untilWaiting = (count: number) =>
      eventually(
        async () => {
          const { rows } = await runtime.db.knex.raw(
            `select count(*)::int as n from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rows[0].n;
        },
        (waiting) => waiting === count,
      );

    beforeEach(async () => {
      runtime.clock.set('2099-09-10T00:00:00Z');
      // Don't time out while the test holds its locks.
      await runtime.db.knex.raw(`alter function add_range_partition set lock_timeout = '60s'`);
    });

    it('moves an event that had to wait for it into the new month', async () => {
      const reading = await runtime.db.knex.transaction();
      await reading.raw('select from events_default');
      const made = addMonth();
      await untilWaiting(1);
      const written = runtime.db.transact(async (uow) =>
        uow.events.add(partner, recordedOrder('waited')),
      );
      await untilWaiting(2);
      await reading.commit();
      expect(await made).toBe(4);
      await written;
      expect(await places()).toEqual(['events_20990901']);
    });

    it('waits for a transaction that locked the partner before its event', async () => {
      const writing = await runtime.db.knex.transaction();
      await writing('partners').where({ id: partner.partnerId }).update({ name: 'Other' });
      const made = addMonth();
      await untilWaiting(1);
      await recordEvents(new Pipeline(writing), partner, [recordedOrder('both')], {
        now: runtime.clock.now(),
      });
      await writing.commit();
      expect(await made).toBe(4);
      expect(await places()).toEqual(['events_20990901']);
    });
  });
});

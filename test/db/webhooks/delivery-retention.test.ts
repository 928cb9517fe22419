import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ATTEMPT_LOG,
  DELIVERY_LOG,
  pruneDeliveryLog,
} from '../../../shared/messaging/webhooks/delivery-retention.ts';
import { resendEvent } from '../../../shared/messaging/webhooks/requested-deliveries.ts';
import { DAY, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { addPartitions } from '../../../shared/platform/database/partitioned-log.ts';
import { idRangeAt } from '../../../shared/platform/ids.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import {
  answered,
  attemptOf,
  dueTo,
  givenEndpoint,
  givenEvents,
  record,
} from '../../support/webhooks.ts';

let runtime: TestRuntime;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;

beforeEach(async () => {
  runtime = await createTestRuntime();
  // A Monday long after the initial partitions.
  runtime.clock.set('2099-01-05T10:00:00Z');
  await pruneDeliveryLog(runtime);
  endpoint = await givenEndpoint(runtime, 'http://127.0.0.1:9999/hook');
});
afterEach(() => runtime.stop());

/** Records an event whose delivery is attempted once and gets this status. */
async function givenAttempt(status: number): Promise<string> {
  await givenEvents(runtime, endpoint, 1);
  const job = await dueTo(runtime, endpoint.endpointId);
  const [delivery] = await job.take(1);
  if (!delivery) throw new Error('nothing is due');
  await record(runtime, attemptOf(runtime, job.endpoint, delivery, answered(status)));
  return delivery.id;
}

async function makePartitions(): Promise<[deliveries: number, attempts: number]> {
  const { knex } = runtime.db;
  const now = runtime.clock.now();
  return [
    await addPartitions(knex, DELIVERY_LOG, now),
    await addPartitions(knex, ATTEMPT_LOG, now),
  ];
}

/** The weekly partition of each row, or `default`. */
async function weeks(table: string, id: string): Promise<Record<string, string>> {
  const { rows } = await runtime.db.knex.raw<{ rows: { id: string; place: string }[] }>(
    `select ${id} as id, tableoid::regclass::text as place from ${table}`,
  );
  return Object.fromEntries(rows.map((row) => [row.id, row.place.replace(`${table}_`, '')]));
}

const deliveries = () => weeks('webhook_deliveries', 'id');
const attempts = () => weeks('webhook_attempts', 'delivery_id');

describe('webhook deliveries and attempts', () => {
  it('are stored in weekly partitions created ahead, with earlier ones moved in', async () => {
    const early = await givenAttempt(200);
    expect([await deliveries(), await attempts()]).toEqual([
      { [early]: 'default' },
      { [early]: 'default' },
    ]);
    expect(await makePartitions()).toEqual([4, 4]);
    expect(await makePartitions()).toEqual([0, 0]);
    runtime.clock.advance(8 * DAY);
    const late = await givenAttempt(200);
    const expected = { [early]: '20990105', [late]: '20990112' };
    expect([await deliveries(), await attempts()]).toEqual([expected, expected]);
    expect(await makePartitions()).toEqual([1, 1]);
  });

  it('have partitions with the same indexes and settings as the table', async () => {
    await makePartitions();
    const { rows } = await runtime.db.knex.raw(
      `select c.relname as name, c.reloptions as settings,
         (select count(*)::int from pg_index where indrelid = c.oid) as indexes
       from pg_class c join pg_inherits i on i.inhrelid = c.oid
       where i.inhparent = 'webhook_deliveries'::regclass`,
    );
    expect(rows.length).toBe(5);
    expect(new Set(rows.map(({ indexes }: { indexes: number }) => indexes))).toEqual(new Set([9]));
    expect(
      rows.filter(({ settings }: { settings: string[] | null }) => settings?.length !== 2),
    ).toEqual([]);
  });

  it('are dropped with their week, attempts no earlier than deliveries', async () => {
    await makePartitions();
    await givenAttempt(200);
    runtime.clock.advance(8 * DAY);
    const late = await givenAttempt(200);
    // Even the last moment of the first week is kept for the whole period.
    runtime.clock.set('2099-04-11T23:59:59Z');
    expect(await pruneDeliveryLog(runtime)).toEqual({
      weeks_of_deliveries: 0,
      weeks_of_attempts: 0,
    });
    runtime.clock.set('2099-04-12T00:00:00Z');
    expect(await pruneDeliveryLog(runtime)).toEqual({
      weeks_of_deliveries: 1,
      weeks_of_attempts: 1,
    });
    expect([Object.keys(await deliveries()), Object.keys(await attempts())]).toEqual([
      [late],
      [late],
    ]);
  });

  it('are kept while any delivery of their week is pending', async () => {
    await makePartitions();
    const old = await givenAttempt(200);
    const open = await givenAttempt(500);
    runtime.clock.advance(8 * DAY);
    const late = await givenAttempt(200);
    runtime.clock.advance(100 * DAY);
    const ids = [old, open, late].sort();
    expect(await pruneDeliveryLog(runtime)).toMatchObject({ weeks_of_attempts: 0 });
    // The following week has expired and is dropped first.
    expect(Object.keys(await deliveries()).sort()).toEqual([old, open].sort());
    expect(Object.keys(await attempts()).sort()).toEqual(ids);
    await runtime.db.knex('webhook_deliveries').where({ id: open }).update({ state: 'exhausted' });
    expect(await pruneDeliveryLog(runtime)).toMatchObject({ weeks_of_deliveries: 1 });
    expect([await deliveries(), await attempts()]).toEqual([{}, {}]);
  });

  it('are found when due, whatever week they or their event belong to', async () => {
    const startOf = (at: string) => idRangeAt('webhookDelivery', new Date(at)).first;
    const id = await givenAttempt(200);
    await makePartitions();
    runtime.clock.advance(21 * DAY);
    await makePartitions();
    await givenEvents(runtime, endpoint, 1);
    const due = async () => (await dueTo(runtime, endpoint.endpointId)).take();
    const [late] = await due();
    expect(await deliveries()).toMatchObject({ [late?.id ?? '']: '20990126' });
    await runtime.db.knex('webhook_deliveries').update({ state: 'delivered' });
    // Resend an event from another month.
    const { event_id: eventId } = await runtime.db
      .knex('webhook_deliveries')
      .where({ id })
      .first('event_id');
    const [again] = await resendEvent(runtime, endpoint, eventId);
    expect(await due()).toMatchObject([
      { id: again, eventId, body: expect.stringContaining(eventId) },
    ]);
    await runtime.db.knex('webhook_deliveries').update({ state: 'delivered' });
    // One outside a weekly partition is found, too, within a minute by a process that has looked before.
    const without = startOf('2000-01-01');
    await runtime.db
      .knex('webhook_deliveries')
      .where({ id })
      .update({ id: without, state: 'pending' });
    runtime.clock.advance(MINUTE + SECOND);
    expect(await due()).toMatchObject([{ id: without }]);
  });

  it('outside a weekly partition are deleted after the same time', async () => {
    await givenAttempt(200);
    const open = await givenAttempt(500);
    runtime.clock.advance(91 * DAY);
    await pruneDeliveryLog(runtime);
    expect(Object.keys(await deliveries())).toEqual([open]);
  });

  it('are not blocked by open reads, and get their partitions later', async () => {
    const reading = await runtime.db.knex.transaction();
    await reading.raw('select count(*) from webhook_attempts');
    await reading.raw('select count(*) from webhook_deliveries');
    expect(await makePartitions()).toEqual([0, 0]);
    await reading.commit();
    expect(await makePartitions()).toEqual([4, 4]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pruneDeliveries } from '../../../shared/delivery/events/prune-deliveries.ts';
import { ATTEMPT_LOG, pruneAttemptLog } from '../../../shared/delivery/webhooks/attempt-log.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { addPartitions } from '../../../shared/platform/database/partitioned-log.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { answered, claim, givenEndpoint, givenEvents, record } from '../../support/webhooks.ts';

let runtime: TestRuntime;
let endpoint: Awaited<ReturnType<typeof givenEndpoint>>;

beforeEach(async () => {
  runtime = await createTestRuntime();
  // A Monday behind what the migration found.
  runtime.clock.set('2099-01-05T10:00:00Z');
  endpoint = await givenEndpoint(runtime, 'http://127.0.0.1:9999/hook');
});
afterEach(() => runtime.stop());

/** An event whose delivery is attempted once, with this answer. */
async function givenAttempt(status: number): Promise<string> {
  await givenEvents(runtime, endpoint, 1);
  const [claimed] = await claim(runtime, 1);
  if (!claimed) throw new Error('nothing is due');
  await record(runtime, claimed, answered(status));
  return claimed.id;
}

const makePartitions = () => addPartitions(runtime.db.knex, ATTEMPT_LOG, runtime.clock.now());

/** The partition that each attempt is in. */
async function places(): Promise<Record<string, string>> {
  const { rows } = await runtime.db.knex.raw<{ rows: { id: string; place: string }[] }>(
    'select delivery_id as id, tableoid::regclass::text as place from webhook_attempts',
  );
  return Object.fromEntries(rows.map(({ id, place }) => [id, place]));
}

describe('the log of attempts', () => {
  it('is in partitions of a week, made ahead; what came before them moves in', async () => {
    const early = await givenAttempt(200);
    expect(await places()).toEqual({ [early]: 'webhook_attempts_default' });
    expect(await makePartitions()).toBe(4);
    expect(await makePartitions()).toBe(0);
    runtime.clock.advance(8 * DAY);
    const late = await givenAttempt(200);
    expect(await places()).toEqual({
      [early]: 'webhook_attempts_20990105',
      [late]: 'webhook_attempts_20990112',
    });
    expect(await makePartitions()).toBe(1);
  });

  it('drops a week when none of its deliveries is kept any more', async () => {
    await makePartitions();
    const old = await givenAttempt(200);
    const open = await givenAttempt(500);
    runtime.clock.advance(8 * DAY);
    const late = await givenAttempt(200);
    runtime.clock.advance(90 * DAY);
    expect(await pruneDeliveries(runtime, 10)).toBe(1);
    // The other of that week is still to be sent again.
    await pruneAttemptLog(runtime);
    expect(Object.keys(await places()).sort()).toEqual([old, open, late].sort());
    await runtime.db
      .knex('webhook_deliveries')
      .where({ id: open })
      .update({ state: 'exhausted', finished_at: addMs(runtime.clock.now(), -91 * DAY) });
    expect(await pruneDeliveries(runtime, 10)).toBe(1);
    expect(await pruneAttemptLog(runtime)).toBe(1);
    expect(Object.keys(await places())).toEqual([late]);
  });

  it('waits for nobody who reads it, and comes back later', async () => {
    const reading = await runtime.db.knex.transaction();
    await reading.raw('select count(*) from webhook_attempts');
    expect(await makePartitions()).toBe(0);
    await reading.commit();
    expect(await makePartitions()).toBe(4);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deleteExpired } from '../../../shared/operations/retention/delete-expired.ts';
import { DAY } from '../../../shared/platform/clock.ts';
import {
  type ClickBuffer,
  createClickBuffer,
} from '../../../shared/sales/referral/click-buffer.ts';
import { applyBatch, rollUpClicks } from '../../../shared/sales/referral/click-counts.ts';
import type { ReferralLink } from '../../../shared/sales/referral/referral-link.ts';
import { rollUpClicksTask } from '../../../workers/scheduled/derived-data.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { type Affiliate, givenAffiliate, givenLink } from '../../support/referrals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let buffer: ClickBuffer;
let affiliate: Affiliate;
let link: ReferralLink;

beforeEach(async () => {
  runtime = await createTestRuntime();
  buffer = createClickBuffer(runtime.redis, runtime.config);
  affiliate = await givenAffiliate(runtime);
  link = await givenLink(runtime, affiliate);
});
afterEach(() => runtime.stop());

const DAY_OF_CLICKS = '2026-11-20';
const click = (visitor: string, code = link.code, day = DAY_OF_CLICKS) =>
  buffer.visit(code, day, visitor);
const tick = () => rollUpClicksTask.run({ runtime, signal: new AbortController().signal });
const daily = async () => {
  const rows = await runtime.db.knex('referral_daily').orderBy('link_id');
  return rows.map((row) => [row.link_id, row.clicks, row.unique_clicks]);
};
/** Redis loses everything of this test. */
async function wipe() {
  const keys = await runtime.redis.keys(`${runtime.config.redisPrefix}*`);
  if (keys.length > 0) await runtime.redis.del(...keys);
}

describe('rolling clicks up', () => {
  it('adds the clicks counted since the last run', async () => {
    await click('a');
    await click('a');
    await click('b');
    await tick();
    expect(await daily()).toEqual([[link.id, 3, 2]]);
    await click('b');
    await click('c');
    await tick();
    await tick();
    expect(await daily()).toEqual([[link.id, 5, 3]]);
  });

  it('is run by the workers of the referrals queue', async () => {
    const fleet = startWorkers(runtime, { queues: ['referrals'], registry: [rollUpClicksTask] });
    try {
      await click('a');
      await eventually(daily, (rows) => rows.length === 1);
    } finally {
      await fleet.stop();
    }
    expect(await daily()).toEqual([[link.id, 1, 1]]);
  });

  it('counts clicks once when a worker is killed before writing its batch', async () => {
    await click('a');
    const taken = await buffer.takeBatch('killed');
    expect(taken?.counts).toHaveLength(1);
    await click('b');
    await tick();
    expect(await daily()).toEqual([[link.id, 1, 1]]);
    await tick();
    expect(await daily()).toEqual([[link.id, 2, 2]]);
  });

  it('counts clicks once when a worker is killed after writing its batch', async () => {
    await click('a');
    const taken = await buffer.takeBatch('killed');
    if (taken) await applyBatch(runtime, taken);
    await click('b');
    await tick();
    await tick();
    expect(await daily()).toEqual([[link.id, 2, 2]]);
  });

  it('counts nothing when the transaction is not committed', async () => {
    await click('a');
    const broken = {
      ...runtime,
      db: { ...runtime.db, transact: () => Promise.reject(new Error('no Postgres')) },
    };
    await expect(rollUpClicks(broken, buffer)).rejects.toThrow('no Postgres');
    await tick();
    expect(await daily()).toEqual([[link.id, 1, 1]]);
  });

  it('counts each click once when several workers run at the same time', async () => {
    let clicks = 0;
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let i = 0; i < 10; i += 1) {
          clicks += 1;
          await click(`visitor ${clicks}`);
          await rollUpClicks(runtime, buffer);
        }
      }),
    );
    await tick();
    const [[, counted, unique] = []] = await daily();
    expect(counted).toBe(60);
    expect(unique).toBe(60);
  });

  it('does not touch a later batch when a slow worker finishes', async () => {
    await click('a');
    const slow = await buffer.takeBatch('slow');
    await tick();
    await click('b');
    await buffer.takeBatch('next');
    if (slow) expect(await applyBatch(runtime, slow)).toBe(0);
    await buffer.dropBatch('slow');
    await tick();
    expect(await daily()).toEqual([[link.id, 2, 2]]);
  });

  it('keeps links and days apart and ignores deleted links', async () => {
    const other = await givenLink(runtime, affiliate);
    await click('a');
    await click('a', other.code);
    await click('a', other.code, '2026-11-21');
    await buffer.putTargets([{ ...link, id: 'lnk_gone', code: 'gone000000' }]);
    await click('a', 'gone000000');
    await tick();
    expect(await daily()).toEqual([
      [link.id, 1, 1],
      [other.id, 1, 1],
      [other.id, 1, 1],
    ]);
  });

  it('counts unique visitors within 3 percent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2_000 }), async (visitors) => {
        const { id, code } = await givenLink(runtime, affiliate);
        const marks = Array.from({ length: visitors }, (_, i) => `${id}/${i}`);
        await Promise.all([...marks, ...marks].map((mark) => click(mark, code)));
        await tick();
        const row = await runtime.db.knex('referral_daily').where({ link_id: id }).first();
        expect(row.clicks).toBe(2 * visitors);
        expect(Math.abs(row.unique_clicks - visitors)).toBeLessThanOrEqual(
          Math.max(1, visitors * 0.03),
        );
      }),
      { numRuns: 5 },
    );
  });
});

describe('rolling clicks up after a Redis wipe', () => {
  it('loses only the clicks that were not yet rolled up', async () => {
    await click('a');
    await tick();
    await click('b');
    await wipe();
    expect(await tick()).toEqual({ filled: 1, rolled_up: 0 });
    await click('c');
    await tick();
    expect(await daily()).toEqual([[link.id, 2, 2]]);
  });

  it('restores the targets of all links once', async () => {
    await tick();
    const more = await Promise.all(Array.from({ length: 5 }, () => givenLink(runtime, affiliate)));
    await wipe();
    expect(await click('a', more[4]?.code)).toBeNull();
    expect(await tick()).toEqual({ filled: 6, rolled_up: 0 });
    expect(await tick()).toEqual({ filled: 0, rolled_up: 0 });
    expect(await click('a', more[4]?.code)).toMatchObject({ id: more[4]?.id });
  });
});

describe('rolled-up batch IDs', () => {
  it('are deleted after a month', async () => {
    await click('a');
    await tick();
    expect(await deleteExpired(runtime)).toEqual({});
    runtime.clock.advance(31 * DAY);
    expect(await deleteExpired(runtime)).toEqual({ referral_click_batches: 1 });
  });
});

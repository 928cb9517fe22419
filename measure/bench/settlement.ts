import pg from 'pg';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../shared/settlement/statements/close-statement.ts';
import { givenPartner, type PartnerFixture } from '../../test/support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { type Figure, perSecond } from '../support/figures.ts';
import { givenDelivered, settleBySql } from './support/delivered-orders.ts';
import { scaled } from './support/settings.ts';

const ORDERS = 1_000_000;

/** Measures settling one partner's month, batch by batch, against the same rows by bare SQL at once. */
export async function benchSettlement(): Promise<Figure> {
  const count = scaled(ORDERS);
  const runtime = await createTestRuntime();
  const straight = new pg.Pool({ connectionString: runtime.config.databaseUrl, max: 1 });
  try {
    const limit = await measure(straight, runtime, count, (partner) =>
      settleBySql(straight, partner, runtime.clock.now()),
    );
    const ours = await measure(straight, runtime, count, async (partner) => {
      const until = addMs(runtime.clock.now(), -DAY / 24);
      const closed = await closePartnerPeriods(runtime, { ...partner, until });
      if (closed.length !== 1) throw new Error(`closed ${closed.length} statements`);
    });
    return {
      name: `Settlement of ${count.toLocaleString('en-US')} orders of one partner (orders, timeline, lines, events; in batches that may be stopped anywhere)`,
      unit: 'orders/s',
      ours: [ours],
      limit: [limit],
      limitName: 'the same rows by bare set-based SQL in one transaction',
      goal: { share: 0.4 },
    };
  } finally {
    await straight.end();
    await runtime.stop();
  }
}

/** Uses tables with only this round's rows, after a checkpoint: both sides find the disk in the same state. */
async function measure(
  pool: pg.Pool,
  runtime: TestRuntime,
  count: number,
  settle: (partner: PartnerFixture) => Promise<void>,
): Promise<number> {
  await pool.query('truncate orders, order_timeline, settlement_lines, events cascade');
  const partner = await givenPartner(runtime, { environment: 'LIVE' });
  await givenDelivered(pool, partner, count, runtime.clock.now());
  await pool.query('checkpoint');
  return perSecond(count, () => settle(partner));
}

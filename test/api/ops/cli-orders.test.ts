import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { runOps } from '../../support/ops-command.ts';
import { givenRecordedOrder } from '../../support/sales.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ TRANSFER_POLICY_SANDBOX: 'manual' });
});
afterAll(() => app?.stop());

async function answerOf(...args: string[]) {
  const result = await runOps(app.runtime, [...args, '--json']);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.json;
}

describe('ops commands for orders and listings', () => {
  it('deliver an order, settle it, and mark the settlement as paid', async () => {
    const { order, partner } = await givenRecordedOrder(app);
    const byOrder = ['--order', order.public_id];
    expect(await answerOf('order:start-transfer', ...byOrder)).toMatchObject({
      public_id: order.public_id,
      partner_id: partner.partnerId,
      status: 'TRANSFER_IN_PROGRESS',
    });
    expect(await answerOf('order:confirm-delivery', ...byOrder)).toMatchObject({
      status: 'TRANSFER_COMPLETED',
    });

    const fleet: WorkerProcess = startWorkers(app.runtime);
    try {
      const run = await answerOf(
        ...['settlement:run', '--environment', 'SANDBOX', '--partner', partner.partnerId],
        ...['--until', new Date().toISOString(), '--wait'],
      );
      expect(run).toMatchObject({ status: 'completed', partner_id: partner.partnerId });
      const [statement] = run.partners[0].statements;
      expect(statement).toMatchObject({
        status: 'closed',
        orders_count: 1,
        amount_owed_cents: order.amount_owed_cents,
      });
      expect(await answerOf('settlement:run-status', '--run', run.run_id)).toEqual(run);
      const paid = ['settlement:mark-paid', '--id', statement.id, '--reference', 'wire 1'];
      expect(await answerOf(...paid)).toMatchObject({ id: statement.id, status: 'paid' });
    } finally {
      await fleet.stop();
    }
    const settled = await partner.client.get(`/v1/orders/${order.public_id}`).expect(200);
    expect(settled.body.status).toBe('SETTLED');
    expect(await answerOf('ledger:check')).toEqual({
      ok: true,
      entries: expect.any(Number),
      imbalances: [],
    });
  });

  it('exit with an error if the ledger does not balance', async () => {
    const { order } = await givenRecordedOrder(app);
    const orders = app.runtime.db.knex('orders').where({ id: order.public_id });
    await orders.clone().update({ commission_cents: order.commission_cents + 1 });
    const check = await runOps(app.runtime, ['ledger:check', '--json']);
    await orders.clone().update({ commission_cents: order.commission_cents });
    expect(check).toMatchObject({ code: 1, stderr: '', json: { ok: false } });
    expect(check.json.imbalances.length).toBeGreaterThan(0);
  });

  it('leave the listing of a sold domain as it is', async () => {
    const { listing } = await givenRecordedOrder(app);
    const where = ['--environment', 'SANDBOX', '--domain', listing.domain];
    const stored = async () => [
      await app.runtime.db.knex('listings').where({ id: listing.id }).first(),
      await app.runtime.db.knex('search_documents').where({ listing_id: listing.id }),
    ];
    const before = await stored();
    for (const [command, reason] of [
      [['listing:add', ...where, '--price-cents', '1'], 'domain_sold'],
      [['listing:price', ...where, '--price-cents', '1'], 'domain_sold'],
      [['listing:delist', ...where], 'domain_sold'],
      [['listing:relist', ...where], 'domain_sold'],
      [['listing:relist', ...where, '--returned'], 'domain_sold'],
    ] as const) {
      const refused = await runOps(app.runtime, [...command, '--json']);
      expect([command[0], refused]).toMatchObject([
        command[0],
        { code: 1, stdout: '', error: { code: 'conflict', details: { reason } } },
      ]);
      expect(refused.error.message).toContain('is sold');
    }
    const file = join(tmpdir(), `ops-import-sold-${process.pid}.csv`);
    await writeFile(file, `domain,price_cents,currency\n${listing.domain},1,USD\n`);
    const args = ['listing:import', '--environment', 'SANDBOX', '--file', file];
    // With nothing imported, the command fails.
    expect(await runOps(app.runtime, [...args, '--json'])).toMatchObject({
      code: 1,
      json: {
        updated: 0,
        rejected: 1,
        rejections: [{ line: 2, reason: `${listing.domain} is sold` }],
      },
    });
    expect(await stored()).toEqual(before);
    const trail = await app.runtime.db
      .knex('audit_log')
      .where({ subject: `SANDBOX:${listing.domain}` });
    expect(trail).toEqual([]);
  });

  it('import a file of listings, and importing it again changes nothing', async () => {
    const file = join(tmpdir(), `ops-import-${process.pid}.csv`);
    await writeFile(
      file,
      'domain,price_cents,currency\nimported-one.com,100000,USD\nimported-two.com,-5,USD\n',
    );
    const args = ['listing:import', '--environment', 'SANDBOX', '--file', file];
    expect(await answerOf(...args)).toEqual({
      inserted: 1,
      updated: 0,
      unchanged: 0,
      rejected: 1,
      rejections: [
        { line: 3, reason: expect.stringContaining('price_cents'), row: 'imported-two.com,-5,USD' },
      ],
    });
    expect(await answerOf(...args)).toMatchObject({
      inserted: 0,
      updated: 0,
      unchanged: 1,
      rejected: 1,
    });
    const gone = await runOps(app.runtime, [...args.slice(0, -1), `${file}.not`, '--json']);
    expect(gone).toMatchObject({
      code: 1,
      error: { code: 'validation_error', details: [{ path: '--file' }] },
    });
  });
});

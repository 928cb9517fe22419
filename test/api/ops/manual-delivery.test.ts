import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenVisitor, readable } from '../../support/console.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { givenSale } from '../../support/transfers.ts';

let app: TestApp;
let ops: OpsClient;
let visit: Awaited<ReturnType<typeof givenVisitor>>;

beforeAll(async () => {
  app = await startTestApp();
  ops = await givenOps(app);
  visit = await givenVisitor(app);
});
afterAll(() => app.stop());

const underWay = async () => {
  const { order } = await givenSale(app.runtime, { environment: 'LIVE' });
  await ops.post(`/orders/${order.id}/start-transfer`);
  return order.id;
};
const check = (id: string, body: object) => ops.post(`/orders/${id}/checks`, body);
const pageOf = async (id: string) => readable((await visit.visit(`/orders/${id}`)).text);

describe('a manual delivery', () => {
  it('has a checklist of its steps that records who completed each', async () => {
    const id = await underWay();
    const before = await pageOf(id);
    expect(before).toContain('Unlocked at its current registrar : not done');
    const { status, body } = await check(id, { checks: ['unlocked', 'code'] });
    expect([status, body.checks.map(({ name }: { name: string }) => name)]).toEqual([
      200,
      ['unlocked', 'code'],
    ]);
    expect(body.checks[0].by).toMatch(/^usr_/);
    const after = await pageOf(id);
    expect(after).toContain(`Unlocked at its current registrar : done ${body.checks[0].by}`);
    expect(after).toContain('Buyer told where the domain is, and how to manage it : not done');
    const audit = await app.runtime.db
      .knex('audit_log')
      .where({ subject: id, action: 'order:check' });
    expect(audit).toHaveLength(1);
  });

  it('keeps who checked a step first, and a check can be undone', async () => {
    const id = await underWay();
    const { body: first } = await check(id, { checks: ['moved'] });
    const other = await givenOps(app);
    const again = await other.post(`/orders/${id}/checks`, { checks: ['moved'] });
    expect(again.body.checks).toEqual(first.checks);
    const { body: undone } = await check(id, { checks: ['moved'], undo: true });
    expect(undone.checks).toEqual([]);
  });

  it('can be confirmed with any steps checked, and the checklist is then closed', async () => {
    const id = await underWay();
    await check(id, { checks: ['contact'] });
    expect((await ops.post(`/orders/${id}/confirm-delivery`)).status).toBe(200);
    expect((await check(id, { checks: ['buyer_told'] })).status).toBe(409);
    expect(await pageOf(id)).toContain('Registrant entered as in the order : done');
  });

  it('has no checklist in the sandbox', async () => {
    const { order } = await givenSale(app.runtime, { environment: 'SANDBOX' });
    expect((await check(order.id, { checks: ['moved'] })).status).toBe(409);
    expect(await pageOf(order.id)).not.toContain('Unlocked at its current registrar');
  });

  it('accepts known checklist steps only', async () => {
    const id = await underWay();
    for (const checks of [[], ['coffee']]) expect((await check(id, { checks })).status).toBe(400);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { bringTo, givenCase } from '../../support/brokerage.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';

let app: TestApp;
let ops: OpsClient;

beforeAll(async () => {
  app = await startTestApp();
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

describe('brokerage in the ops API', () => {
  it('moves a case to a deal, shows it, and records each step in the audit log', async () => {
    const partner = await app.partner();
    const { id, domain } = await givenCase(app.runtime, partner);
    const move = (body: object) => ops.post(`/brokerage/${id}/move`, body);

    expect((await move({ to: 'CONTACTING_OWNER' })).status).toBe(200);
    const named = await move({ to: 'NEGOTIATING', offer_cents: 420_000 });
    expect(named.body).toMatchObject({
      case_id: id,
      status: 'NEGOTIATING',
      latest_offer_cents: 420_000,
      buyer_email: 'buyer@example.com',
      partner_id: partner.partnerId,
    });
    await move({ to: 'AGREED' });
    const done = await move({ to: 'COMPLETED', deal_price_cents: 420_000 });
    expect(done.body).toMatchObject({
      status: 'COMPLETED',
      deal_price_cents: 420_000,
      commission_cents: 63_000,
      order_id: expect.stringMatching(/^ord_/),
    });
    const shown = await ops.get(`/brokerage/${id}`);
    expect(shown.body).toMatchObject({ domain, partner_id: partner.partnerId });
    expect(shown.body.timeline).toHaveLength(5);

    const trail = await app.runtime.db.knex('audit_log').where({ subject: id }).orderBy('id');
    expect(trail.map(({ action, before, after }) => [action, before.status, after.status])).toEqual(
      [
        ['brokerage:move', 'OPEN', 'CONTACTING_OWNER'],
        ['brokerage:move', 'CONTACTING_OWNER', 'NEGOTIATING'],
        ['brokerage:move', 'NEGOTIATING', 'AGREED'],
        ['brokerage:move', 'AGREED', 'COMPLETED'],
      ],
    );
    expect(JSON.stringify(trail)).not.toContain('buyer@example.com');
  });

  it('rejects a deal without a price, a move that skips a step, and an unknown case', async () => {
    const { id } = await givenCase(app.runtime, await app.partner());
    await bringTo(app.runtime, id, 'AGREED');
    const without = await ops.post(`/brokerage/${id}/move`, { to: 'COMPLETED' });
    expect([without.status, without.body.error.details]).toEqual([
      400,
      [{ path: '/deal_price_cents', message: 'is required for COMPLETED' }],
    ]);
    const back = await ops.post(`/brokerage/${id}/move`, { to: 'OPEN' });
    expect([back.status, back.body.error.details]).toEqual([409, { reason: 'invalid_state' }]);
    const unknown = await ops.post('/brokerage/brk_none/move', { to: 'CANCELLED' });
    expect(unknown.status).toBe(404);
  });

  it('records a deal at the agreed price only', async () => {
    const { id } = await givenCase(app.runtime, await app.partner());
    const move = (body: object) => ops.post(`/brokerage/${id}/move`, body);
    await move({ to: 'CONTACTING_OWNER' });
    await move({ to: 'NEGOTIATING', offer_cents: 420_000 });
    await move({ to: 'AGREED' });
    const other = await move({ to: 'COMPLETED', deal_price_cents: 42_000 });
    expect([other.status, other.body.error.details]).toEqual([
      400,
      [{ path: '/deal_price_cents', message: 'must be the agreed price of $4,200.00' }],
    ]);
    expect((await move({ to: 'COMPLETED', deal_price_cents: 420_000 })).status).toBe(200);
  });

  it('lists open cases, oldest first, or those of one status', async () => {
    const partner = await app.partner();
    const first = await givenCase(app.runtime, partner);
    const second = await givenCase(app.runtime, partner);
    const ended = await givenCase(app.runtime, partner);
    await bringTo(app.runtime, ended.id, 'CLOSED_NO_DEAL');
    const ids = ({ body }: { body: { cases: { case_id: string }[] } }) =>
      body.cases.map((each) => each.case_id);
    const open = ids(await ops.get('/brokerage'));
    expect(open.slice(-2)).toEqual([first.id, second.id]);
    expect(open).not.toContain(ended.id);
    expect(ids(await ops.get('/brokerage?status=CLOSED_NO_DEAL'))).toContain(ended.id);
    expect((await ops.get('/brokerage?status=DONE')).status).toBe(400);
  });
});

describe('the brokerage commands', () => {
  it('move, show and list cases', async () => {
    const { id } = await givenCase(app.runtime, await app.partner());
    await bringTo(app.runtime, id, 'AGREED');
    const answerOf = async (...args: string[]) => {
      const result = await runOps(app.runtime, [...args, '--json']);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      return result.json;
    };
    const done = await answerOf(
      ...['brokerage:move', '--case', id, '--to', 'COMPLETED', '--deal-price-cents', '250000'],
    );
    expect(done).toMatchObject({ case_id: id, status: 'COMPLETED', deal_price_cents: 250_000 });
    expect(await answerOf('brokerage:show', '--case', id)).toMatchObject({ case_id: id });
    const { cases } = await answerOf('brokerage:list', '--status', 'COMPLETED');
    expect(cases.map((each: { case_id: string }) => each.case_id)).toContain(id);

    const again = await runOps(app.runtime, [
      ...['brokerage:move', '--case', id, '--to', 'COMPLETED', '--deal-price-cents', '250000'],
      '--json',
    ]);
    expect([again.code, again.error.code]).toEqual([1, 'conflict']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moveTransferOut } from '../../../../shared/domains/transfers-out/move-transfer-out.ts';
import { insertTransferOut } from '../../../../shared/domains/transfers-out/transfer-out.store.ts';
import { runImport } from '../../../../shared/market/inventory/import-run.ts';
import { addMs, DAY } from '../../../../shared/platform/clock.ts';
import { newId } from '../../../../shared/platform/ids.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { givenBulkJob, givenOwnerOf } from '../../../support/bulk.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../../support/console.ts';
import { givenListing, givenPartner } from '../../../support/factories.ts';
import { CARDS, card, givenSession, payFor } from '../../../support/payments.ts';
import { givenAffiliate, givenLink, givenReferredOrder } from '../../../support/referrals.ts';

let app: TestApp;
let ops: ConsoleVisitor;

beforeAll(async () => {
  app = await startTestApp();
  ops = await givenVisitor(app);
});
afterAll(() => app?.stop());

const shown = async (path: string) => readable((await ops.visit(path)).text);

describe('the console list of listings', () => {
  it('filters by prefix and environment and sorts both ways', async () => {
    for (const domain of ['meadow-a.com', 'meadow-b.com', 'other.com']) {
      await givenListing(app.runtime, { domain, environment: 'SANDBOX' });
    }
    const path = '/listings?environment=SANDBOX&domain=Meadow';
    expect(await shown(path)).toMatch(/meadow-a\.com.*meadow-b\.com/);
    expect(await shown(`${path}&sort=z_to_a`)).toMatch(/meadow-b\.com.*meadow-a\.com/);
    expect(await shown(path)).not.toContain('other.com');
    expect(await shown('/listings')).not.toContain('meadow-a.com');
    expect(await shown('/listings?environment=SANDBOX&domain=%25')).toContain('No listings match');
  });

  it('adds, reprices and delists a listing', async () => {
    const added = await ops.act(
      'listing-add',
      {},
      {
        environment: 'SANDBOX',
        domain: 'quietharbor.com',
        price_cents: '4,500.00',
        keywords: 'harbor, sea',
      },
    );
    expect(await ops.follow(added)).toMatchObject({
      text: expect.stringContaining('quietharbor.com is on the market.'),
    });
    const about = { environment: 'SANDBOX', domain: 'quietharbor.com' };
    const path = '/listings?environment=SANDBOX&domain=quiet';
    expect(await shown(path)).toContain('$4,500.00');
    await ops.act('listing-price', about, { price_cents: '3900' });
    expect(await shown(path)).toContain('$3,900.00');
    await ops.act('listing-delist', about);
    expect(await shown(path)).toContain('Delisted');
    expect((await ops.visit(path)).text).not.toContain('/ops/do/listing-price');
    const trail = await app.runtime.db
      .knex('audit_log')
      .where({ subject: 'SANDBOX:quietharbor.com' })
      .orderBy('id')
      .pluck('action');
    expect(trail).toEqual(['listing:add', 'listing:price', 'listing:delist']);
  });
});

describe('the console page of a settlement run', () => {
  it('pages through its partners', async () => {
    const { knex } = app.runtime.db;
    const now = app.runtime.clock.now();
    const run = {
      id: newId('settlementRun', now),
      environment: 'SANDBOX',
      until: now,
      requested_by: 'test',
      status: 'running',
      created_at: now,
    };
    const partners = Array.from({ length: 51 }, (_, n) => ({
      id: newId('partner', addMs(now, n)),
      name: `Partner ${n}`,
      created_at: now,
    }));
    await knex('partners').insert(partners);
    await knex('settlement_runs').insert(run);
    await knex('settlement_run_partners').insert(
      partners.map(({ id }) => ({ run_id: run.id, partner_id: id, state: 'queued' })),
    );
    const first = await ops.visit(`/settlement-runs/${run.id}`);
    const last = partners.at(-1)?.id;
    expect(first.text).toContain(`${partners[49]?.id}`);
    expect(first.text).not.toContain(`>${last}<`);
    const [, next = ''] = /href="\/ops([^"]*)" rel="next"/.exec(first.text) ?? [];
    const second = await ops.visit(next);
    expect(second.text).toContain(`>${last}<`);
    expect(second.text).not.toContain('rel="next"');
  });
});

describe('the console list of failed sign-ins', () => {
  it('is linked from the audit log, and for one account from its page', async () => {
    const { userId, email } = ops;
    await ops.post('/sign-in', { email, password: 'wrong password' });
    await ops.post('/sign-in', { email: 'nobody@example.com', password: 'wrong password' });
    const list = '/people/failed-sign-ins';
    expect((await ops.visit('/audit')).text).toContain(`href="/ops${list}"`);
    expect(await shown(list)).toMatch(/Wrong password None.*Wrong password ops/);
    expect((await ops.visit(list)).text).not.toContain('nobody@example.com');
    const own = `${list}?account=${userId}`;
    expect((await ops.visit(`/people/${userId}`)).text).toContain(`href="/ops${own}"`);
    expect(await shown(own)).toContain(`Wrong password ${email}`);
    expect(await shown(own)).not.toContain('Wrong password None');
    expect(await shown(`${own}&to=2020-01-01`)).toContain('No failed sign-ins.');
    expect((await ops.visit(`${list}?cursor=-1`)).status).toBe(400);
  });
});

describe('an import of listings in the console', () => {
  const send = async (name: string, content: string, environment = 'SANDBOX') => {
    const body = new FormData();
    body.set('environment', environment);
    body.set('file', new File([content], name));
    return ops.upload('/listings/import', body);
  };
  const idOf = (answer: { headers: Headers }) =>
    Number(/\/ops\/listings\/imports\/(\d+)$/.exec(answer.headers.get('Location') ?? '')?.[1]);
  /** Runs an import as a worker does. A second run has nothing to do. */
  const work = async (id: number) => {
    const { knex } = app.runtime.db;
    const row = await knex('outbox')
      .where({ dedupe_key: `import-listings:${id}` })
      .first();
    const job = { outboxId: Number(row.id), epoch: row.epoch };
    await runImport(app.runtime, job, id);
    await expect(runImport(app.runtime, job, id)).rejects.toThrow('done elsewhere');
  };

  it('is processed by a worker, and lists rejected rows with reasons', async () => {
    const answer = await send(
      'my "list".csv',
      'domain,price_cents\nimported-a.com,120000\nimported-b.com,-5\n=cmd\u202e<b>,100\nimported-c.com,90000\n',
    );
    expect(answer.status).toBe(303);
    const id = idOf(answer);
    const path = `/listings/imports/${id}`;
    expect((await ops.visit(path)).text).toContain('<progress max="6" value="0">');
    await work(id);
    const text = await shown(path);
    expect(text).toMatch(/State Completed .*New 2 .*Refused 2/);
    expect(text).toMatch(/Refused rows .* 3 price_cents .* imported-b\.com,-5 /);
    expect(await ops.visit(path)).toMatchObject({
      text: expect.stringContaining('<code>=cmd\\u202e&lt;b&gt;,100</code>'),
    });
    expect(await shown('/listings?environment=SANDBOX&domain=imported-')).toMatch(
      /imported-a\.com.*imported-c\.com/,
    );
    const { text: file } = await ops.visit(`${path}?format=csv`);
    expect(file).toMatch(/^line,reason,row\r\n3,"price_cents .*","imported-b\.com,-5"\r\n4,/);
    expect(await shown('/listings/import')).toContain('my "list".csv');
    const trail = await app.runtime.db
      .knex('audit_log')
      .where({ action: 'listing:import', actor: ops.userId });
    expect(trail).toMatchObject([{ subject: 'SANDBOX', after: { inserted: 2, rejected: 2 } }]);
    const { content } = await app.runtime.db.knex('listing_imports').where({ id }).first();
    expect(content).toBeNull();
  });

  it('explains why a file cannot be read', async () => {
    const id = idOf(await send('names.csv', 'name\nimported-z.com\n'));
    await work(id);
    const text = await shown(`/listings/imports/${id}`);
    expect(text).toContain(
      'Nothing was imported The file must start with a header line that names domain, price_cents.',
    );
    expect(text).toContain('Failed');
  });

  it('requires a file and an environment', async () => {
    expect((await send('empty.csv', ' ')).status).toBe(400);
    expect((await send('a.csv', 'domain,price_cents\n', 'PROD')).status).toBe(400);
    expect((await ops.post('/listings/import', { environment: 'LIVE' })).status).toBe(400);
    expect((await send('big.csv', 'x'.repeat(6_000_000))).status).toBe(413);
  });
});

describe('console lists', () => {
  it('show the outcome of each payment attempt', async () => {
    const session = await givenSession(app.runtime);
    await payFor(app.runtime, session, card(CARDS.declined));
    await payFor(app.runtime, session, card(CARDS.succeeds));
    const text = await shown('/payments');
    expect(text).toContain(session.domain);
    expect(text).toMatch(/Succeeded.*Failed/);
    expect(await shown('/payments?status=refunded')).not.toContain(session.domain);
    expect(await shown('/payments?environment=LIVE')).not.toContain(session.domain);
  });

  it('show referral sales with their commission, and links with their clicks', async () => {
    const affiliate = await givenAffiliate(app.runtime);
    const { code, id } = await givenLink(app.runtime, affiliate);
    const seller = await givenPartner(app.runtime);
    const order = await givenReferredOrder(app.runtime, seller, code, { priceCents: 200_000 });
    const sales = await shown('/referrals');
    expect(sales).toContain(order.domain);
    expect(sales).toContain('$2,000.00 ');
    expect(sales).toContain('Accrued');
    await app.runtime.db.knex('referral_daily').insert({
      link_id: id,
      day: '2026-11-01',
      partner_id: affiliate.partnerId,
      environment: affiliate.environment,
      clicks: 1_234,
    });
    expect(await shown('/referrals/links')).toContain('1,234');
  });

  it('show the state of transfers out, linked from the list of domains', async () => {
    const owner = await givenOwnerOf(app.runtime, ['moving-one.com', 'staying-one.com']);
    const { db, clock } = app.runtime;
    const now = clock.now();
    const id = newId('transferOut', now);
    const { userId } = owner;
    const out = await insertTransferOut.one(db.knex, { id, domain: 'moving-one.com', userId, now });
    const expiresAt = addMs(now, 14 * DAY);
    await db.transact((uow) =>
      moveTransferOut(uow, out, 'issue_code', { actor: 'test', expiresAt }),
    );
    const text = await shown('/transfers-out?domain=moving&status=code_issued');
    expect(text).toContain(owner.email);
    expect(text).toContain('The other registrar asks for the domain.');
    expect(await shown('/transfers-out?domain=moving&status=left')).toContain(
      'No transfers match.',
    );
    const domains = (await ops.visit(`/owners?user=${userId}`)).text;
    expect(domains.match(/\/ops\/transfers-out\?domain=[\w.-]+/g)).toEqual([
      '/ops/transfers-out?domain=moving-one.com',
    ]);
  });

  it('show the owner of a domain, and the state of each domain in a bulk job', async () => {
    const owner = await givenOwnerOf(app.runtime, ['lantern-one.com', 'lantern-two.com']);
    await givenOwnerOf(app.runtime, ['somebody-elses.com']);
    const job = await givenBulkJob(
      app.runtime,
      owner,
      { op: 'lock', params: { enabled: true } },
      { domains: [...owner.domains, 'not a domain'] },
    );
    expect(await shown('/owners?domain=lantern-o')).toContain(owner.email);
    const theirs = await shown(`/owners?user=${owner.userId}`);
    expect(theirs).toContain('lantern-two.com');
    expect(theirs).not.toContain('somebody-elses.com');
    expect(await shown(`/bulk-jobs?user=${owner.userId}`)).toContain('Lock');
    const { headers } = await ops.visit(`/search?q=${job.id}`);
    expect(headers.get('Location')).toBe(`/ops/bulk-jobs/${job.id}`);
    const text = await shown(`/bulk-jobs/${job.id}`);
    expect(text).toContain('lantern-one.com Pending');
    expect(text).toContain('not a domain');
    expect(text).toContain('Still running');
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../support/console.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';

let app: TestApp;
let ops: OpsClient;
let first: ConsoleVisitor;
let second: ConsoleVisitor;

beforeAll(async () => {
  app = await startTestApp();
  ops = await givenOps(app);
  [first, second] = [await givenVisitor(app, 'operator'), await givenVisitor(app, 'operator')];
});
afterAll(() => app?.stop());

it('a legal hold placed by one operator in the console can be lifted only by another', async () => {
  const { domain } = await givenListing(app.runtime, { environment: 'LIVE' });
  const { client } = await app.partner({ environment: 'LIVE' });
  const order = { domain, kind: 'udrp', case_reference: 'D2026-0001' };
  const placed = await first.follow(await first.act('legal-hold-place', {}, order));
  expect(readable(placed.text)).toContain(`${domain} is on legal hold.`);
  expect(readable((await first.visit('/legal-holds')).text)).toContain(`${domain} UDRP D2026-0001`);

  const refused = await client.post('/v1/quotes', { body: { domain } }).expect(409);
  expect(refused.body.error.details).toEqual({ reason: 'legal_hold' });
  expect(JSON.stringify(refused.body)).not.toMatch(/D2026|udrp/i);

  const [hold] = (await ops.get('/legal-holds')).body.legal_holds;
  expect(hold).toMatchObject({ domain, kind: 'udrp', case_reference: 'D2026-0001' });
  const own = await first.act('legal-hold-lift', { hold: hold.id });
  expect([own.status, own.text.includes('Another person has to lift this hold')]).toEqual([
    409,
    true,
  ]);
  const lifted = await second.follow(await second.act('legal-hold-lift', { hold: hold.id }));
  expect(readable(lifted.text)).toContain(`You lifted the hold on ${domain}.`);
  expect((await ops.get('/legal-holds')).body.legal_holds).toEqual([]);
  await client.post('/v1/quotes', { body: { domain } }).expect(201);
  const trail = await app.runtime.db
    .knex('audit_log')
    .where({ subject: `LIVE:${domain}` })
    .orderBy('id')
    .pluck('action');
  expect(trail).toEqual(['legal-hold:place', 'legal-hold:lift']);
});

it('the command line places legal holds on unknown domains, in any spelling', async () => {
  const place = (name: string) =>
    runOps(app.runtime, [
      'legal-hold:place',
      ...['--domain', name, '--kind', 'court_order', '--case-reference', '2 O 17/26', '--json'],
    ]);
  const { code, stdout } = await place('Bücherwald.com');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    domain: 'xn--bcherwald-q9a.com',
    case_reference: '2 O 17/26',
    lifted_at: null,
  });
  expect((await place('xn--bcherwald-q9a.com')).code).not.toBe(0);
  expect((await ops.post('/legal-holds/lgh_none/lift')).status).toBe(404);
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sendStaffDigest } from '../../../shared/people/notices/send-notices.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../support/console.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';

let app: TestApp;
let visitor: ConsoleVisitor;
let ops: OpsClient;

beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on' });
  visitor = await givenVisitor(app);
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

const RAW = '<epp><msgQ count="1" id="102"><msg>Transfer & <b>more</b></msg></msgQ></epp>';

it('staff see an unprocessed registry message until someone marks it as read', async () => {
  const { db, clock } = app.runtime;
  const recorded_at = addMs(clock.now(), -2 * DAY);
  const row = { registry: 'gaining', recorded_at, text: 'Transfer' };
  await db.knex('registrar_messages').insert([
    { ...row, id: '101' },
    { ...row, id: '102', domain: 'shop.com', fault: 'A transfer without acDate.', raw: RAW },
  ]);
  const staff = { partner_id: null, email: 'staff@market.example', created_at: recorded_at };
  await db.knex('mail_contacts').insert(staff);

  const counter = async () => readable((await visitor.visit('/')).text);
  expect(await counter()).toContain('1 Registry messages to read');
  expect(await app.runtime.figures.work(0)).toMatchObject({
    LIVE: { registryMessages: 1 },
    SANDBOX: { registryMessages: 0 },
  });
  await sendStaffDigest(app.runtime);
  const mail = await db.knex('mails').where({ kind: 'staff-digest' }).first('data');
  expect(mail?.data.waiting).toEqual([{ what: 'Registry messages to read', count: 1 }]);

  const { text: page } = await visitor.visit('/registry-messages');
  expect(readable(page)).toContain(`A transfer without acDate. What the registry sent ${RAW}`);
  expect(page).not.toContain('<b>more</b>');
  expect((await ops.get('/registry-messages')).body.messages).toMatchObject([
    { id: '102', domain: 'shop.com', fault: 'A transfer without acDate.', raw: RAW, read_at: null },
  ]);

  const done = await visitor.act('registry-mark-message-read', { message: '102' });
  expect(readable((await visitor.follow(done)).text)).toContain('You marked message 102 as read.');
  expect((await ops.get('/registry-messages')).body.messages).toEqual([]);
  expect((await ops.post('/registry-messages/102/mark-read')).status).toBe(200);
  expect((await ops.post('/registry-messages/101/mark-read')).status).toBe(404);
  // The page may show figures from a second ago.
  await app.runtime.figures.work(0);
  expect(await counter()).toContain('0 Registry messages to read');
  const trail = await db.knex('audit_log').where({ subject: 'gaining:102' }).pluck('action');
  expect(trail).toEqual(['registry:mark-message-read']);
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sendStaffDigest } from '../../../shared/people/notices/send-notices.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, givenSession, sendForm } from '../../support/checkout.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../support/console.ts';

let app: TestApp;
let visitor: ConsoleVisitor;

beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on', REVIEW_COUNTRIES: 'GB' });
  visitor = await givenVisitor(app);
});
afterAll(() => app?.stop());

async function givenHeld(): Promise<{ id: string; domain: string }> {
  const { client } = await app.partner({ environment: 'LIVE' });
  const session = await givenSession(app, client, { environment: 'LIVE' });
  await sendForm(session.url, 'pay', { ...buyerWith(CARDS.good), country: 'GB' });
  return session;
}

it('staff can see, approve and decline purchases in review, and are reminded of old ones', async () => {
  const [cleared, declined] = [await givenHeld(), await givenHeld()];
  const { db, clock } = app.runtime;
  const waiting = async () => (await app.runtime.figures.work(0)).LIVE.checkoutsInReview;
  expect(await waiting()).toBe(2);
  expect(readable((await visitor.visit('/')).text)).toContain('2 Purchases in review');

  await db
    .knex('mail_contacts')
    .insert({ partner_id: null, email: 'staff@market.example', created_at: clock.now() });
  const old = { review_since: addMs(clock.now(), -2 * DAY) };
  await db.knex('checkout_sessions').where({ id: cleared.id }).update(old);
  await sendStaffDigest(app.runtime);
  const mail = await db.knex('mails').where({ kind: 'staff-digest' }).first('data');
  expect(mail?.data.waiting).toEqual([{ what: 'Purchases in review before payment', count: 1 }]);

  const list = readable((await visitor.visit('/review/checkouts')).text);
  for (const { domain } of [cleared, declined]) expect(list).toContain(domain);
  expect(readable((await visitor.visit('/review')).text)).not.toContain(cleared.domain);
  const sandbox = await visitor.visit('/review/checkouts?environment=SANDBOX');
  expect(readable(sandbox.text)).toContain('No purchases to review.');

  const asked = await visitor.visit(`/do/checkout-clear?session=${cleared.id}`);
  expect(readable(asked.text)).toContain('Held for Country');
  const yes = await visitor.act('checkout-clear', { session: cleared.id });
  expect(readable((await visitor.follow(yes)).text)).toContain('is approved. The buyer can pay.');
  const no = await visitor.act('checkout-decline', { session: declined.id });
  expect(readable((await visitor.follow(no)).text)).toContain(`${declined.domain} is declined.`);
  expect(await waiting()).toBe(0);
  const trail = await db.knex('audit_log').whereIn('subject', [cleared.id, declined.id]);
  expect(trail.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
    {
      action: 'checkout:clear',
      before: { status: 'open', in_review_for: ['country'], cleared: [] },
      after: { status: 'open', in_review_for: [], cleared: ['country'] },
    },
    {
      action: 'checkout:decline',
      before: { status: 'open', in_review_for: ['country'], cleared: [] },
      after: { status: 'cancelled', in_review_for: [], cleared: [] },
    },
  ]);
});

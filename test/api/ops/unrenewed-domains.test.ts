import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { countOpenWork } from '../../../shared/operations/monitoring/console-read-model.ts';
import { sendStaffDigest } from '../../../shared/people/notices/send-notices.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOwnerOf } from '../../support/bulk.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../support/console.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOps } from '../../support/ops-client.ts';
import { givenSale } from '../../support/transfers.ts';

let app: TestApp;
let visitor: ConsoleVisitor;

beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on' });
  visitor = await givenVisitor(app);
});
afterAll(() => app.stop());

it('staff see domains that should have been renewed automatically, and are reminded of them', async () => {
  const { db, clock } = app.runtime;
  const { domains } = await givenOwnerOf(app.runtime, 8);
  const [
    missed = '',
    ended = '',
    off = '',
    soon = '',
    later = '',
    sold = '',
    bought = '',
    old = '',
  ] = domains;
  const set = (domain: string, days: number, row: object = {}) =>
    db
      .knex('owned_domains')
      .where({ domain })
      .update({
        auto_renew: true,
        expires_at: addMs(clock.now(), days * DAY),
        ...row,
      });
  const reason = 'This is a premium domain. Confirm its price to renew it.';
  await set(missed, 20, { renewal_fault: reason });
  await set(ended, -10);
  await set(off, 20, { auto_renew: false });
  // The next run may still renew it.
  await set(soon, 29.5);
  await set(later, 200);
  await set(sold, 20);
  await givenListing(app.runtime, { domain: sold, environment: 'LIVE', status: 'sold' });
  // Its owner pays for renewals, and is told when one fails.
  await set(bought, 20, { bought_with: (await givenSale(app.runtime)).order.id });
  await set(old, -40);

  const page = readable((await visitor.visit('/owners?renewal=missed')).text);
  expect(domains.filter((domain) => page.includes(domain)).sort()).toEqual([missed, ended].sort());
  expect(page).toContain('remind the owner to confirm the price');
  expect(page).toContain(reason);
  const ops = await givenOps(app);
  const listed = (await ops.get('/missed-renewals')).body.domains;
  expect(listed).toMatchObject(
    [
      { domain: missed, reason },
      { domain: ended, reason: null },
    ].sort((one, other) => (one.domain < other.domain ? -1 : 1)),
  );

  const where = (registrarLive: 'epp' | 'manual') => ({
    ...app.runtime,
    config: { ...app.runtime.config, registrarLive },
  });
  expect((await countOpenWork(where('epp'))).LIVE.domainsNotRenewed).toBe(2);
  expect((await countOpenWork(where('manual'))).LIVE.domainsNotRenewed).toBe(0);

  const staff = { partner_id: null, email: 'staff@market.example', created_at: clock.now() };
  await db.knex('mail_contacts').insert(staff);
  await sendStaffDigest(where('epp'));
  const mail = await db.knex('mails').where({ kind: 'staff-digest' }).first('data');
  expect(mail?.data.waiting).toContainEqual({
    what: 'Failed auto-renewals',
    count: 2,
  });
});

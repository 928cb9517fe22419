import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Money } from '../../../../shared/platform/money.ts';
import { createPayout } from '../../../../shared/settlement/payouts/create-payouts.ts';
import { setPayoutAccount } from '../../../../shared/settlement/payouts/payout-account.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../../support/console.ts';
import { givenPartner } from '../../../support/factories.ts';

let app: TestApp;
let first: ConsoleVisitor;
let second: ConsoleVisitor;

beforeAll(async () => {
  app = await startTestApp({ PAYOUT_APPROVAL_OVER_CENTS: '100000' });
  [first, second] = [await givenVisitor(app, 'finance'), await givenVisitor(app, 'finance')];
});
afterAll(() => app?.stop());

const buttons = async (who: ConsoleVisitor) =>
  [...(await who.visit('/payouts')).text.matchAll(/\/ops\/do\/(payout-[\w-]+)/g)].map(
    ([, name]) => name,
  );

it('the console requires one person to approve a large payout and another to pay it', async () => {
  const { partnerId } = await givenPartner(app.runtime);
  const balance = { source: 'referral' as const, amount: new Money(150_000, 'USD') };
  const owner = { partnerId, environment: 'LIVE' as const };
  const { id } = await app.runtime.db.transact((uow) =>
    createPayout(uow, owner, balance, { settlementId: null, now: uow.now }),
  );
  expect(readable((await first.visit('/payouts')).text)).toContain('Needs approval');
  expect(await buttons(first)).toEqual(['payout-approve', 'payout-mark-failed']);
  const early = await first.act('payout-mark-paid', { id }, { reference: 'wire-1' });
  expect([early.status, early.text.includes('needs an approval')]).toEqual([409, true]);

  const done = await first.follow(await first.act('payout-approve', { id }));
  expect(readable(done.text)).toContain('Another person can pay it now.');
  expect(await buttons(first)).toEqual(['payout-mark-failed']);
  const own = await first.act('payout-mark-paid', { id }, { reference: 'wire-1' });
  expect([own.status, own.text.includes('Another person has to pay it')]).toEqual([409, true]);

  expect(await buttons(second)).toEqual(['payout-mark-paid', 'payout-mark-failed']);
  await second.follow(await second.act('payout-mark-paid', { id }, { reference: 'wire-1' }));
  const row = await app.runtime.db.knex('payouts').where({ id }).first();
  expect(row).toMatchObject({ status: 'paid', approved_by: first.userId });
});

it('the console approves a changed payout account only at the revision shown', async () => {
  const { partnerId } = await givenPartner(app.runtime);
  const set = (iban: string) => {
    const account = { holder: 'Harbor Names SARL', iban, bic: null };
    return setPayoutAccount(app.runtime, 'usr_setter', partnerId, account);
  };
  await set('FR1420041010050500013M02606');
  await set('GB29NWBK60161331926819');
  const shown = { partner: partnerId, kind: 'bank', revision: '2' };
  const page = (await first.visit(`/partners/${partnerId}`)).text;
  expect(page).toContain('partner-approve-account');
  expect(page).toContain('revision=2');
  await set('DE89370400440532013000');
  expect(await first.act('partner-approve-account', shown)).toMatchObject({
    status: 409,
    text: expect.stringContaining('the account changed since'),
  });
  const now = { ...shown, revision: '3' };
  const done = await first.follow(await first.act('partner-approve-account', now));
  expect(readable(done.text)).toContain('is approved.');
  const row = await app.runtime.db.knex('payout_accounts').where({ partner_id: partnerId }).first();
  expect(row).toMatchObject({ revision: 3, approved_by: first.userId });
});

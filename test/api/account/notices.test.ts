import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyExpiringMail } from '../../../shared/people/partners/credential.mails.ts';
import { disableUser } from '../../../shared/people/user-accounts/user-access.ts';
import { payoutSentMail } from '../../../shared/settlement/payouts/payout.mails.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenPartner, unique } from '../../support/factories.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

async function givenMember(partnerId: string, role: string) {
  const user = await givenAccount(app.runtime, 'owner');
  const row = { partner_id: partnerId, user_id: user.id, role, created_at: new Date() };
  await app.runtime.db.knex('partner_members').insert(row);
  return user;
}

async function toldOf(kind: 'key-expiring' | 'payout-sent', partnerId: string): Promise<string[]> {
  const of = { partnerId, environment: 'LIVE' as const };
  await app.runtime.db.transact(async (uow) => {
    if (kind === 'key-expiring') {
      const keyId = `pk_live_${unique()}`;
      const data = { keyId, environment: 'LIVE', expiresAt: uow.now.toISOString() };
      uow.mails.add(keyExpiringMail, { to: 'contacts', of, data });
    } else
      uow.mails.add(payoutSentMail, { to: 'contacts', of, data: payoutSentMail.example as never });
  });
  return app.runtime.db
    .knex('mails')
    .where({ kind, partner_id: partnerId })
    .orderBy('recipient')
    .pluck('recipient');
}

describe('email notices to partner members', () => {
  it('go to the roles that need them, once each, and never to another partner', async () => {
    const [{ partnerId }, other] = [
      await givenPartner(app.runtime),
      await givenPartner(app.runtime),
    ];
    const admin = await givenMember(partnerId, 'admin');
    const developer = await givenMember(partnerId, 'developer');
    const finance = await givenMember(partnerId, 'finance');
    await givenMember(partnerId, 'viewer');
    await givenMember(other.partnerId, 'admin');
    const gone = await givenMember(partnerId, 'admin');
    await disableUser(app.runtime, 'test', gone.id);
    const contact = { partner_id: partnerId, email: admin.email, created_at: new Date() };
    await app.runtime.db.knex('mail_contacts').insert(contact);
    expect(await toldOf('key-expiring', partnerId)).toEqual([admin.email, developer.email].sort());
    expect(await toldOf('payout-sent', partnerId)).toEqual([admin.email, finance.email].sort());
  });

  it('can be chosen on the account page, among the topics for the member’s role', async () => {
    const { partnerId } = await givenPartner(app.runtime);
    const { email } = await givenMember(partnerId, 'developer');
    const browser = newVisitor(app.url);
    const signIn = await browser.open('/account/sign-in');
    await browser.submit(signIn, 'Sign in', { email, password: PASSWORD });
    const page = await browser.open('/account/security');
    expect(page.text).toContain('value="webhooks" checked');
    expect(page.text).not.toContain('value="money"');
    const foreign = { Origin: 'https://evil.example' };
    expect((await browser.submit(page, 'Save emails', {}, foreign)).status).toBe(403);
    const saved = await browser.submit(page, 'Save emails', { topic: 'keys' });
    expect(saved.text).toContain('value="keys" checked');
    expect(saved.text).not.toContain('value="webhooks" checked');
    const left = () =>
      app.runtime.db.knex('mail_suppressions').where({ email }).orderBy('topic').pluck('topic');
    expect(await left()).toEqual(['orders', 'webhooks']);
    await browser.submit(saved, 'Save emails', { topic: 'webhooks' });
    expect(await left()).toEqual(['keys', 'orders']);
  });

  it('cannot be configured by a user without a partner', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const browser = newVisitor(app.url);
    const signIn = await browser.open('/account/sign-in');
    const page = await browser.submit(signIn, 'Sign in', { email, password: PASSWORD });
    expect(page.text).not.toContain('Save emails');
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenPartner } from '../../support/factories.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

/** A member of a partner, or of none, at a browser that is signed in. */
async function member(role: string, partnerId: string) {
  const { id, email } = await givenAccount(app.runtime, 'owner');
  const row = { partner_id: partnerId, user_id: id, role, created_at: new Date() };
  await app.runtime.db.knex('partner_members').insert(row);
  const browser = newVisitor(app.url);
  const page = await browser.open('/partner');
  expect(page.url.pathname).toBe('/account/sign-in');
  const home = await browser.submit(page, 'Sign in', { email, password: PASSWORD });
  expect(home.url.pathname).toBe('/partner');
  return { id, browser, home };
}

const keyOf = (text: string) => ({
  keyId: /Key id: <code>([^<]+)</.exec(text)?.[1] ?? '',
  secret: /Secret: <code>([^<]+)</.exec(text)?.[1] ?? '',
});
const works = async (keys: { keyId: string; secret: string }) =>
  (await app.as(keys).get('/v1/availability', { query: { domain: 'example.com' } })).status;

describe('the keys of a partner', () => {
  it('are created, rotated with an overlap, and revoked by a developer; each secret is shown once', async () => {
    const partner = await givenPartner(app.runtime);
    const { id, browser } = await member('developer', partner.partnerId);
    const path = `/partner/${partner.partnerId}/keys`;
    const page = await browser.open(path);
    expect(page.text).toContain(partner.keyId);
    expect(page.text).not.toContain(partner.secret);
    const made = await browser.submit(page, 'Create key', {
      environment: 'SANDBOX',
      scope: 'search',
    });
    const first = keyOf(made.text);
    expect(await works(first)).toBe(200);
    expect((await browser.open(path)).text).not.toContain(first.secret);

    const rotated = await browser.submit(page, 'Rotate', { key_id: first.keyId });
    const second = keyOf(rotated.text);
    expect(await works(first)).toBe(200);
    expect(await works(second)).toBe(200);
    const list = await browser.submit(page, 'Revoke', { key_id: second.keyId });
    expect(list.url.pathname).toBe(path);
    expect(await works(second)).toBe(403);
    const acts = await app.runtime.db
      .knex('audit_log')
      .where({ actor: id })
      .orderBy('id')
      .pluck('action');
    expect(acts).toEqual([
      'user:sign-in',
      'credential:create',
      'credential:rotate',
      'credential:revoke',
    ]);
  });

  it.each(['viewer', 'finance'])('are seen by a %s, who changes none', async (role) => {
    const partner = await givenPartner(app.runtime);
    const admin = await member('admin', partner.partnerId);
    const { browser } = await member(role, partner.partnerId);
    const path = `/partner/${partner.partnerId}/keys`;
    expect((await browser.open(path)).text).not.toContain('Create key');
    const page = await admin.browser.open(path);
    for (const button of ['Create key', 'Rotate', 'Revoke']) {
      const fields = { key_id: partner.keyId, scope: 'search' };
      expect([button, (await browser.submit(page, button, fields)).status]).toEqual([button, 403]);
    }
    expect(await works(partner)).toBe(200);
  });

  it('are no business of another partner’s admin, nor of another site', async () => {
    const [mine, theirs] = [await givenPartner(app.runtime), await givenPartner(app.runtime)];
    const { browser, home } = await member('admin', mine.partnerId);
    const other = await member('admin', theirs.partnerId);
    expect(home.text).not.toContain(theirs.partnerId);
    const path = `/partner/${theirs.partnerId}/keys`;
    expect((await browser.open(path)).status).toBe(404);
    const foreignPage = await other.browser.open(path);
    for (const button of ['Create key', 'Rotate', 'Revoke']) {
      const fields = { key_id: theirs.keyId, scope: 'search' };
      expect((await browser.submit(foreignPage, button, fields)).status).toBe(404);
    }
    const page = await browser.open(`/partner/${mine.partnerId}/keys`);
    for (const button of ['Rotate', 'Revoke']) {
      expect((await browser.submit(page, button, { key_id: theirs.keyId })).status).toBe(404);
      const foreign = await browser.submit(page, button, {}, { Origin: 'https://evil.example' });
      expect(foreign.status).toBe(403);
    }
    expect(await works(theirs)).toBe(200);
    expect(await works(mine)).toBe(200);
  });

  it('of LIVE need an approved partner', async () => {
    const partner = await givenPartner(app.runtime);
    await app.runtime.db
      .knex('partners')
      .where({ id: partner.partnerId })
      .update({ live_approved_at: null });
    const { browser } = await member('admin', partner.partnerId);
    const page = await browser.open(`/partner/${partner.partnerId}/keys`);
    const refused = await browser.submit(page, 'Create key', {
      environment: 'LIVE',
      scope: 'search',
    });
    expect([refused.status, refused.text.includes('approved')]).toEqual([409, true]);
  });
});

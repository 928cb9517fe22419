import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import { newVisitor, startSignInApp, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

/** A member of a partner in a signed-in browser. */
async function member(role: string, partnerId: string) {
  const { id, email } = await givenAccount(app.runtime, 'owner');
  const row = { partner_id: partnerId, user_id: id, role, created_at: new Date() };
  await app.runtime.db.knex('partner_members').insert(row);
  const browser = newVisitor(app.url);
  const page = await browser.open('/partner');
  expect(page.url.pathname).toBe('/account/sign-in');
  const home = await browser.submit(page, 'Sign in', { email, password: PASSWORD });
  expect(home.url.pathname).toBe(`/partner/${partnerId}/sandbox`);
  return { id, browser, home };
}

const keyOf = (text: string) => ({
  keyId: /Key ID: <code>([^<]+)</.exec(text)?.[1] ?? '',
  secret: /Secret: <code>([^<]+)</.exec(text)?.[1] ?? '',
});
const works = async (keys: { keyId: string; secret: string }) =>
  (await app.as(keys).get('/v1/availability', { query: { domain: 'example.com' } })).status;

/** The page of a key, by the name of each button. */
async function keyButtons(browser: Visitor, path: string, keyId: string) {
  const page = await browser.open(`${path}/${keyId}`);
  return { Save: page, Rotate: page, Revoke: page };
}

describe('keys on the partner site', () => {
  it('can be created, rotated and revoked by a developer, and each secret is shown once', async () => {
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

    const keyPage = await browser.open(`${path}/${first.keyId}`);
    const rotated = await browser.submit(keyPage, 'Rotate', { overlap: '24' });
    const second = keyOf(rotated.text);
    expect(await works(first)).toBe(200);
    expect(await works(second)).toBe(200);
    const secondPage = await browser.open(`${path}/${second.keyId}`);
    const list = await browser.submit(secondPage, 'Revoke');
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

  it('can have a name, allowed networks and an expiry date, which rotation keeps', async () => {
    const partner = await givenPartner(app.runtime);
    const { browser } = await member('admin', partner.partnerId);
    const path = `/partner/${partner.partnerId}/keys`;
    const made = await browser.submit(await browser.open(path), 'Create key', {
      environment: 'SANDBOX',
      scope: 'search',
      name: 'Shop, production',
      allowed_ips: '192.0.2.7 2001:DB8:0:1::/48',
      expires: '30',
    });
    const first = keyOf(made.text);
    expect(await works(first)).toBe(403);
    const keyPath = `${path}/${first.keyId}`;
    const page = await browser.open(keyPath);
    for (const text of ['Shop, production', '192.0.2.7/32, 2001:db8::/48', 'until ', 'Never']) {
      expect(page.text).toContain(text);
    }
    const refused = await browser.submit(page, 'Save', { scope: 'search', allowed_ips: 'home' });
    expect([refused.status, refused.text.includes('Allowed addresses has')]).toEqual([400, true]);
    const settings = { name: 'Shop', scope: 'search', allowed_ips: '127.0.0.0/8, ::1' };
    const saved = await browser.submit(page, 'Save', settings);
    expect(saved.url.pathname).toBe(keyPath);
    await eventually(
      () => works(first),
      (status) => status === 200,
    );
    await app.runtime.credentialUse.flush();
    expect((await browser.open(keyPath)).text).not.toContain('Never');

    const second = keyOf((await browser.submit(page, 'Rotate', { overlap: '0' })).text);
    expect(await works(second)).toBe(200);
    await eventually(
      () => works(first),
      (status) => status === 403,
    );
    const rows = await app.runtime.db
      .knex('credentials')
      .where({ partner_id: partner.partnerId })
      .whereNotNull('name')
      .orderBy('created_at')
      .select('key_id', 'name', 'allowed_ips', 'expires_at', 'replaced_by');
    const shop = { name: 'Shop', allowed_ips: ['127.0.0.0/8', '::1/128'] };
    expect(rows).toMatchObject([
      { ...shop, key_id: first.keyId, replaced_by: second.keyId },
      { ...shop, key_id: second.keyId, expires_at: expect.any(Date), replaced_by: null },
    ]);
  });

  it.each(['viewer', 'finance'])('can be viewed but not changed by a %s', async (role) => {
    const partner = await givenPartner(app.runtime);
    const admin = await member('admin', partner.partnerId);
    const { browser } = await member(role, partner.partnerId);
    const path = `/partner/${partner.partnerId}/keys`;
    expect((await browser.open(path)).text).not.toContain('Create key');
    const pages = {
      'Create key': await admin.browser.open(path),
      ...(await keyButtons(admin.browser, path, partner.keyId)),
    };
    for (const [button, page] of Object.entries(pages)) {
      const sent = await browser.submit(page, button, { scope: 'search' });
      expect([button, sent.status]).toEqual([button, 403]);
    }
    expect(await works(partner)).toBe(200);
  });

  it('cannot be seen or changed by another partner’s admin or from another site', async () => {
    const [mine, theirs] = [await givenPartner(app.runtime), await givenPartner(app.runtime)];
    const { browser, home } = await member('admin', mine.partnerId);
    const other = await member('admin', theirs.partnerId);
    expect(home.text).not.toContain(theirs.partnerId);
    const path = `/partner/${theirs.partnerId}/keys`;
    expect((await browser.open(path)).status).toBe(404);
    const foreignPages = {
      'Create key': await other.browser.open(path),
      ...(await keyButtons(other.browser, path, theirs.keyId)),
    };
    for (const [button, page] of Object.entries(foreignPages)) {
      const sent = await browser.submit(page, button, { scope: 'search' });
      expect([button, sent.status]).toEqual([button, 404]);
      const throughMine = page.text.replaceAll(theirs.partnerId, mine.partnerId);
      if (button === 'Create key') continue;
      const smuggled = await browser.submit({ ...page, text: throughMine }, button);
      expect([button, smuggled.status]).toEqual([button, 404]);
    }
    const minePath = `/partner/${mine.partnerId}/keys`;
    expect((await browser.open(`${minePath}/${theirs.keyId}`)).status).toBe(404);
    for (const [button, page] of Object.entries(await keyButtons(browser, minePath, mine.keyId))) {
      const foreign = await browser.submit(page, button, {}, { Origin: 'https://evil.example' });
      expect(foreign.status).toBe(403);
    }
    expect(await works(theirs)).toBe(200);
    expect(await works(mine)).toBe(200);
  });

  it('require an approved partner in LIVE', async () => {
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

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeBrand } from '../../../shared/people/partners/change-mail-settings.ts';
import { DAY } from '../../../shared/platform/clock.ts';
import { progressUrl } from '../../../shared/sales/brokerage/progress-link.ts';
import { purchasePath } from '../../../shared/sales/orders/purchase-link.ts';
import { registrantPath } from '../../../shared/sales/orders/registrant-link.ts';
import type { TestApp } from '../../support/app.ts';
import { givenCase } from '../../support/brokerage.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../../support/checkout.ts';
import { readable } from '../../support/console.ts';
import type { PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { givenMember } from '../../support/partner-site.ts';
import { startSignInApp, type Visitor } from '../../support/sign-in.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
let partner: PartnerFixture & { client: SignedClient };
let admin: Visitor;
let adminId: string;

beforeAll(async () => {
  app = await startSignInApp({ RATE_LIMITS: 'off' });
  partner = await app.partner();
  ({ browser: admin, id: adminId } = await givenMember(app, 'admin', partner.partnerId));
});
afterAll(() => app?.stop());

const path = () => `/partner/${partner.partnerId}/sandbox/branding`;
const BRAND = {
  display_name: 'Fern & Field',
  accent_color: '#0B6E4F',
  logo_url: 'https://cdn.fernfield.example/logo.svg',
  support_url: 'https://fernfield.example/help',
  support_email: 'help@fernfield.example',
  terms_url: 'https://fernfield.example/terms',
};
const save = async (fields: Record<string, string>) =>
  admin.submit(await admin.open(path()), 'Save', fields);

describe('partner branding', () => {
  it('is shown at checkout and on brokerage pages, and the policy allows only its logo', async () => {
    const saved = await save(BRAND);
    expect(readable(saved.text)).toContain('The branding is saved.');
    const session = await givenSession(app, partner.client);
    const pay = await fetchPage(session.url);
    const receipt = await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const { id } = await givenCase(app.runtime, partner);
    const { pathname, search } = new URL(await progressUrl(app.runtime, id));
    const progress = await fetchPage(app.url + pathname + search);
    const after = await fetchPage(session.url);
    expect(receipt.status).toBe(303);
    for (const page of [pay, after, progress, saved]) {
      expect(page.text).toContain('<span>Fern &amp; Field</span>');
      expect(page.text).toContain(`<img class="logo" src="${BRAND.logo_url}" alt=""`);
      expect(page.text).toContain(`href="${BRAND.support_url}" rel="noreferrer">Help from Fern`);
      expect(page.text).toContain(`href="${BRAND.terms_url}" rel="noreferrer">Terms of Fern`);
      expect(page.text).toContain('<link rel="stylesheet" href="/assets/brand/0b6e4f.css">');
      const policy = page.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("style-src 'self';");
      expect(policy).toContain('img-src data: https://cdn.fernfield.example;');
    }
    expect(after.text).toContain('Thank you, you bought');
  });

  it('is on the pages of links that no longer work, unless nobody knows whose they are', async () => {
    const session = await givenSession(app, partner.client);
    const orderId = await givenOrder(app.runtime, partner);
    const registrant = await registrantPath(app.runtime.tokens, orderId);
    const purchase = await purchasePath(app.runtime.tokens, { orderId, isMailed: true });
    const { id } = await givenCase(app.runtime, partner);
    const progress = new URL(await progressUrl(app.runtime, id));
    const foreignForm = await fetchPage(session.url.replace('?', '/cancel?'), {
      method: 'POST',
      body: new URLSearchParams({ form: 'x' }),
    });
    const branded = [
      foreignForm,
      await fetchPage(app.url + registrant),
      await fetchPage(`${app.url}${purchase}/documents/none`),
      await fetchPage(`${app.url}${progress.pathname}/documents/none${progress.search}`),
    ];
    expect(branded.map(({ status }) => status)).toEqual([403, 410, 404, 404]);
    for (const page of branded) {
      expect(page.text).toContain('<span>Fern &amp; Field</span>');
      expect(page.text).toContain(`href="${BRAND.support_url}" rel="noreferrer">Help from Fern`);
      expect(page.headers.get('Content-Security-Policy')).toContain(
        'https://cdn.fernfield.example',
      );
    }
    const made = [
      await fetchPage(`${app.url}/checkout/${session.id}?pt=x`),
      await fetchPage(`${app.url}${progress.pathname}?pt=x`),
      await fetchPage(`${app.url}/registrant/x`),
      await fetchPage(`${app.url}/purchase/x`),
      await fetchPage(`${app.url}/registrant/verify/x`),
    ];
    expect(made.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    for (const { text } of made) expect(text).not.toContain('Fern');
    for (const { text } of [...branded, ...made]) {
      expect(text).not.toMatch(/Domain marketplace|href="\/"|Card details/);
    }
  });

  it('applies to both environments, and to no other partner', async () => {
    const live = await admin.open(path().replace('/sandbox/', '/live/'));
    expect(live.text).toContain('Fern &amp; Field');
    const other = await app.partner();
    const session = await givenSession(app, other.client);
    expect((await fetchPage(session.url)).text).not.toContain('Fern');
  });

  it.each([
    [{ accent_color: 'red' }, 'The color must be a color such as'],
    [{ logo_url: 'http://fernfield.example/logo.png' }, 'The logo must be an https address'],
    [{ logo_url: 'https://user:pass@fernfield.example/' }, 'The logo must be an https address'],
    [{ terms_url: 'javascript:alert(1)' }, 'The terms must be an https address'],
    [{ support_email: 'nobody' }, 'The support address must be an email address'],
  ])('rejects %j and keeps the input', async (fault, words) => {
    const refused = await save({ ...BRAND, display_name: 'Typed', ...fault });
    expect([refused.status, readable(refused.text)]).toEqual([400, expect.stringContaining(words)]);
    expect(refused.text).toContain('value="Typed"');
    expect((await admin.open(path())).text).toContain(`src="${BRAND.logo_url}"`);
  });

  it('is removed with empty fields, and each change is audited', async () => {
    await save({ support_email: '' });
    const session = await givenSession(app, partner.client);
    const page = await fetchPage(session.url);
    expect(page.text).not.toMatch(/Fern|brand-links|\/assets\/brand/);
    expect(page.headers.get('Content-Security-Policy')).toContain('img-src data:;');
    const trail = await app.runtime.db
      .knex('audit_log')
      .where({ subject: partner.partnerId, action: 'partner:brand' })
      .orderBy('id');
    expect(trail.map(({ actor }) => actor)).toEqual([adminId, adminId]);
    expect(trail.at(-1)).toMatchObject({
      before: { displayName: 'Fern & Field' },
      after: { displayName: null },
    });
  });

  it('can be changed only by admins', async () => {
    const page = await admin.open(path());
    for (const role of ['developer', 'finance', 'viewer'] as const) {
      const { browser } = await givenMember(app, role, partner.partnerId);
      expect([role, (await browser.open(path())).text.includes('name="logo_url"')]).toEqual([
        role,
        false,
      ]);
      expect([role, (await browser.submit(page, 'Save', BRAND)).status]).toEqual([role, 403]);
    }
    const foreign = await admin.submit(page, 'Save', BRAND, { Origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
  });

  it('has readable button text on every color', async () => {
    for (const [color, text] of [
      ['ffffff', '#000000'],
      ['000000', '#ffffff'],
      ['0b6e4f', '#ffffff'],
      ['ffd400', '#000000'],
    ]) {
      const sheet = await fetch(`${app.url}/assets/brand/${color}.css`);
      expect(sheet.headers.get('Content-Type')).toBe('text/css; charset=utf-8');
      expect(await sheet.text()).toContain(`background: #${color}; color: ${text};`);
    }
    for (const none of ['red', 'FFFFFF', '0b6e4f;}', '%22']) {
      expect((await fetch(`${app.url}/assets/brand/${encodeURIComponent(none)}.css`)).status).toBe(
        404,
      );
    }
  });

  it('is on the page of a payment link that has expired, whose token names its session', async () => {
    const { partnerId } = partner;
    await changeBrand(app.runtime, 'test', { partnerId, displayName: 'Fern & Field' });
    const session = await givenSession(app, partner.client);
    const foreign = await givenSession(app, (await app.partner()).client);
    app.runtime.clock.advance(30 * DAY);
    const pages = [
      await fetchPage(session.url),
      await fetchPage(foreign.url),
      await fetchPage(session.url.replace(session.id, foreign.id)),
      await fetchPage(foreign.url.replace(foreign.id, session.id)),
    ];
    expect(pages.map(({ status }) => status)).toEqual([410, 410, 403, 403]);
    expect(pages.map(({ text }) => text.includes('Fern'))).toEqual([true, false, false, false]);
  });
});

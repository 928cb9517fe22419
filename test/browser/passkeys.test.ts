import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Role } from '../../shared/people/users/user.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { expectNoFaultsAtAnyWidth } from '../support/axe.ts';
import { picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { authorizeLink, givenClient } from '../support/oauth-client.ts';
import { freePort } from '../support/service-process.ts';

let app: TestApp;
let browser: TestBrowser;
/** Passkeys are of names, not of addresses. */
let origin: string;
let otherSite: Server;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  app = await startTestApp({ PORT: String(port), BASE_URL: origin, RATE_LIMITS: 'off' });
  browser = await startBrowser();
  otherSite = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end('<p>Hi'));
  await new Promise<void>((resolve) => otherSite.listen(0, 'localhost', resolve));
});
afterAll(async () => {
  await browser?.stop();
  await new Promise((resolve) => otherSite?.close(resolve));
  await app?.stop();
});

/** A browser on a device that can keep passkeys, and whose owner agrees to everything. */
async function device() {
  const { page, faults } = await browser.open();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, faults };
}

type Site = '/account' | '/ops';

async function enterPassword(page: Page, email: string, site: Site = '/account') {
  await page.goto(`${origin}${site}/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function addPasskey(page: Page, name = 'Laptop') {
  await page.goto(`${origin}/account/passkeys/new`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('heading', { name: 'Passkey added' }).waitFor();
}

/** An account with a passkey on the device of `page`, signed out. */
async function givenPasskey(role: Role = 'owner') {
  const user = await givenAccount(app.runtime, role);
  const { page, faults } = await device();
  await enterPassword(page, user.email);
  await addPasskey(page);
  await page.context().clearCookies();
  return { user, page, faults };
}

const cookieNames = async (page: Page) =>
  (await page.context().cookies()).map(({ name }) => name).filter((name) => /_session$/.test(name));
const useButton = (page: Page) => page.getByRole('button', { name: 'Use a passkey' });
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' });

/** What a form would send: caught on its way. */
async function caughtForm(page: Page, press: () => Promise<void>): Promise<URLSearchParams> {
  const caught = new Promise<string>((resolve) => {
    void page.route('**/*', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      resolve(route.request().postData() ?? '');
      await route.abort();
    });
  });
  await press();
  const form = new URLSearchParams(await caught);
  await page.unroute('**/*');
  return form;
}

async function send(path: string, form: URLSearchParams) {
  const init = {
    method: 'POST',
    body: form,
    headers: { Origin: origin },
    redirect: 'manual',
  } as const;
  const answer = await fetch(`${app.url}${path}`, init);
  return { status: answer.status, cookie: answer.headers.getSetCookie().join() };
}

describe('a passkey', () => {
  it('is added with the password, shows its last use, signs in alone and can be removed', async () => {
    const { user, page, faults } = await givenPasskey();
    await page.goto(`${origin}/account/sign-in`);
    await picture(page, 'passkey-sign-in');
    await signInButton(page).click();
    await page.waitForURL(`${origin}/account/domains`);
    await page.goto(`${origin}/account/security`);
    await picture(page, 'passkeys');
    const row = page.getByRole('row', { name: /Laptop/ });
    expect(await row.textContent()).not.toContain('Never');
    expect(await page.getByText(user.email).count()).toBe(1);

    await row.locator('summary', { hasText: 'Remove Laptop' }).click();
    await page.getByText('You can no longer sign in with this passkey.').waitFor();
    await row.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByText('Your passkey is removed.').waitFor();
    await page.context().clearCookies();
    await page.goto(`${origin}/account/sign-in`);
    await signInButton(page).click();
    await page.getByText('This passkey was not accepted.').waitFor();
    // Without a second factor the password is enough again.
    await enterPassword(page, user.email);
    await page.waitForURL(`${origin}/account/domains`);
    const trail = await app.runtime.db
      .knex('audit_log')
      .where({ subject: user.id })
      .pluck('action');
    expect(trail).toEqual(
      expect.arrayContaining(['user:second-factor-added', 'user:second-factor-removed']),
    );
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('requires the password to add the first one', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const { page } = await device();
    await enterPassword(page, email);
    await page.goto(`${origin}/account/passkeys/new`);
    await page.getByLabel('Name').fill('Thief');
    await page.getByLabel('Current password').fill('not the password');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('Current password is wrong.').waitFor();
    expect(await app.runtime.db.knex('user_passkeys').where({ name: 'Thief' })).toEqual([]);
  });

  it.each(['/account', '/ops'] as const)(
    'is the second factor at %s and is asked for again before dangerous actions',
    async (site) => {
      const { user, page } = await givenPasskey('ops');
      await enterPassword(page, user.email, site);
      await useButton(page).waitFor();
      expect(await cookieNames(page)).toEqual([]);
      await useButton(page).click();
      await page.waitForURL(new RegExp(`${origin}${site}(/domains)?$`));
      app.runtime.clock.advance(16 * MINUTE);
      const dangerous = site === '/ops' ? '/ops/do/user-create' : '/account/passkeys/new';
      await page.goto(origin + dangerous);
      expect(new URL(page.url()).pathname).toBe(`${site}/confirm`);
      await picture(page, `confirm-${site.slice(1)}`);
      await useButton(page).click();
      await page.waitForURL(origin + dangerous);
    },
  );

  it('signs in to the console only for staff', async () => {
    const staff = await givenPasskey('ops');
    await staff.page.goto(`${origin}/ops`);
    await signInButton(staff.page).click();
    await staff.page.waitForURL(`${origin}/ops`);
    const owner = await givenPasskey('owner');
    await owner.page.goto(`${origin}/ops/sign-in`);
    await signInButton(owner.page).click();
    await owner.page.getByText('does not have the role ops').waitFor();
    expect(await cookieNames(owner.page)).toEqual([]);
  });

  it('answers a challenge once, even with concurrent submissions', async () => {
    const { page } = await givenPasskey();
    await page.goto(`${origin}/account/sign-in`);
    const form = await caughtForm(page, () => signInButton(page).click());
    const path = '/account/sign-in/passkey';
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(path, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401]);
    expect((await send(path, form)).status).toBe(401);
    const late = await (async () => {
      await page.goto(`${origin}/account/sign-in`);
      const second = await caughtForm(page, () => signInButton(page).click());
      app.runtime.clock.advance(11 * MINUTE);
      return send(path, second);
    })();
    expect([late.status, late.cookie]).toEqual([401, '']);
  });

  it('signs in for an OAuth client, which accepts each answer once', async () => {
    const { user, page, faults } = await givenPasskey();
    const redirect_uri = 'http://127.0.0.1:40998/callback';
    const clientId = await givenClient(app, { name: 'A helper', redirectUris: [redirect_uri] });
    const { link } = authorizeLink(app, clientId, { redirect_uri });
    const address = origin + link.pathname + link.search;
    await page.goto(address);
    const path = `${new URL(page.url()).pathname}/passkey`;
    const form = await caughtForm(page, () => signInButton(page).click());
    // Without the cookie of the sign-in it leads back to the beginning.
    expect(await send(path, form)).toEqual({ status: 303, cookie: '' });
    await page.goto(address);
    const sent = page.waitForRequest((request) => request.url().endsWith('/passkey'));
    await signInButton(page).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.getByText(user.email).waitFor();
    const used = new URLSearchParams((await sent).postData() ?? '');
    for (const answer of [used, form]) {
      const replayed = await send('/account/sign-in/passkey', answer);
      expect(replayed).toEqual({ status: 401, cookie: '' });
    }
    expect(faults.filter((fault) => !/401|ERR_FAILED/.test(fault))).toEqual([]);
  });

  it('has pages without faults at any width, light or dark', async () => {
    const { user, page } = await givenPasskey('ops');
    const look = (name: string) => expectNoFaultsAtAnyWidth(page, `passkey-${name}`);
    const clientId = await givenClient(app, {
      name: 'A helper',
      redirectUris: ['http://127.0.0.1:40998/callback'],
    });
    const { link } = authorizeLink(app, clientId, {
      redirect_uri: 'http://127.0.0.1:40998/callback',
    });
    for (const [name, path] of [
      ['account', '/account/sign-in'],
      ['partner', '/account/sign-in?next=/partner'],
      ['ops', '/ops/sign-in'],
      ['app', link.pathname + link.search],
    ] as const) {
      await page.goto(origin + path);
      await signInButton(page).waitFor();
      await look(`sign-in-${name}`);
    }
    for (const site of ['/account', '/ops'] as const) {
      await enterPassword(page, user.email, site);
      await useButton(page).waitFor();
      await look(`code-${site.slice(1)}`);
      await useButton(page).click();
      await page.waitForURL(new RegExp(`${origin}${site}(/domains)?$`));
      app.runtime.clock.advance(16 * MINUTE);
      await page.goto(origin + (site === '/ops' ? '/ops/do/user-create' : '/account/passkeys/new'));
      await useButton(page).waitFor();
      await look(`confirm-${site.slice(1)}`);
      await page.context().clearCookies();
    }
    await page.goto(`${origin}/account/sign-in`);
    await signInButton(page).click();
    await page.waitForURL(`${origin}/account/domains`);
    await page.goto(`${origin}/account/security`);
    await look('security');
  }, 240_000);

  it('is rejected when it signed on another site', async () => {
    const { page } = await givenPasskey();
    await page.goto(`${origin}/account/sign-in`);
    const input = page.locator('input[name="response"]');
    const options = (await input.getAttribute('data-options')) ?? '';
    const ticket = await page.locator('input[name="passkey_ticket"]').inputValue();
    const { port } = otherSite.address() as AddressInfo;
    await page.goto(`http://localhost:${port}`);
    const response = await page.evaluate(async (json) => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(json));
      const credential = await navigator.credentials.get({ publicKey });
      return JSON.stringify((credential as PublicKeyCredential).toJSON());
    }, options);
    const form = new URLSearchParams({ passkey_ticket: ticket, response, next: '/account' });
    const refused = await send('/account/sign-in/passkey', form);
    expect([refused.status, refused.cookie]).toEqual([401, '']);
  });

  it('is rejected as the second factor of another user, as are malformed answers', async () => {
    const [mine, theirs] = [await givenPasskey(), await givenPasskey()];
    await enterPassword(theirs.page, theirs.user.email);
    await useButton(theirs.page).waitFor();
    const ticket = await theirs.page.locator('input[name="ticket"]').first().inputValue();
    await mine.page.goto(`${origin}/account/sign-in`);
    const answer = await caughtForm(mine.page, () => signInButton(mine.page).click());
    answer.set('ticket', ticket);
    expect((await send('/account/sign-in/code', answer)).status).toBe(401);
    for (const response of ['', '{}', '[]', '{"id":"\\u0000"}', 'x'.repeat(5_000)]) {
      answer.set('response', response);
      const { status, cookie } = await send('/account/sign-in/passkey', answer);
      expect([status === 400 || status === 401, cookie]).toEqual([true, '']);
    }
  });
});

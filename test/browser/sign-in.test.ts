import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { MINUTE } from '../../shared/platform/clock.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { givenOwner } from '../support/oauth.ts';
import { authorizeLink, givenClient } from '../support/oauth-client.ts';
import { startSignInApp } from '../support/sign-in.ts';

type OpenOptions = Parameters<TestBrowser['open']>[0];

describe('signing in for an OAuth client in a browser', () => {
  let app: TestApp;
  let browser: TestBrowser;
  let client: Server;
  /** What the client does before it answers the browser that comes back. */
  let think: () => Promise<void>;
  let clientId: string;
  let redirect_uri: string;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startSignInApp(), startBrowser()]);
    // The client: a program on the user's computer, that sends the browser on once more.
    think = async () => {};
    client = createServer(async (req, res) => {
      if (req.url?.startsWith('/callback')) await think();
      if (req.url?.startsWith('/callback')) {
        res.writeHead(303, { Location: `/done${req.url.slice('/callback'.length)}` }).end();
      } else {
        res.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Back at the client</h1>');
      }
    });
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
    redirect_uri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`;
    clientId = await givenClient(app, {
      name: 'Portfolio helper',
      redirectUris: [redirect_uri],
    });
  });
  afterAll(async () => {
    await browser?.stop();
    await new Promise((resolve) => client?.close(resolve));
    await app?.stop();
  });

  const start = async (more: Record<string, string> = {}, options: OpenOptions = {}) => {
    const owner = await givenOwner(app.runtime);
    const { link } = authorizeLink(app, clientId, { redirect_uri, ...more });
    const opened = await browser.open(options);
    await opened.page.goto(link.href);
    return { ...opened, owner, link };
  };
  const enter = async (page: Page, email: string, password = PASSWORD) => {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const backAtClient = async (page: Page): Promise<URLSearchParams> => {
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    return new URL(page.url()).searchParams;
  };
  const allow = (page: Page) => page.getByRole('button', { name: 'Allow' });

  it('leads from the client through sign-in and consent and back', async () => {
    const { page, owner, faults } = await start({ scope: 'pricing:read domains:manage' });
    expect(await page.title()).toBe('Sign in · Domain marketplace');
    await picture(page, 'sign-in-desktop');
    await enter(page, owner.email);
    await allow(page).waitFor();
    expect(await page.title()).toBe('Connect Portfolio helper · Domain marketplace');
    await picture(page, 'consent-desktop');
    await allow(page).click();
    const answer = await backAtClient(page);
    expect(answer.get('code')).toMatch(/^[\w-]{43}$/);
    expect(answer.get('state')).toBe('the state');
    expect(answer.get('iss')).toBe(app.url);
    expect(faults).toEqual([]);
  });

  it('keeps the email address after a wrong password', async () => {
    const { page, owner } = await start();
    await enter(page, owner.email, 'a wrong password');
    await page
      .getByRole('alert')
      .getByText('The email address or the password is wrong.')
      .waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe(owner.email);
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await picture(page, 'sign-in-wrong');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await allow(page).waitFor();
  });

  it('shows the form again when the page of a failed attempt is reopened', async () => {
    const { page, owner } = await start();
    await enter(page, owner.email, 'a wrong password');
    await page.getByText('The email address or the password is wrong.').waitFor();
    await page.goto(page.url());
    await enter(page, owner.email);
    await allow(page).waitFor();
  });

  it('returns a denial to the client', async () => {
    const { page, owner, faults } = await start();
    await enter(page, owner.email);
    await page.getByRole('button', { name: 'Deny' }).click();
    const answer = await backAtClient(page);
    expect([answer.get('error'), answer.get('code')]).toEqual(['access_denied', null]);
    expect(faults).toEqual([]);
  });

  it('asks a signed-in user only for consent and allows switching accounts', async () => {
    const { page, owner, link } = await start();
    await enter(page, owner.email);
    await allow(page).click();
    await backAtClient(page);
    await page.goto(link.href);
    await page.getByText(owner.email).waitFor();
    await page.getByRole('link', { name: 'Use another account' }).click();
    const other = await givenOwner(app.runtime);
    await enter(page, other.email);
    await page.getByText(other.email).waitFor();
    await allow(page).click();
    expect((await backAtClient(page)).get('code')).not.toBeNull();
  });

  it('works with the keyboard alone', async () => {
    const { page, owner } = await start();
    await page.locator('#email:focus').waitFor();
    await page.keyboard.type(owner.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await allow(page).waitFor();
    // Past the name of the site.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Allow');
    await page.keyboard.press('Enter');
    expect((await backAtClient(page)).get('code')).not.toBeNull();
  });

  it('works without JavaScript', async () => {
    const { page, owner } = await start({}, { javaScriptEnabled: false });
    await enter(page, owner.email);
    await allow(page).click();
    expect((await backAtClient(page)).get('code')).not.toBeNull();
  });

  it('treats a double click as one', async () => {
    const { page, owner } = await start();
    await enter(page, owner.email);
    await allow(page).dblclick();
    expect((await backAtClient(page)).get('code')).toMatch(/^[\w-]{43}$/);
  });

  it('gives a slow client no second answer and offers to continue', async () => {
    const { page, owner, faults } = await start();
    await enter(page, owner.email);
    const told = new Promise<void>((tell) => {
      think = () => {
        tell();
        return new Promise(() => {});
      };
    });
    // By the mouse itself: anything else waits for the client's page first.
    const { x = 0, y = 0 } = (await allow(page).boundingBox()) ?? {};
    await page.mouse.click(x + 20, y + 20);
    await told;
    let asked = 0;
    think = async () => {
      asked += 1;
    };
    await page.mouse.click(x + 20, y + 20);
    await page.getByRole('heading', { name: 'This sign-in is over' }).waitFor();
    await picture(page, 'sign-in-answered');
    expect(asked).toBe(0);
    await page.getByRole('link', { name: 'Continue to the app' }).click();
    await allow(page).click();
    expect((await backAtClient(page)).get('state')).toBe('the state');
    expect(faults).toEqual([]);
  });

  it('explains an expired sign-in and offers to continue', async () => {
    const { page, owner, link } = await start();
    await enter(page, owner.email);
    await allow(page).click();
    await backAtClient(page);
    await page.goBack();
    await page.getByRole('heading', { name: 'This sign-in has expired' }).waitFor();
    await picture(page, 'sign-in-expired');
    await page.goto(link.href);
    app.runtime.clock.advance(31 * MINUTE);
    await allow(page).click();
    await page.getByRole('link', { name: 'Continue to the app' }).click();
    await allow(page).click();
    expect((await backAtClient(page)).get('code')).not.toBeNull();
  });

  it('reports too many attempts from an address', async () => {
    const limited = await startSignInApp({ RATE_LIMITS: 'on', LIMIT_SIGN_IN: '2' });
    const id = await givenClient(limited, { redirectUris: [redirect_uri] });
    const { page } = await browser.open();
    await page.goto(authorizeLink(limited, id, { redirect_uri }).link.href);
    for (const _ of [1, 2]) await enter(page, 'nobody@example.com', 'a wrong password');
    await enter(page, 'nobody@example.com', 'a wrong password');
    await page
      .getByRole('alert')
      .getByText(/^Too many attempts\. Wait \d+ seconds/)
      .waitFor();
    await picture(page, 'sign-in-throttled');
    await limited.stop();
  });

  it('shows an error page for an unknown client', async () => {
    const { page } = await browser.open();
    const { link } = authorizeLink(app, 'cli_nobody', { redirect_uri });
    await page.goto(link.href);
    await page.getByRole('heading', { name: 'This app is not known here' }).waitFor();
    await picture(page, 'sign-in-unknown-client');
  });

  it.each<[string, OpenOptions]>([
    ['phone', PHONE],
    ['tablet', { viewport: { width: 768, height: 1_024 } }],
    ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
    ['desktop-dark', { colorScheme: 'dark' }],
    ['narrow', { viewport: { width: 320, height: 640 } }],
  ])('fits the screen: %s', async (name, options) => {
    const { page, owner, faults } = await start({ scope: 'pricing:read domains:manage' }, options);
    const fits = () =>
      page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');
    await picture(page, `sign-in-${name}`);
    expect(await fits()).toBe(true);
    await enter(page, owner.email);
    await allow(page).waitFor();
    await picture(page, `consent-${name}`);
    expect(await fits()).toBe(true);
    expect(faults).toEqual([]);
  });
});

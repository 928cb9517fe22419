import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { CARDS, givenSession, ordersOf, type SessionFixture } from '../support/checkout.ts';
import type { SignedClient } from '../support/signed-client.ts';

describe('the checkout page in a browser', () => {
  let app: TestApp;
  let client: SignedClient;
  let browser: TestBrowser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startTestApp(), startBrowser()]);
    ({ client } = await app.partner());
  });
  afterAll(async () => {
    await browser?.stop();
    await app?.stop();
  });

  const open = async (
    session: SessionFixture,
    options?: Parameters<TestBrowser['open']>[0],
  ): Promise<{ page: Page; faults: string[] }> => {
    const opened = await browser.open(options);
    // The partner's site is not there to be visited; that the browser is sent to it is enough.
    await opened.page.route('https://partner.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>The partner</h1>' }),
    );
    await opened.page.goto(session.url);
    return opened;
  };

  const fillIn = async (page: Page, card: string): Promise<void> => {
    await page.getByLabel('Email address').fill('buyer@example.com');
    await page.getByLabel('Full name').fill('Ada Buyer');
    await page.getByLabel('Country').selectOption('DE');
    await page.getByLabel('Card number').pressSequentially(card);
    await page.getByLabel('Expiry date').pressSequentially('1239');
    await page.getByLabel('Security code').fill('123');
  };
  const payButton = (page: Page) => page.getByRole('button', { name: /^Pay \$/ });
  const heading = (page: Page, text: string | RegExp) =>
    page.getByRole('heading', { level: 1, name: text }).waitFor();
  const paidFor = async (session: SessionFixture) => {
    const orders = await ordersOf(app, session.id);
    expect(orders).toHaveLength(1);
    expect(orders[0]?.status).toBe('PAID');
    return orders[0]?.id ?? '';
  };

  it('accepts a card, shows a receipt and links back to the partner', async () => {
    const session = await givenSession(app, client);
    const { page, faults } = await open(session);
    expect(await page.title()).toBe(`Pay for ${session.domain}`);
    const goodUntil = page.getByText('Link expires').locator('..').locator('time');
    expect(await goodUntil.getAttribute('datetime')).toBe(session.expiresAt);
    await page.getByText('Test cards').click();
    await picture(page, 'checkout-desktop');
    await fillIn(page, '4242424242424242');
    expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242');
    expect(await page.getByLabel('Expiry date').inputValue()).toBe('12/39');
    await payButton(page).click();
    await heading(page, `Thank you, you bought ${session.domain}`);
    const order = await paidFor(session);
    await page.getByText(order).waitFor();
    await picture(page, 'checkout-receipt');
    await page.getByRole('link', { name: /^Return to/ }).click();
    await page.waitForURL(
      `https://partner.example/thanks?cart=1&session_id=${session.id}&status=paid`,
    );
    expect(faults).toEqual([]);
  });

  it('lists the errors and links to their fields', async () => {
    const { page, faults } = await open(await givenSession(app, client));
    await payButton(page).click();
    const alert = page.getByRole('alert');
    await alert.getByText('Enter your card number.').waitFor();
    await page.locator('#problems:focus').waitFor();
    await picture(page, 'checkout-errors');
    await alert.getByRole('link', { name: 'Enter your card number.' }).click();
    await page.locator('#number:focus').waitFor();
    // The console of a browser tells of the status 422, which is meant.
    expect(faults.filter((fault) => !fault.includes('422'))).toEqual([]);
  });

  it('reports a declined card, keeps the details and accepts another card', async () => {
    const session = await givenSession(app, client);
    const { page } = await open(session);
    await fillIn(page, CARDS.declined);
    await payButton(page).click();
    await page.getByRole('alert').getByText('Your card was declined').waitFor();
    expect(await page.getByLabel('Full name').inputValue()).toBe('Ada Buyer');
    expect(await page.getByLabel('Card number').inputValue()).toBe('');
    await picture(page, 'checkout-declined');
    await fillIn(page, CARDS.good);
    await payButton(page).click();
    await heading(page, /^Thank you/);
    await paidFor(session);
  });

  it('asks to confirm a payment, which can be declined and approved', async () => {
    const session = await givenSession(app, client);
    const { page } = await open(session);
    await fillIn(page, CARDS.asks);
    await payButton(page).click();
    await heading(page, 'Confirm your payment');
    await picture(page, 'checkout-confirm');
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('The payment was not confirmed').waitFor();
    expect(await ordersOf(app, session.id)).toEqual([]);
    await fillIn(page, CARDS.asks);
    await payButton(page).click();
    await page.getByRole('button', { name: 'Approve the payment' }).click();
    await heading(page, /^Thank you/);
    await paidFor(session);
  });

  it('charges once for a double click, two tabs and the back button', async () => {
    const session = await givenSession(app, client);
    const { page } = await open(session);
    const other = await page.context().newPage();
    await other.goto(session.url);
    await fillIn(other, CARDS.good);
    await fillIn(page, CARDS.good);
    await payButton(page).dblclick();
    await heading(page, /^Thank you/);
    await payButton(other).click();
    await heading(other, /^Thank you/);
    await page.goBack();
    // An old copy of the form may come up, but it is not the way to a second charge.
    if (await payButton(page).isVisible()) {
      await fillIn(page, CARDS.good);
      await payButton(page).click();
    }
    await heading(page, /^Thank you/);
    await page.reload();
    await heading(page, /^Thank you/);
    await paidFor(session);
    expect(
      await app.runtime.db.knex('payments').where({ checkout_session_id: session.id }),
    ).toHaveLength(1);
  });

  it('lets the buyer cancel and returns to the partner', async () => {
    const session = await givenSession(app, client);
    const { page } = await open(session);
    // A browser that is redirected there is not answered by `route`: that it asks is enough.
    const left = page.waitForRequest(
      `https://partner.example/cart?session_id=${session.id}&status=cancelled`,
    );
    await page.getByRole('button', { name: /^Cancel and return/ }).click();
    await left;
    const later = await page.context().newPage();
    await later.goto(session.url);
    await heading(later, 'You canceled this purchase');
    await picture(later, 'checkout-cancelled');
  });

  it('shows an error page for a changed or expired link', async () => {
    const session = await givenSession(app, client);
    const { page } = await open({ ...session, url: `${session.url}x` });
    await heading(page, 'This payment link doesn’t work');
    await picture(page, 'checkout-refused');
    app.runtime.clock.advance(7 * 24 * 3_600_000);
    await page.goto(session.url);
    await heading(page, 'This payment link has expired');
    app.runtime.clock.advance(-7 * 24 * 3_600_000);
  });

  it('fits a phone in light and dark mode', async () => {
    const session = await givenSession(app, client, {
      domain: 'a-rather-long-name-that-somebody-could-want-for-a-shop.com',
    });
    const { page } = await open(session, PHONE);
    await picture(page, 'checkout-phone');
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    const { page: dark } = await open(session, { ...PHONE, colorScheme: 'dark' });
    await fillIn(dark, CARDS.declined);
    await payButton(dark).click();
    await dark.getByRole('alert').waitFor();
    await picture(dark, 'checkout-phone-dark');
    expect(await dark.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });

  it('works without JavaScript', async () => {
    const session = await givenSession(app, client);
    const { page, faults } = await open(session, { ...PHONE, javaScriptEnabled: false });
    await payButton(page).click();
    await page.getByText('Enter your email address.').first().waitFor();
    await page.getByLabel('Email address').fill('buyer@example.com');
    await page.getByLabel('Full name').fill('Ada Buyer');
    await page.getByLabel('Country').selectOption('DE');
    await page.getByLabel('Card number').fill('4000002500003155');
    await page.getByLabel('Expiry date').fill('12/39');
    await page.getByLabel('Security code').fill('123');
    await payButton(page).click();
    await page.getByRole('button', { name: 'Approve the payment' }).click();
    await heading(page, /^Thank you/);
    await paidFor(session);
    await picture(page, 'checkout-phone-receipt');
    expect(faults.filter((fault) => !fault.includes('422'))).toEqual([]);
  });
});

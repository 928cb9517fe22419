import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { MINUTE } from '../../shared/platform/clock.ts';
import { picture } from '../support/browser.ts';
import { CARDS } from '../support/checkout.ts';
import { eventually } from '../support/eventually.ts';
import type { TestShop } from '../support/shop.ts';
import {
  buy,
  getThis,
  heading,
  payWith,
  press,
  quote,
  type ShopScene,
  search,
  startShopScene,
} from '../support/shop-scene.ts';

let scene: ShopScene;
let shop: TestShop;
beforeAll(async () => {
  scene = await startShopScene();
  shop = scene.shop;
});
afterAll(() => scene?.stop());

const steps = (page: Page) => page.locator('.timeline p').allTextContents();
const timer = (page: Page) => page.getByRole('timer').textContent();

it('the shop leads from a search to a settled order and shows each step live', async () => {
  const { page, faults } = await scene.visit();
  await picture(page, 'shop-home');
  await search(page, 'yoga studio');
  await heading(page, '5 names for “yoga studio”');
  expect(await page.locator('.card').filter({ hasText: 'yogazen.com' }).textContent()).toContain(
    '$12,610',
  );
  await picture(page, 'shop-results');
  await press(page, getThis('yogazen.com'));
  await heading(page, 'yogazen.com');
  expect(await timer(page)).toMatch(/^(10:00|9:\d\d)$/);
  await eventually(
    () => timer(page),
    (text) => text?.startsWith('9:') === true,
  );
  await picture(page, 'shop-quote');

  await press(page, 'Pay $12,610');
  await page.waitForURL(`${scene.app.url}/checkout/**`);
  await payWith(page, CARDS.good);
  await page.getByRole('link', { name: /^Return to/ }).click();
  await page.waitForURL(`${shop.url}/orders/*`);
  await heading(page, 'yogazen.com');
  await page.locator('.timeline').getByText('We received your payment.').waitFor();
  expect(await steps(page)).toEqual(['We received your payment.']);

  // From here on the page is not loaded again: what it shows came by webhook.
  await page.evaluate('window.loadedOnce = true');
  const { orders } = await shop.client.orders.list({ domain: 'yogazen.com' });
  const public_id = orders[0]?.public_id ?? '';
  await shop.client.orders.advance({ public_id, to: 'TRANSFER_IN_PROGRESS' });
  await page.getByText('We asked the registrar to transfer the name.').waitFor();
  await page.locator('.stages [aria-current]').getByText('On its way').waitFor();
  await page.getByRole('status').getByText('The name is on its way to you.').waitFor();
  await picture(page, 'shop-order');
  await eventually(
    () => shop.client.orders.get({ public_id }),
    ({ transfer }) => transfer?.status === 'awaiting_confirmation',
  );
  await shop.client.orders.advance({ public_id, to: 'TRANSFER_COMPLETED' });
  await page.getByText('The name is in your account.').waitFor();
  await shop.client.orders.advance({ public_id, to: 'SETTLED' });
  await page.getByText('The order is settled. Thank you.').waitFor();
  // The sandbox registrar may be done before anybody asks it.
  const seen = (await steps(page)).filter((step) => step !== 'The registry is working on it.');
  expect(seen).toEqual([
    'We received your payment.',
    'The transfer has started.',
    'We asked the registrar to transfer the name.',
    'The registry transferred the name.',
    'The name is in your account.',
    'The order is settled. Thank you.',
  ]);
  await page.getByRole('button', { name: 'Simulate the next step' }).waitFor({ state: 'detached' });
  expect(await page.evaluate('window.loadedOnce')).toBe(true);
  await picture(page, 'shop-settled');
  expect(faults).toEqual([]);
});

it('the shop advances the sandbox marketplace step by step with a button', async () => {
  await scene.given('button.com');
  const { page, faults } = await scene.visit();
  await buy(page, 'button.com');
  for (const then of [
    'The transfer has started.',
    'The name is in your account.',
    'The order is settled. Thank you.',
  ]) {
    await press(page, 'Simulate the next step');
    await page.getByText(then).waitFor();
  }
  expect(faults).toEqual([]);
});

it('the shop charges nothing for a declined card, takes the buyer back and holds the name again', async () => {
  await scene.given('poor.com');
  const { page, faults } = await scene.visit();
  await quote(page, 'poor.com');
  await press(page, 'Pay $4,850');
  await payWith(page, CARDS.declined);
  await page.getByRole('alert').getByText('Your card was declined').waitFor();
  await press(page, /^Cancel and return/);
  await page.getByText('No payment was made, and nothing was charged.').waitFor();
  expect(await timer(page)).toMatch(/^(10:00|9:\d\d)$/);
  expect((await shop.client.orders.list({ domain: 'poor.com' })).orders).toEqual([]);
  expect(await shop.client.domains.get({ name: 'poor.com' })).toMatchObject({ status: 'held' });
  await picture(page, 'shop-unpaid');
  // Another card, another try.
  await press(page, 'Pay $4,850');
  await payWith(page, CARDS.good);
  await page.getByRole('link', { name: /^Return to/ }).click();
  await page.getByText('We received your payment.').waitFor();
  expect(faults).toEqual([]);
});

it('the shop counts a quote down, says when it expired and offers a new one', async () => {
  await scene.given('expires.com');
  const { page, faults } = await scene.browser.open();
  await page.clock.install();
  await page.goto(shop.url);
  await quote(page, 'expires.com');
  // Its script has begun to count.
  await page.waitForLoadState('load');
  // From here on the time of the page stands, but for what passes by command.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000);
  const says = page.getByRole('status');
  await page.clock.runFor(9 * MINUTE + 30_000);
  expect(await timer(page)).toMatch(/^0:[0-3]\d$/);
  expect(await says.textContent()).toBe('The price is valid for one minute more.');
  await page.getByRole('button', { name: /^Pay/ }).focus();
  await page.clock.runFor(MINUTE);
  await page.getByRole('heading', { name: 'This price has expired' }).waitFor();
  expect(await says.textContent()).toBe('This price has expired. You can get a new quote.');
  expect(await page.locator(':focus').textContent()).toBe('Get a new quote');
  await picture(page, 'shop-expired');
  await press(page, 'Get a new quote');
  await page.getByRole('button', { name: 'Pay $4,850' }).waitFor();
  expect(faults).toEqual([]);
});

it('the shop does not open the checkout for an expired quote', async () => {
  await scene.given('late.com');
  const { page } = await scene.visit();
  await quote(page, 'late.com');
  shop.advance(11 * MINUTE);
  await press(page, /^Pay \$/);
  await page.getByRole('heading', { name: 'This price has expired' }).waitFor();
  shop.advance(-11 * MINUTE);
});

it('the shop releases a name when the visitor chooses another', async () => {
  await scene.given('undecided.com');
  const { page } = await scene.visit();
  await quote(page, 'undecided.com');
  await press(page, 'Choose another name');
  await page.waitForURL(`${shop.url}/?q=undecided.com`);
  await page.getByRole('button', { name: getThis('undecided.com') }).waitFor();
  expect(await shop.client.domains.get({ name: 'undecided.com' })).toMatchObject({
    status: 'listed',
  });
});

it('the shop says when a name was sold in the meantime, before the quote and at checkout', async () => {
  await scene.given('quick.com');
  await scene.given('sold-till.com');
  const { page } = await scene.visit();
  await search(page, 'quick.com');
  await page.getByRole('button', { name: getThis('quick.com') }).waitFor();
  await scene.app.runtime.db
    .knex('listings')
    .where({ domain: 'quick.com' })
    .update({ status: 'sold' });
  await press(page, getThis('quick.com'));
  await heading(page, 'quick.com has just been sold');
  await picture(page, 'shop-sold');
  await page.getByRole('link', { name: 'See other names' }).click();
  await quote(page, 'sold-till.com');
  await press(page, /^Pay \$/);
  await page.getByRole('link', { name: /^Return to|^Back to/ }).click();
  await heading(page, 'sold-till.com has just been sold');
});

it('the shop says when the marketplace is down and continues where the visitor was', async () => {
  const { page } = await scene.visit();
  shop.loseMarket(true);
  await search(page, 'yoga');
  await heading(page, 'We cannot reach the marketplace');
  expect(await page.getByLabel('What is your name for?').inputValue()).toBe('yoga');
  await picture(page, 'shop-away');
  shop.loseMarket(false);
  await page.getByRole('link', { name: 'Try again' }).click();
  await heading(page, /names for “yoga”/);
});

it('the shop says when its live connection is lost and catches up when it is back', async () => {
  await scene.given('tunnel.com');
  const { page } = await scene.visit();
  const public_id = await buy(page, 'tunnel.com');
  const lost = page.getByText('Connection lost.');
  await page.route('**/live', (route) => route.abort());
  await page.reload();
  await lost.waitFor();
  await shop.client.orders.advance({ public_id, to: 'TRANSFER_IN_PROGRESS' });
  await page.unroute('**/live');
  await page.getByText('The transfer has started.').waitFor();
  await lost.waitFor({ state: 'hidden' });
});

it('the shop works with the keyboard alone', async () => {
  await scene.given('keys.com');
  const { page } = await scene.visit();
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('keys.com');
  await page.keyboard.press('Enter');
  await heading(page, /for “keys\.com”/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading(page, 'keys.com');
});

it('the shop works without JavaScript', async () => {
  await scene.given('plain.com');
  const { page } = await scene.visit({ javaScriptEnabled: false });
  await buy(page, 'plain.com');
  await page.getByText('We received your payment.').waitFor();
});

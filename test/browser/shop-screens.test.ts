import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { MINUTE } from '../../shared/platform/clock.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { picture } from '../support/browser.ts';
import type { TestShop } from '../support/shop.ts';
import {
  buy,
  heading,
  pay,
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

describe.each([360, 768, 1_280])('the demo shop at %i px', (width) => {
  it('has no faults, light or dark', async () => {
    const domain = `a-rather-long-name-that-somebody-wants-${width}.com`;
    await scene.given(domain);
    const { page, faults } = await scene.visit({ viewport: { width, height: 800 } });
    /** `expected` are the faults that a browser tells of a page which answers with 4xx or 5xx. */
    const look = async (name: string, expected = 0) => {
      const sideways = await page.evaluate<number>(
        'document.documentElement.scrollWidth - window.innerWidth',
      );
      const console = faults.splice(0).slice(expected);
      const axe = await accessibilityFaults(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await picture(page, `shop-${name}-${width}-${colorScheme}`);
      }
      expect({ name, axe, console, sideways }).toEqual({
        name,
        axe: [],
        console: [],
        sideways: 0,
      });
    };
    await look('home');
    await search(page, 'yoga');
    await heading(page, /names for/);
    await look('results');
    await search(page, 'qqxzzv');
    await heading(page, /^Nothing for/);
    await look('nothing');
    await quote(page, domain);
    await page.getByText('Test cards').click();
    await look('quote');
    await page.goto(`${page.url()}?unpaid`);
    await look('unpaid');
    shop.advance(11 * MINUTE);
    await page.reload();
    await page.getByRole('heading', { name: 'This price has expired' }).waitFor();
    await look('expired');
    shop.advance(-11 * MINUTE);
    await press(page, 'Get a new quote');
    await pay(page);
    await look('order');
    await page.goto(`${shop.url}/orders/unknown`);
    await look('unknown', 1);
  });
});

// Not a test: retakes the screenshot in the README.
const { SHOP_PICTURE } = process.env;
if (SHOP_PICTURE) {
  it('takes the README screenshot', async () => {
    const shot = async (page: Page) => (await page.screenshot()).toString('base64');
    const { page: desk } = await scene.visit({ viewport: { width: 1_064, height: 640 } });
    await search(desk, 'yoga');
    await heading(desk, /names for/);
    const results = await shot(desk);

    await scene.given('yogaharbor.com', 495_000, 'Yoga');
    const { page: phone } = await scene.visit({
      viewport: { width: 360, height: 590 },
      colorScheme: 'dark',
    });
    const public_id = await buy(phone, 'yogaharbor.com');
    await shop.client.orders.advance({ public_id, to: 'TRANSFER_IN_PROGRESS' });
    await phone.getByText('We asked the registrar to transfer the name.').waitFor();
    await phone.mouse.wheel(0, 118);
    const order = await shot(phone);

    const { page } = await scene.browser.open({ viewport: { width: 1_480, height: 720 } });
    await page.setContent(`<style>
      body { margin: 0; background: #ddd5f3; }
      img { position: absolute; border-radius: 16px; box-shadow: 0 4px 12px #2a147030; }
      .desk { left: 40px; top: 40px; }
      .phone { right: 40px; bottom: 40px; border: 8px solid #08060e; border-radius: 36px; }
    </style>
    <img class="desk" src="data:image/png;base64,${results}">
    <img class="phone" src="data:image/png;base64,${order}">`);
    await page.screenshot({ path: SHOP_PICTURE });
  });
}

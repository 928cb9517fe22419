import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { MAIL_KINDS } from '../../shared/messaging/mail/mail.ts';
import { previewMail } from '../../shared/operations/mail-catalogue/preview-mail.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { picture, startBrowser, type TestBrowser, wholePage } from '../support/browser.ts';

/** What each mail looks like: `UPDATE_PICTURES=1 npm run test:browser -- mail` makes them anew. */
const GOLDEN = new URL('./pictures/mail/', import.meta.url);
const FONTS = new URL('fonts.txt', GOLDEN);
const UPDATES = process.env.UPDATE_PICTURES === '1';
/** Of all pixels, how many may differ: edges of letters come out a little different. */
const TOLERANCE = 0.01;

let app: TestApp;
let browser: TestBrowser;
/** Whether letters are as wide here as where the pictures were made: with other fonts none would be equal. */
let sameFonts: boolean;

beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on', MAIL_FROM: 'Example Domains <mail@market.example>' });
  browser = await startBrowser();
  mkdirSync(GOLDEN, { recursive: true });
  const { page } = await browser.open();
  await page.setContent('<span style="font: 40px system-ui">Your domain is on its way 0123</span>');
  const fonts = String(
    await page.evaluate("document.querySelector('span').getBoundingClientRect().width.toFixed(1)"),
  );
  if (UPDATES) writeFileSync(FONTS, `${fonts}\n`);
  sameFonts = existsSync(FONTS) && readFileSync(FONTS, 'utf8').trim() === fonts;
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

async function shown(kind: (typeof MAIL_KINDS)[number], options: object): Promise<Page> {
  const { html } = await previewMail({ config: app.runtime.config }, kind);
  const { page } = await browser.open({ javaScriptEnabled: false, ...options });
  await page.setContent(html);
  return page;
}

/** The share of pixels that differ clearly; 1 for pictures of other sizes. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const { page } = await browser.open();
  const urls = [one, other].map((png) => `data:image/png;base64,${png.toString('base64')}`);
  const share = await page.evaluate(`(async () => {
    const read = async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const [a, b] = await Promise.all(${JSON.stringify(urls)}.map(read));
    if (a.width !== b.width || a.height !== b.height) return 1;
    let differ = 0;
    for (let at = 0; at < a.data.length; at += 4) {
      const by = [0, 1, 2].map((c) => Math.abs(a.data[at + c] - b.data[at + c]));
      if (Math.max(...by) > 48) differ += 1;
    }
    return differ / (a.data.length / 4);
  })()`);
  await page.context().close();
  return Number(share);
}

describe.each(MAIL_KINDS)('the mail %s', (kind) => {
  it.each([390, 700])('fits %i px and matches its reference image', async (width) => {
    const page = await shown(kind, { viewport: { width, height: 500 } });
    const overhang = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overhang).toBe(0);
    await picture(page, `mail-${kind}-${width}`);
    const png = await wholePage(page);
    await page.context().close();
    const golden = new URL(`${kind}-${width}.png`, GOLDEN);
    if (UPDATES) writeFileSync(golden, png);
    if (sameFonts) expect(await difference(png, readFileSync(golden))).toBeLessThan(TOLERANCE);
  });
});

it('mail is readable in dark mode', async () => {
  const page = await shown('receipt', {
    viewport: { width: 700, height: 500 },
    colorScheme: 'dark',
  });
  const colorsOf = (selector: string) =>
    page.evaluate(
      `(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.querySelector('${selector}')))`,
    ) as Promise<string[]>;
  const [, card] = await colorsOf('.card');
  const [text] = await colorsOf('.value');
  expect([card, text]).toEqual(['rgb(26, 32, 48)', 'rgb(233, 237, 247)']);
  await picture(page, 'mail-receipt-dark');
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { picture } from './browser.ts';

/** The minified build of the package: a browser parses it in a third of the time. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The narrowest window that a page must fit (WCAG 1.4.10), a tablet, a desktop. */
const WIDTHS = [320, 768, 1_280];

/** Checks a page at every width in both color schemes: it must fit, and axe must find no faults. */
export async function expectNoFaultsAtAnyWidth(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const tooWide = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    await page.emulateMedia({ colorScheme: 'light' });
    await picture(page, `${name}-${width}`);
    // Leaves the page in the dark scheme.
    const axe = await accessibilityFaults(page);
    expect({ name, width, tooWide, axe }).toEqual({ name, width, tooWide: 0, axe: [] });
    await picture(page, `${name}-${width}-dark`);
  }
}

/**
 * Returns a page's accessibility faults in the light and the dark scheme: one line per fault, with the element. All axe
 * rules run in the light scheme; only colors differ in the dark one.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate(SETTLED);
  await bringAxe(page);
  const light = await violations(page, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(SETTLED);
  const dark = await violations(page, { runOnly: ['color-contrast'] });
  return [...light, ...dark.map((fault) => `dark: ${fault}`)];
}

/**
 * Loads axe once per page, over CDP so that the page's content policy does not apply, and bypassing Playwright, which
 * parses evaluated code once itself: parsing axe takes a browser longer than axe takes to check a page.
 */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>(`'axe' in window`)) return;
  // Detaching would remove the passkeys of a virtual device; the session ends with the page.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
}

/** Resolves when the page has applied the change and its colors have settled. */
const SETTLED = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();
  const moving = document.getAnimations().filter((each) => each instanceof CSSTransition);
  await Promise.allSettled(moving.map((each) => each.finished));
})()`;

async function violations(page: Page, options: axe.RunOptions): Promise<string[]> {
  const run = { resultTypes: ['violations'], ...options };
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(run)})`,
  )) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => {
      const [why] = [...node.any, ...node.all, ...node.none];
      return `${id}: ${node.target.join(' ')}: ${why?.message ?? ''}`;
    }),
  );
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { picture } from './browser.ts';

/** The short form of what the package exports: a browser reads it in a third of the time. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The narrowest window that a page has to fit (WCAG 1.4.10), a tablet, a desktop. */
const WIDTHS = [320, 768, 1_280];

/** Looks at a page at every width in both lights, where it must fit and axe find nothing. */
export async function expectNoFaultsAtAnyWidth(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const tooWide = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    await page.emulateMedia({ colorScheme: 'light' });
    await picture(page, `${name}-${width}`);
    // Leaves the page in the dark.
    const axe = await accessibilityFaults(page);
    expect({ name, width, tooWide, axe }).toEqual({ name, width, tooWide: 0, axe: [] });
    await picture(page, `${name}-${width}-dark`);
  }
}

/**
 * What a page has against it, in the light and in the dark: one line a fault, with the element. Every rule
 * that axe knows is tried in the light; in the dark nothing but colours differs.
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
 * Once for each page, from outside, so that its content policy has no say, and past Playwright, which reads what it
 * evaluates once by itself: a browser takes longer to read axe than axe to look at a page.
 */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>(`'axe' in window`)) return;
  // Its end would take the passkeys of a virtual device along; it ends with the page.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
}

/** Resolves when the page has heard of the change, and its colours have come to rest. */
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

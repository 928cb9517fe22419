import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What a page has against it, in the light and in the dark: one line a fault, with the element. Every rule
 * that axe knows is tried in the light; in the dark nothing but colours differs.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate(SETTLED);
  // Evaluated from outside of the page, so that its content policy has no say.
  await page.evaluate(axe.source);
  const light = await violations(page, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(SETTLED);
  const dark = await violations(page, { runOnly: ['color-contrast'] });
  return [...light, ...dark.map((fault) => `dark: ${fault}`)];
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

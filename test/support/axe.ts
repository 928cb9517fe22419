import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What a page has against it, by every rule that axe knows: one line a fault, with the element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Evaluated from outside of the page, so that its content policy has no say.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  )) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => {
      const [why] = [...node.any, ...node.all, ...node.none];
      return `${id}: ${node.target.join(' ')}: ${why?.message ?? ''}`;
    }),
  );
}

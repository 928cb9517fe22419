import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordProbes } from '../../shared/operations/status-history/status-history.ts';
import { COMPONENTS } from '../../shared/operations/status-history/status-rule.ts';
import { addMs, DAY, MINUTE } from '../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { picture, startBrowser, type TestBrowser } from '../support/browser.ts';

const MINUTES = 20;

let app: TestApp;
let browser: TestBrowser;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp(), startBrowser()]);
  // Away from midnight: what is shown by days is of one day.
  const now = app.runtime.clock.now();
  now.setUTCHours(12, 0, 0, 0);
  app.runtime.clock.set(now);
  // Forty days, on two of which webhooks failed, and queues for all of the last.
  const first = Math.floor(addMs(now, -MINUTES * MINUTE).getTime() / MINUTE) * MINUTE;
  for (let day = 40; day >= 0; day -= 1) {
    const probes = COMPONENTS.flatMap((component) =>
      Array.from({ length: MINUTES }, (_, nth) => ({
        component,
        at: addMs(new Date(first), nth * MINUTE - day * DAY),
        ok: !(component === 'webhooks' && [9, 21].includes(day) && nth > 2 && nth < 9),
      })),
    ).map((probe) => (probe.component === 'queues' && day === 0 ? { ...probe, ok: false } : probe));
    await recordProbes(app.runtime, probes);
  }
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

describe('the uptime history on the status page', () => {
  it('has a bar for each day and the same data in tables', async () => {
    const { page } = await browser.open({ javaScriptEnabled: false });
    await page.goto(`${app.url}/docs/status`);
    expect(await page.locator('.uptime').count()).toBe(COMPONENTS.length);
    const webhooks = page.getByRole('img', { name: /^Webhook delivery: 98\.53% in 90 days/ });
    expect(await webhooks.locator('rect.up').count()).toBe(41);
    expect(await webhooks.locator('rect.down').count()).toBe(2);
    expect(await webhooks.locator('rect.unknown').count()).toBe(49);
    const uptime = page.getByRole('table').filter({ hasText: '30 days' });
    expect(await uptime.getByRole('row', { name: /^Webhook delivery/ }).textContent()).toContain(
      '98.00%',
    );
    const incidents = page.getByRole('table').filter({ hasText: 'Duration' });
    expect(await incidents.getByRole('row').count()).toBe(4);
    const [latest] = await incidents
      .getByRole('row', { name: /Background work/ })
      .allTextContents();
    expect(latest).toContain('Ongoing');
    await page.getByText('Days with failed probes').first().click();
    await page.getByRole('cell', { name: '6 of 20' }).first().waitFor();
  });

  it.each([390, 768, 1_280])('has no accessibility faults at %d px', async (width) => {
    const { page, faults } = await browser.open({ viewport: { width, height: 900 } });
    await page.goto(`${app.url}/docs/status`);
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await picture(page, `status-${width}`);
    expect(faults).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../../support/console.ts';
import { givenSearchableListing } from '../../../support/inventory.ts';

let app: TestApp;
let ops: ConsoleVisitor;
beforeAll(async () => {
  app = await startTestApp();
  ops = await givenVisitor(app);
  const list = (domain: string, priceCents: number, keywords?: string[]) =>
    givenSearchableListing(app.runtime, { domain, priceCents, keywords });
  await list('coffeecorner.com', 30_000);
  await list('latteland.com', 40_000, ['coffee']);
  await list('coffee.net', 900_000);
  await list('quietriver.com', 20_000);
  await list('bücherei.de', 20_000);
});
afterAll(() => app?.stop());

/** The readable text of the page for a query in the SANDBOX inventory. */
async function page(q: string, environment = 'SANDBOX'): Promise<string> {
  const query = new URLSearchParams({ q, environment });
  const { status, text } = await ops.visit(`/market-search?${query}`);
  expect(status).toBe(200);
  expect(text).not.toMatch(/undefined|\[object|NaN|null/);
  return readable(text);
}

describe('the market search page', () => {
  it('is in the navigation and first asks for a query', async () => {
    const { text } = await ops.visit('/market-search');
    expect(text).toMatch(
      /<a href="\/ops\/market-search" aria-current="page">.*?Market search<\/a>/,
    );
    expect(readable(text)).toContain('Type a query to see what the search understands');
  });

  it('separates limits and preferences from the topic', async () => {
    const text = await page('short coffee names under $5,000 .com but not latte');
    expect(text).toContain('Topic coffee');
    expect(text).toContain('Suffixes .com');
    expect(text).toContain('Price at most $5,000.00');
    expect(text).toContain('Not about latte');
    expect(text).toContain('Wishes Short');
  });

  it('explains a score by its features and by what each word matched', async () => {
    const text = await page('coffee');
    expect(text).toMatch(/3 of \d candidates are relevant/);
    expect(text).toMatch(/coffee\.net \$9,000\.00 \d\.\d{3} Exact label/);
    expect(text).toMatch(/latteland\.com \$400\.00 .* coffee: coffe, keywords \d\.\d\d/);
    expect(text).toMatch(/Coverage \d\.\d\d .*Precision \d\.\d\d/);
  });

  it('shows what each search method found, and how it corrected a word', async () => {
    const text = await page('cofee');
    expect(text).toMatch(/cofee Topic coffee/);
    expect(text).toMatch(/Exact name cofee, coffee 1 1/);
    expect(text).toMatch(/Name, keywords/);
  });

  it('says that nothing is relevant, and searches one environment only', async () => {
    expect(await page('xqzvwk')).toContain('0 of 0 candidates are relevant');
    expect(await page('coffee', 'LIVE')).toContain('No candidates.');
    expect(await page('...')).toContain('The query has nothing to look for.');
  });

  it('finds the best names for a query of limits only, and shows names in their own script', async () => {
    const text = await page('.de under $300');
    expect(text).toContain('Topic none, only limits');
    expect(text).toContain('bücherei.de xn--bcherei-n2a.de $200.00');
    expect(text).toContain('Best names');
  });
});

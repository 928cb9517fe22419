import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { linksMailed } from '../support/account-mail.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { CARDS, givenSession } from '../support/checkout.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { eventually } from '../support/eventually.ts';
import { givenPolicy } from '../support/given-policy.ts';
import { registered, registrySettings } from '../support/live-registry.ts';
import { PROMPT } from '../support/quick-fleet.ts';
import { startSignInApp } from '../support/sign-in.ts';

const DIGEST = 'D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A';

let registry: DemoRegistry;
let app: TestApp;
let browser: TestBrowser;
let fleet: WorkerProcess;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startSignInApp({
    ...PROMPT,
    ...registrySettings(registry),
    MAIL: 'on',
    RATE_LIMITS: 'off',
    TRANSFER_POLICY_LIVE: 'automatic',
    transferPollMaxMs: 100,
  });
  // Else the sale, which changes the registrant, would lock the domain.
  await givenPolicy(app.runtime, 0);
  browser = await startBrowser();
  fleet = startWorkers(app.runtime, {
    queues: ['transfers', 'transfer-polls', 'bulk-domains', 'payments'],
  });
}, 60_000);
afterAll(async () => {
  await browser?.stop();
  await fleet?.stop();
  await app?.stop();
  await registry?.close();
});

const { signal } = createSharedAbort();
const recordOf = (domain: string) => registry.state.domains[domain];
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** A buyer who writes as people do where they live. */
interface Buyer {
  domain: string;
  email: string;
  country: string;
  name: string;
  street: string;
  city: string;
  state?: string;
  postalCode: string;
  phone: string;
  direction: 'ltr' | 'rtl';
  /** The name in ASCII, as the registry has it beside. */
  inAscii: RegExp;
}

const GERMAN: Buyer = {
  domain: 'oakdeck.com',
  email: 'german@example.com',
  country: 'DE',
  name: 'Jürgen Beispiel',
  street: 'Königstraße 12',
  city: 'Würzburg',
  postalCode: '97070',
  phone: '+49 931 123456',
  direction: 'ltr',
  inAscii: /^Jurgen Beispiel$/,
};
const ARABIC: Buyer = {
  domain: 'palmdeck.com',
  email: 'arabic@example.com',
  country: 'SA',
  name: 'فلان الفلاني',
  street: 'شارع الملك فهد 12',
  city: 'الرياض',
  postalCode: '12271',
  phone: '+966 11 234 5678',
  direction: 'rtl',
  inAscii: /^[A-Za-z]+ [A-Za-z]+$/,
};
const JAPANESE: Buyer = {
  domain: 'cedardeck.com',
  email: 'japanese@example.com',
  country: 'JP',
  name: '山田 太郎',
  street: '千代田1-1',
  city: '千代田区',
  state: '東京都',
  postalCode: '100-0001',
  phone: '+81 3 3213 1111',
  direction: 'ltr',
  inAscii: /^[A-Za-z]+ [A-Za-z]+$/,
};

/** Which way the first text of an element runs. */
const directionOf = (place: Locator) =>
  place.evaluate((element) => getComputedStyle(element).direction);

/** From a card to name servers at the registry, by what the buyer sees; ends on the page of the domain. */
async function buyAndManage(buyer: Buyer): Promise<{ page: Page; faults: string[] }> {
  const { domain, email, name, street, city, state, direction } = buyer;
  registered(registry, 'gaining', domain);
  const { client } = await app.partner({ environment: 'LIVE' });
  const session = await givenSession(app, client, { environment: 'LIVE', domain });
  const { page, faults } = await browser.open();

  await page.goto(session.url);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Full name').fill(name);
  expect(await directionOf(page.getByLabel('Full name'))).toBe(direction);
  await page.getByLabel('Country').selectOption(buyer.country);
  await page.getByLabel('Card number').pressSequentially(CARDS.good.replaceAll(' ', ''));
  await page.getByLabel('Expiry date').pressSequentially('1239');
  await page.getByLabel('Security code').fill('123');
  await button(page, /^Pay /).click();
  await page.getByRole('heading', { name: `Thank you, you bought ${domain}` }).waitFor();

  await page.getByRole('link', { name: 'See where your order stands' }).click();
  const purchase = page.url();
  await page.getByRole('heading', { name: 'It’s your turn' }).waitFor();
  await picture(page, `bought-your-turn-${buyer.country}`);
  await page.getByRole('link', { name: 'Enter the details' }).click();
  await page.getByLabel('Street and number').fill(street);
  await page.getByLabel('City').fill(city);
  if (state !== undefined) await page.getByLabel(/^State/).fill(state);
  await page.getByLabel('Postal code').fill(buyer.postalCode);
  await page.getByLabel('Phone number').fill(buyer.phone);
  for (const label of ['Full name', 'Street and number', 'City']) {
    expect(await directionOf(page.getByLabel(label))).toBe(direction);
  }
  expect(await directionOf(page.getByLabel('Phone number'))).toBe('ltr');
  await picture(page, `bought-registrant-${buyer.country}`);
  await button(page, 'Register it here').click();
  await page.getByText('Saved.').waitFor();

  const [claim = ''] = await eventually(
    () => linksMailed(app.runtime, 'claim-domain', email),
    (links) => links.length > 0,
    { everyMs: 50 },
  );
  await page.goto(purchase);
  await page.getByText('Claim the domain into an account with us').first().waitFor();
  await picture(page, `bought-claim-${buyer.country}`);
  await page.goto(app.url + claim);
  await page.getByLabel('Choose a password').fill(PASSWORD);
  await button(page, `Claim ${domain}`).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await button(page, /^Sign in$/).click();
  await page.getByRole('heading', { name: domain }).waitFor();
  expect(await directionOf(page.getByText(name))).toBe(direction);
  expect(await directionOf(page.getByText(street))).toBe(direction);
  await picture(page, `bought-domain-${buyer.country}`);

  const contact = registry.state.contacts[recordOf(domain)?.registrant ?? ''];
  const written = (type: string) => contact?.postalInfo.find((each) => each.type === type);
  expect(written('loc')).toMatchObject({ name, street: [street], city });
  expect(written('int')).toMatchObject({
    name: expect.stringMatching(buyer.inAscii),
    street: [expect.stringMatching(/^[\x20-\x7e]+$/)],
    city: expect.stringMatching(/^[\x20-\x7e]+$/),
  });

  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByLabel('Nameservers').fill('ns1.example.net\nns2.example.net');
  await button(page, 'Change nameservers').click();
  // No reload: the page follows its change.
  await page.getByText('Done.', { exact: true }).waitFor();
  await picture(page, `bought-nameservers-${buyer.country}`);
  expect(recordOf(domain)?.nameservers).toEqual(['ns1.example.net', 'ns2.example.net']);
  return { page, faults };
}

it.each([
  ['German', GERMAN],
  ['Arabic', ARABIC],
])(
  'a buyer who writes %s pays by card, claims the domain and manages it',
  async (_script, buyer) => {
    const { faults } = await buyAndManage(buyer);
    expect(faults).toEqual([]);
  },
  120_000,
);

it('a buyer who writes Japanese pays by card, manages DNSSEC and transfers the domain out', async () => {
  const { domain } = JAPANESE;
  const { page, faults } = await buyAndManage(JAPANESE);

  await page.getByRole('link', { name: 'Manage DNSSEC' }).click();
  await page
    .getByRole('textbox', { name: 'DS record' })
    .fill(`${domain}. IN DS 60485 13 2 ${DIGEST}`);
  await button(page, 'Add the DS record').click();
  await page.getByText('Done.', { exact: true }).waitFor();
  expect(recordOf(domain)?.dsData).toMatchObject([{ keyTag: 60_485, digest: DIGEST }]);

  await page.getByRole('link', { name: 'Move to another registrar' }).click();
  await page.getByLabel('Current password').fill(PASSWORD);
  await button(page, 'Show the authorization code').click();
  const code = (await page.locator('.auth-code').textContent())?.trim() ?? '';
  await picture(page, 'bought-code');
  expect(recordOf(domain)?.authInfo).toBe(code);
  const name = { clTRID: 'ask-1', since: registry.clock.now(), resumed: false, signal };
  await registry.client('losing').requestTransfer({ domain, authInfo: code }, name);
  await eventually(
    async () => recordOf(domain)?.clID,
    (holder) => holder === 'losing',
    { everyMs: 50 },
  );
  await eventually(
    async () => (await app.runtime.db.knex('owned_domains').where({ domain })).length,
    (count) => count === 0,
    { everyMs: 50 },
  );
  await page.goto(`${app.url}/account/domains`);
  await page.getByText('No domains yet.').waitFor();
  expect(faults).toEqual([]);
}, 120_000);

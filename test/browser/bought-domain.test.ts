import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
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
import { QUICK } from '../support/quick-fleet.ts';
import { startSignInApp } from '../support/sign-in.ts';

const BUYER = 'buyer@example.com';
const DOMAIN = 'oakdeck.com';
const DIGEST = 'D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A';

let registry: DemoRegistry;
let app: TestApp;
let browser: TestBrowser;
let fleet: WorkerProcess;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startSignInApp({
    ...QUICK,
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
const recordOf = () => registry.state.domains[DOMAIN];
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

it('goes from a card to its buyer, who manages it, and from there to another registrar', async () => {
  registered(registry, 'gaining', DOMAIN);
  const { client } = await app.partner({ environment: 'LIVE' });
  const session = await givenSession(app, client, { environment: 'LIVE', domain: DOMAIN });
  const { page, faults } = await browser.open();

  await page.goto(session.url);
  await page.getByLabel('E-mail address').fill(BUYER);
  await page.getByLabel('Full name').fill('山田 太郎');
  await page.getByLabel('Country').selectOption('JP');
  await page.getByLabel('Card number').pressSequentially(CARDS.good.replaceAll(' ', ''));
  await page.getByLabel('Expiry date').pressSequentially('1239');
  await page.getByLabel('Security code').fill('123');
  await button(page, /^Pay /).click();
  await page.getByRole('heading', { name: `Thank you, you bought ${DOMAIN}` }).waitFor();

  await page.getByRole('link', { name: 'See where your order stands' }).click();
  const purchase = page.url();
  await page.getByRole('heading', { name: 'It is your turn' }).waitFor();
  await picture(page, 'bought-your-turn');
  await page.getByRole('link', { name: 'Enter the details' }).click();
  await page.getByLabel('Street and number').fill('千代田1-1');
  await page.getByLabel('City').fill('千代田区');
  await page.getByLabel(/^State/).fill('東京都');
  await page.getByLabel('Postal code').fill('100-0001');
  await page.getByLabel('Phone number').fill('+81 3 3213 1111');
  await button(page, 'Register it here').click();
  await page.getByText('Saved.').waitFor();

  const [claim = ''] = await eventually(
    () => linksMailed(app.runtime, 'claim-domain', BUYER),
    (links) => links.length > 0,
    { everyMs: 50 },
  );
  await page.goto(purchase);
  await page.getByText('Take the domain into an account with us').first().waitFor();
  await picture(page, 'bought-claim');
  await page.goto(app.url + claim);
  await page.getByLabel('Choose a password').fill(PASSWORD);
  await button(page, `Take ${DOMAIN}`).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail address').fill(BUYER);
  await page.getByLabel('Password').fill(PASSWORD);
  await button(page, /^Sign in$/).click();
  await page.getByRole('heading', { name: DOMAIN }).waitFor();
  expect(Object.values(registry.state.contacts)).toHaveLength(1);

  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByLabel('Nameservers').fill('ns1.example.net\nns2.example.net');
  await button(page, 'Change nameservers').click();
  // No reload: the page follows its change.
  await page.getByText('Done.', { exact: true }).waitFor();
  await picture(page, 'bought-nameservers');
  expect(recordOf()?.nameservers).toEqual(['ns1.example.net', 'ns2.example.net']);

  await page.getByRole('link', { name: 'Manage DNSSEC' }).click();
  await page
    .getByRole('textbox', { name: 'DS record' })
    .fill(`${DOMAIN}. IN DS 60485 13 2 ${DIGEST}`);
  await button(page, 'Add the DS record').click();
  await page.getByText('Done.', { exact: true }).waitFor();
  expect(recordOf()?.dsData).toMatchObject([{ keyTag: 60_485, digest: DIGEST }]);

  await page.getByRole('link', { name: 'Move to another registrar' }).click();
  await page.getByLabel('Current password').fill(PASSWORD);
  await button(page, 'Show the authorization code').click();
  const code = (await page.locator('.auth-code').textContent())?.trim() ?? '';
  await picture(page, 'bought-code');
  expect(recordOf()?.authInfo).toBe(code);
  const name = { clTRID: 'ask-1', since: registry.clock.now(), resumed: false, signal };
  await registry.client('losing').requestTransfer({ domain: DOMAIN, authInfo: code }, name);
  await eventually(
    async () => recordOf()?.clID,
    (holder) => holder === 'losing',
    { everyMs: 50 },
  );
  await eventually(
    async () => (await app.runtime.db.knex('owned_domains').where({ domain: DOMAIN })).length,
    (count) => count === 0,
    { everyMs: 50 },
  );
  await page.goto(`${app.url}/account/domains`);
  await page.getByText('You have no domains here yet.').waitFor();
  expect(faults).toEqual([]);
}, 120_000);

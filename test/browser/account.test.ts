import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startWorkers } from '../../workers/start-workers.ts';
import { linksMailed } from '../support/account-mail.ts';
import { type AccountScene, givenAccountScene } from '../support/account-scene.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { expectNoFaultsAtAnyWidth } from '../support/axe.ts';
import { picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { finished, givenOwnerOf } from '../support/bulk.ts';
import { givenPrices } from '../support/renewals.ts';
import { startSignInApp } from '../support/sign-in.ts';

let app: TestApp;
let browser: TestBrowser;
let owner: AccountScene;

beforeAll(async () => {
  [app, browser] = await Promise.all([
    startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' }),
    startBrowser(),
  ]);
  await givenPrices(app.runtime);
  owner = await givenAccountScene(app);
}, 60_000);
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${app.url}/account/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
}

async function visit(email: string, options: BrowserContextOptions = {}) {
  const opened = await browser.open(options);
  await signIn(opened.page, email);
  return opened;
}

// Must run before any worker starts because one of the pages shows a queued job.
describe('the account pages in a browser', () => {
  it('have no faults at any width, light or dark', async () => {
    const { page, faults } = await visit(owner.email);
    const [domain] = owner.domains;
    const pages = {
      domains: '/domains',
      'domains-none': '/domains?text=nothing-like-it',
      domain: `/domains/${domain}`,
      'domain-nameservers': `/domains/${domain}/change/nameservers`,
      'domain-dnssec': `/domains/${domain}/dnssec`,
      'domain-transfer': `/domains/${domain}/transfer`,
      'domain-renew': `/domains/${domain}/renew`,
      'domain-restore': `/domains/${domain}/restore`,
      bulk: '/bulk',
      nameservers: '/bulk/nameservers',
      list: '/bulk/list',
      jobs: '/jobs',
      'jobs-none': '/jobs?status=completed',
      job: `/jobs/${owner.jobId}`,
      payments: '/payments',
      apps: '/apps',
      security: '/security',
      'passkey-new': '/passkeys/new',
    };
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`${app.url}/account${path}`);
      await expectNoFaultsAtAnyWidth(page, `account-${name}`);
    }
    await page.goto(`${app.url}/account/bulk/renew`);
    await page
      .getByLabel('Domains')
      .fill([...owner.domains, 'not-mine.com', 'not a name'].join('\n'));
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('heading', { name: 'Skipped' }).waitFor();
    await expectNoFaultsAtAnyWidth(page, 'account-review');
    expect(faults).toEqual([]);
  }, 300_000);

  it('have no faults when the owner has nothing yet', async () => {
    const { email } = await givenOwnerOf(app.runtime, 0);
    const { page } = await visit(email);
    for (const path of ['/domains', '/jobs', '/apps']) {
      await page.goto(`${app.url}/account${path}`);
      await expectNoFaultsAtAnyWidth(page, `account-empty${path.replace('/', '-')}`);
    }
  }, 120_000);
});

describe('a renewal in a browser', () => {
  it('goes from the price through payment to the receipt and saves the card', async () => {
    const { runtime } = app;
    const buyer = await givenOwnerOf(runtime, 1);
    const [domain = ''] = buyer.domains;
    const { page, faults } = await visit(buyer.email);
    await page.goto(`${app.url}/account/domains/${domain}`);
    await page.getByRole('link', { name: 'Renew', exact: true }).click();
    await page.getByLabel('Renew for').selectOption('2');
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByText('New expiry date').waitFor();
    await expectNoFaultsAtAnyWidth(page, 'account-renew-price');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('heading', { name: `Renew ${domain}` }).waitFor();
    await expectNoFaultsAtAnyWidth(page, 'account-renew-pay');
    await page.getByLabel('Full name').fill('A. Owner');
    await page.getByLabel('Country').selectOption('DE');
    await page.getByLabel('Card number').fill('4242424242424242');
    await page.getByLabel('Expiry date').fill('1239');
    await page.getByLabel('Security code').fill('123');
    await page.getByLabel('Keep this card').check();
    await page.getByRole('button', { name: /^Pay \$/ }).dblclick();
    await page.getByRole('heading', { name: 'Payment received' }).waitFor();
    await picture(page, 'account-renew-paid');
    const fleet = startWorkers(runtime, { queues: ['transfers', 'payments'] });
    // The page looks again by itself.
    await page.getByRole('heading', { name: `${domain} is renewed` }).waitFor();
    await fleet.stop();
    await expectNoFaultsAtAnyWidth(page, 'account-renew-done');
    const receipt = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Receipt' }).click();
    expect((await receipt).suggestedFilename()).toMatch(/^RCP-.*\.pdf$/);
    await page.goto(`${app.url}/account/payments`);
    await page.getByText('Visa ending in 4242').waitFor();
    await expectNoFaultsAtAnyWidth(page, 'account-payments-card');
    expect(await runtime.db.knex('payments').whereNotNull('renewal_id')).toHaveLength(1);
    expect(faults).toEqual([]);
  }, 180_000);
});

/** Enough for several workers' turns, so that there is something to watch. */
const MANY = 300;

const progressOf = (page: Page) => page.locator('.progress');

describe('a bulk change in a browser', () => {
  it('goes from the list through a review to its results with live progress', async () => {
    const many = await givenOwnerOf(app.runtime, MANY);
    const { page, faults } = await visit(many.email);
    await page.getByLabel('Select all on this page').check();
    await page.getByText('50 of 50 on this page selected').waitFor();
    await page.getByLabel('Change', { exact: true }).selectOption('matching');
    await page.getByLabel('What to do').selectOption('auto_renew');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('heading', { name: 'Turn auto-renew on?' }).waitFor();
    await page.getByText('And 200 domains more.').waitFor();
    await page.getByRole('button', { name: `Change ${MANY} domains` }).click();
    await page.getByText('The change has started.').waitFor();
    expect(await progressOf(page).textContent()).toContain(`0 of ${MANY} done`);
    const stream = page.waitForResponse(/\/stream$/);
    await page.reload();
    expect((await stream).headers()['content-type']).toContain('text/event-stream');

    const fleet = startWorkers(app.runtime, { queues: ['bulk-domains'] });
    await page.getByText(`${MANY} of ${MANY} done`).waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
    await fleet.stop();
    await picture(page, 'account-job-done');
    const file = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download as CSV' }).click();
    expect((await file).suggestedFilename()).toMatch(/^change-blk_\w+\.csv$/);
    expect(faults).toEqual([]);
  }, 120_000);

  it('works with the keyboard alone', async () => {
    const few = await givenOwnerOf(app.runtime, 3);
    const { page } = await visit(few.email);
    /** Goes on with Tab until what has the focus is of this name. */
    const tabTo = async (name: RegExp) => {
      for (let at = 0; at < 60; at += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate<string>(
          'document.activeElement.labels?.[0]?.textContent || document.activeElement.ariaLabel || document.activeElement.textContent',
        );
        if (name.test(focused)) return;
      }
      throw new Error(`Tab never comes to ${name}`);
    };
    await tabTo(/^Skip to the content$/);
    await page.keyboard.press('Enter');
    await tabTo(/^Select /);
    await page.keyboard.press('Space');
    await tabTo(/^What to do$/);
    await page.keyboard.press('L');
    await tabTo(/^Continue$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Lock or unlock' }).waitFor();
    await tabTo(/^Set to$/);
    await page.keyboard.press('O');
    await tabTo(/^Review$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Will change' }).waitFor();
    await tabTo(/^Change \d+ domains?$/);
    await page.keyboard.press('Enter');
    await page.getByText('The change has started.').waitFor();
    await tabTo(/^Cancel the rest$/);
    await page.keyboard.press('Enter');
    await page.getByText('Domains that are done stay changed.').waitFor();
    await tabTo(/^Cancel the rest$/);
    await page.keyboard.press('Enter');
    await page.getByText('The rest is canceled.').waitFor();
  }, 60_000);

  it('works without JavaScript by refreshing the page', async () => {
    const few = await givenOwnerOf(app.runtime, 2);
    const { page } = await visit(few.email, { javaScriptEnabled: false });
    await page.getByLabel(`Select ${few.domains[0]}`).check();
    await page.getByLabel('What to do').selectOption('tags');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Add (optional)').fill('spring');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Back' }).click();
    expect(await page.getByLabel('Add (optional)').inputValue()).toBe('spring');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Change 1 domain' }).click();
    await page.getByText('0 of 1 done').waitFor();
    const fleet = startWorkers(app.runtime, { queues: ['bulk-domains'] });
    const [job] = await app.runtime.db.knex('bulk_jobs').where({ user_id: few.userId });
    await finished(app.runtime, { ...job, userId: few.userId });
    await fleet.stop();
    await page.getByRole('link', { name: 'Refresh' }).click();
    await page.getByText('1 of 1 done').waitFor();
  }, 60_000);
});

describe('signing up in a browser', () => {
  it('opens an account with a verified address and an empty list of domains', async () => {
    const email = 'newcomer@example.com';
    const { page } = await browser.open();
    await page.goto(`${app.url}/account/sign-in`);
    await page.getByRole('link', { name: 'Open an account' }).click();
    await expectNoFaultsAtAnyWidth(page, 'account-join');
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const [link = ''] = await linksMailed(app.runtime, 'verify-email', email);
    await page.goto(app.url + link);
    await expectNoFaultsAtAnyWidth(page, 'account-join-verify');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Open account' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, email);
    await page.getByText('No domains yet.').waitFor();
    await page.goto(app.url + link);
    await page.getByRole('heading', { name: 'This link doesn’t work' }).waitFor();
    await page.getByText('This link has expired').waitFor();
  }, 120_000);
});

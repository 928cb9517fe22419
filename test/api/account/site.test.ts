import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findOwnedDomains } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { importTlds } from '../../../shared/market/tlds/import-tlds.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import {
  type AccountScene,
  givenAccountScene,
  signedInOwner,
} from '../../support/account-scene.ts';
import type { TestApp } from '../../support/app.ts';
import { finished, givenBulkJob, givenOwnerOf, jobNow, newNames } from '../../support/bulk.ts';
import { readable } from '../../support/console.ts';
import { accessTokenFor } from '../../support/oauth.ts';
import { startSignInApp, type VisitedPage, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;
let owner: AccountScene;
let browser: Visitor;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
  owner = await givenAccountScene(app);
  browser = await signedInOwner(app, owner);
});
afterAll(() => app?.stop());

const shown = ({ text }: VisitedPage) =>
  [...text.matchAll(/name="domain" value="([^"]+)"/g)].map(([, domain = '']) => domain);
const wordOf = (domain: string) => domain.replace('xn--mnchen', 'münchen').split('-')[0];
const jobsOf = (userId: string) => app.runtime.db.knex('bulk_jobs').where({ user_id: userId });

describe('the domain list', () => {
  it.each([
    ['text=HARBOR', ['harbor']],
    ['text=münchen', ['münchen']],
    ['tld=com&status=for_sale', ['forsale']],
    ['status=sold', ['sold']],
    ['auto_renew=false&to=2026-01-01', []],
    ['tag=Shop', ['harbor']],
    ['lock=false', []],
    ['text=100%25', []],
  ])('is filtered by %s', async (query, expected) => {
    const page = await browser.open(`/account/domains?${query}`);
    expect([page.status, shown(page).map(wordOf)]).toEqual([200, expected]);
  });

  it('counts and links to expiring and expired domains', async () => {
    const page = await browser.open('/account/domains');
    for (const [words, word] of [
      ['Expire within 30 days unless you renew them', 'ending'],
      ['Expired', 'expired'],
    ]) {
      const [, href = '', count] =
        new RegExp(`<a href="([^"]+)"[^>]*><b>(\\d+)</b>${words}</a>`).exec(page.text) ?? [];
      const list = await browser.open(href.replaceAll('&amp;', '&'));
      expect([words, count, shown(list).map(wordOf)]).toEqual([words, '1', [word]]);
    }
  });

  it.each(['a_to_z', 'soonest'])(
    'pages through all domains once, in the order %s',
    async (sort) => {
      const many = await givenOwnerOf(app.runtime, 120);
      const theirs = await signedInOwner(app, many);
      const seen: string[] = [];
      let next: string | undefined = `/account/domains?sort=${sort}`;
      while (next !== undefined) {
        const page: VisitedPage = await theirs.open(next);
        seen.push(...shown(page));
        next = /<a href="([^"]+)" rel="next">/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(seen).toHaveLength(120);
      expect(new Set(seen)).toEqual(new Set(many.domains));
      const file = await theirs.open('/account/domains?format=csv');
      expect(file.text.trim().split('\r\n')).toHaveLength(121);
    },
  );
});

describe('a bulk change', () => {
  it('is selected in the list, reviewed, started once, and its results can be downloaded', async () => {
    const [domain = ''] = owner.domains;
    const list = await browser.open('/account/domains');
    const form = await browser.press(list, 'Continue', { domain, op: 'tags', which: 'selected' });
    expect(form.text).toContain(`${domain}</textarea>`);
    const domains = `${domain}\nnot-mine.com`;
    const review = await browser.press(form, 'Review', { domains, add: 'Autumn, summer' });
    expect(review.text).toContain('This domain is not in your account.');
    expect(review.text).toContain('Would have the tags: autumn, for anna, shop, summer.');
    expect(await jobsOf(owner.userId).where({ op: 'tags' })).toEqual([]);

    const fields = { domains: domain, add: 'Autumn, summer' };
    const [first, second] = await Promise.all([
      browser.submit(review, 'Change 1 domain', fields),
      browser.submit(review, 'Change 1 domain', fields),
    ]);
    expect(first.url.href).toBe(second.url.href);
    const [job] = await jobsOf(owner.userId).where({ op: 'tags' });
    expect(first.url.pathname).toBe(`/account/jobs/${job.id}`);
    const fleet = startWorkers(app.runtime, { queues: ['bulk-domains'] });
    await finished(app.runtime, { ...job, userId: owner.userId });
    await fleet.stop();
    const done = await browser.open(first.url);
    expect(done.text).toContain('<b data-count="succeeded">1</b> of 1 done');
    const file = await browser.open(`${first.url.pathname}?format=csv`);
    expect(file.text).toBe(`domain,status,code,message\r\n"${domain}","ok",,\r\n`);
    const owned = await findOwnedDomains(app.runtime.db.knex, owner.userId, [domain]);
    expect(owned.get(domain)?.tags).toContain('autumn');
  });

  it('is not started again by a form that was already sent, with whatever domains', async () => {
    const { userId, email, domains } = await givenOwnerOf(app.runtime, 2);
    const theirs = await signedInOwner(app, { email });
    const form = await theirs.open('/account/bulk/lock');
    const review = await theirs.press(form, 'Review', {
      domains: domains.join('\n'),
      enabled: 'true',
    });
    const send = (names: readonly string[]) =>
      theirs.submit(review, 'Change 2 domains', { domains: names.join('\n'), enabled: 'true' });
    const first = await send(domains.slice(0, 1));
    expect(first.url.pathname).toMatch(/^\/account\/jobs\/blk_/);
    expect((await send(domains.slice(0, 1))).url.href).toBe(first.url.href);
    expect((await send(domains)).status).toBe(409);
    expect(await jobsOf(userId)).toHaveLength(1);
  });

  it('shows the price of a renewal before it is confirmed, or that it is unknown', async () => {
    const { domains, email } = await givenOwnerOf(app.runtime, 3);
    const theirs = await signedInOwner(app, { email });
    const review = async () => {
      const form = await theirs.open('/account/bulk/renew');
      const page = await theirs.press(form, 'Review', { domains: domains.join('\n'), years: '2' });
      return readable(page.text);
    };
    const unknown = await review();
    expect(unknown).toContain('Total price Unknown: our price list has no price for these.');
    expect(unknown).not.toContain('Change 3 domains for');

    const seed = readFileSync('db/seeds/tlds.ndjson', 'utf8').split('\n');
    const com = JSON.parse(seed.find((line) => line.includes('"tld":"com"')) ?? '{}');
    const row = { ...com, price_cents: { ...com.price_cents, renew: 1_299 } };
    await importTlds(app.runtime, { source: Readable.from([JSON.stringify(row)]) });
    const known = await review();
    expect(known).toContain('Total price $77.94 USD');
    expect(known).toContain('Change 3 domains for $77.94 USD');
    expect(known.match(/\$25\.98 USD/g)).toHaveLength(3);
  });

  it('can include all domains that match a filter', async () => {
    const list = await browser.open('/account/domains?status=for_sale');
    const form = await browser.submit(list, 'Continue', { op: 'lock', which: 'matching' });
    const [, names = ''] = /<textarea[^>]*>\n([^<]*)</.exec(form.text) ?? [];
    expect(names.split('\n').map(wordOf)).toEqual(['forsale']);
  });

  it.each([
    ['nameservers', { nameservers: 'ns1.example.net\nnot a host' }, 'Nameserver 2 must be a host'],
    ['nameservers', { nameservers: 'ns1.example.net' }, 'The nameservers must'],
    ['renew', { years: '11' }, 'years'],
    ['price', { price: '6.000,00', currency: 'USD' }, 'The price must be an amount'],
    ['list', { price: '10', floor: '20', currency: 'USD' }, 'The lowest offer must not be above'],
    ['tags', { add: '' }, 'The change must have a tag'],
    ['lock', { enabled: 'maybe' }, 'must be one of'],
    ['unlist', { domains: ' ,;\n' }, 'Domains must name at least one'],
  ])('explains invalid input for %s and keeps it', async (op, values, says) => {
    const page = await browser.open(`/account/bulk/${op}`);
    const fields = { domains: 'kept-name.com', ...values };
    const again = await browser.press(page, 'Review', fields as Record<string, string>);
    expect([again.status, again.text.includes(says)]).toEqual([400, true]);
    expect(again.text).toContain('role="alert"');
    if (fields.domains === 'kept-name.com')
      expect(again.text).toContain('kept-name.com</textarea>');
  });

  it('accepts names separated by lines, commas and semicolons, but not by spaces', async () => {
    const page = await browser.open('/account/bulk/unlist');
    const domains = ' one-name.com , two-name.com;three-name.com\n\ttwo words.com \n';
    const review = readable((await browser.press(page, 'Review', { domains })).text);
    for (const name of ['one-name.com', 'two-name.com', 'three-name.com']) {
      expect(review).toContain(`${name} `);
    }
    expect(review).toMatch(/two words\.com .*must not contain spaces/);
    expect(review).toContain('4 domains, skipped');
    expect(readable(page.text)).toContain('One per line, or separated by commas or semicolons');
  });

  it('accepts 1,000 domains at most', async () => {
    const names = newNames(1_001).join('\n');
    const page = await browser.open('/account/bulk/unlist');
    const refused = await browser.press(page, 'Review', { domains: names });
    expect([
      refused.status,
      refused.text.includes('must be 1,000 at most; these are 1,001'),
    ]).toEqual([400, true]);
    const fits = await browser.press(page, 'Review', { domains: newNames(1_000).join('\n') });
    expect(fits.text).toContain('1,000 domains, skipped');
  });

  it('can be canceled, and its page says so', async () => {
    const job = await givenBulkJob(app.runtime, owner, { op: 'lock', params: { enabled: false } });
    const page = await browser.open(`/account/jobs/${job.id}`);
    const after = await browser.submit(page, 'Cancel the rest');
    expect(after.text).toContain('The rest is canceled.');
    expect((await jobNow(app.runtime, job)).status).toBe('cancelled');
    const late = await browser.submit(page, 'Cancel the rest');
    expect(late.status).toBe(200);
  });
});

describe('the list of connected apps', () => {
  it('shows what each app may do, and revokes its access', async () => {
    const { userId } = owner;
    const token = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
    const ask = () =>
      fetch(`${app.url}/api/domains`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    const clients = await app.runtime.db.knex('oauth_grants').where({ user_id: userId });
    let page = await browser.open('/account/apps');
    expect(page.text).toContain('Manage your domains');
    for (const { client_id: client } of clients) {
      page = await browser.press(await browser.open('/account/apps'), 'Revoke', { client });
    }
    expect(page.text).toContain('The app no longer has access.');
    expect(page.text).toContain('No apps have access to your account.');
    expect((await ask()).status).toBe(401);
  });
});

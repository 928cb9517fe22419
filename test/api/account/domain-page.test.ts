import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import {
  type AccountScene,
  givenAccountScene,
  signedInOwner,
} from '../../support/account-scene.ts';
import type { TestApp } from '../../support/app.ts';
import { ownedNow } from '../../support/bulk.ts';
import { readable } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import { disputePurchase, givenPurchaseOf } from '../../support/purchases.ts';
import { givenKeptCard } from '../../support/renewals.ts';
import { startSignInApp, type VisitedPage, type Visitor } from '../../support/sign-in.ts';
import { givenSale } from '../../support/transfers.ts';

let app: TestApp;
let owner: AccountScene;
let browser: Visitor;
let fleet: WorkerProcess;
let domain: string;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
  owner = await givenAccountScene(app);
  browser = await signedInOwner(app, owner);
  fleet = startWorkers(app.runtime, { queues: ['bulk-domains'] });
  [domain = ''] = owner.domains;
});
afterAll(async () => {
  await fleet?.stop();
  await app?.stop();
});

const open = (below = '', of = domain) => browser.open(`/account/domains/${of}${below}`);
const ownedOf = async (name = domain) =>
  (await ownedNow(app.runtime, owner)).find((each) => each.domain === name);
/** The domain page once its change is complete. */
const settled = (page: VisitedPage) =>
  eventually(
    () => browser.open(page.url),
    ({ text }) => !text.includes('In progress.'),
  );

describe('the domain page', () => {
  it('changes nameservers in place and shows the result', async () => {
    const form = await open('/change/nameservers');
    expect(form.text).toContain('ns1.registrar.example\nns2.registrar.example</textarea>');
    const nameservers = 'ns1.example.net ns2.example.net';
    const [first, second] = await Promise.all([
      browser.submit(form, 'Change nameservers', { nameservers }),
      browser.submit(form, 'Change nameservers', { nameservers }),
    ]);
    expect(first.url.pathname).toBe(`/account/domains/${domain}`);
    expect(second.url.href).toBe(first.url.href);
    const page = readable((await settled(first)).text);
    expect(page).toContain('Set the nameservers ns1.example.net, ns2.example.net Done.');
    expect(page).not.toContain('dry run');
    expect(await ownedOf()).toMatchObject({ nameservers: ['ns1.example.net', 'ns2.example.net'] });
  });

  it('explains invalid nameservers and keeps the input', async () => {
    const form = await open('/change/nameservers');
    const fields = { nameservers: 'ns1.example.net\nhttps://ns2.example.net\n192.0.2.1' };
    const again = await browser.submit(form, 'Change nameservers', fields);
    expect(again.status).toBe(400);
    expect(again.text).toContain('Nameserver 2 must be a host name');
    expect(again.text).toContain('Nameserver 3 must be a host name');
    expect(again.text).not.toContain('twice');
    expect(again.text).toContain('192.0.2.1</textarea>');
  });

  it('turns a setting on and off', async () => {
    for (const [button, locked] of [
      ['Turn off', false],
      ['Turn on', true],
    ] as const) {
      const page = await open();
      const after = await settled(
        await browser.submit(page, `${button}<span class="unseen"> the transfer lock</span>`),
      );
      expect(after.text).toContain('Done.');
      expect(await ownedOf()).toMatchObject({ locked });
    }
  });

  it('does not promise automatic renewal of a premium domain', async () => {
    await app.runtime.db.knex('owned_domains').where({ domain }).update({ auto_renew: true });
    expect(readable((await open()).text)).toMatch(
      /On It renews automatically, .* Premium domains are different: you confirm the price each time/,
    );
  });

  it('promises automatic renewal of a bought domain only with a valid card', async () => {
    const { knex } = app.runtime.db;
    const bought_with = (await givenSale(app.runtime)).order.id;
    await knex('owned_domains').where({ domain }).update({ auto_renew: true, bought_with });
    const without = await open();
    expect(readable(without.text)).toContain('This needs a card');
    expect(without.text).toContain('saved under <a href="/account/payments">Payments</a>');
    await givenKeptCard(app.runtime, owner.userId);
    expect(readable((await open()).text)).toContain('charge the card saved under Payments');
    await knex('kept_cards').where({ user_id: owner.userId }).update({ exp_year: 2_020 });
    expect(readable((await open()).text)).toContain('This needs a card');
    await knex('owned_domains').where({ domain }).update({ bought_with: null });
  });

  it('offers to restore a domain after its expiry date, not before', async () => {
    const row = () => app.runtime.db.knex('owned_domains').where({ domain });
    const { expires_at } = await row().first();
    const restore = `href="/account/domains/${domain}/restore"`;
    expect((await open()).text).not.toContain(restore);
    await row().update({ expires_at: app.runtime.clock.now() });
    app.runtime.clock.advance(1_000);
    expect((await open()).text).toContain(restore);
    await row().update({ expires_at });
  });

  it('says until when an unlocked domain is locked by the rules of its TLD', async () => {
    const { knex } = app.runtime.db;
    const set = (row: object) => knex('owned_domains').where({ domain }).update(row);
    await set({ locked: false });
    expect(readable((await open()).text)).toContain('Another registrar can request it');
    await set({ transferred_at: app.runtime.clock.now() });
    const page = readable((await open()).text);
    expect(page).toMatch(/Transfer lock Off The rules of \.com lock the domain until \w+ \d+, \d+/);
    expect(page).not.toContain('Another registrar can request it');
    await set({ locked: true, transferred_at: null });
  });

  it('lists a domain, changes its price, and takes it off the market', async () => {
    const form = await open('/change/list');
    await settled(await browser.submit(form, 'List for sale', { price: '6,000', currency: 'USD' }));
    const listed = await open();
    expect(readable(listed.text)).toContain('For sale $6,000.00');
    expect((await open('/change/price')).text).toContain('value="6000.00"');
    const off = await settled(await browser.submit(listed, 'Take off the market'));
    expect(readable(off.text)).toContain('List for sale');
  });

  it('shows the lowest offer only while offers are welcome', async () => {
    const forSale = owner.domains.find((each) => each.startsWith('forsale-')) ?? '';
    expect(readable((await open('', forSale)).text)).toContain('Offers Welcome Lowest offer');
    const listing = app.runtime.db.knex('listings').where({ domain: forSale });
    await listing.update({ offers_accepted: false });
    expect(readable((await open('', forSale)).text)).toContain('Offers No Change the terms');
  });

  it('offers no changes for a sold domain', async () => {
    const sold = owner.domains.find((each) => each.startsWith('sold-')) ?? '';
    const page = await open('', sold);
    expect(page.text).toContain('This domain is sold. You can no longer change it.');
    expect(page.text).not.toContain('/change/');
    const refused = await browser.submit(await open('/change/lock', sold), 'Lock or unlock', {
      enabled: 'false',
    });
    expect([refused.status, refused.text.includes('This domain is sold')]).toEqual([409, true]);
  });

  it('shows a domain as returned after a refund, and offers no changes', async () => {
    const name = owner.domains.find((each) => each !== domain && !/^(sold|forsale)-/.test(each));
    const bought = name ?? '';
    const order = await givenPurchaseOf(app.runtime, bought);
    await disputePurchase(app.runtime, order, 'needs_response');
    const disputed = await open('', bought);
    expect(readable(disputed.text)).toContain(
      'Payment disputed Until the dispute ends, you can’t sell this domain, move it or give it to',
    );
    expect(disputed.text).toContain('/change/nameservers');
    expect(disputed.text).not.toContain('/change/list');
    await disputePurchase(app.runtime, order, 'lost');
    const page = await open('', bought);
    expect(readable(page.text)).toContain(
      'Returned Its purchase was refunded, so it is no longer yours. You can no longer change or renew it.',
    );
    for (const action of ['/change/', '/renew', '/transfer', '/dnssec', '/registrant']) {
      expect(page.text).not.toContain(`/account/domains/${bought}${action}`);
    }
    const refused = await browser.submit(await open('/change/lock', bought), 'Lock or unlock', {
      enabled: 'false',
    });
    expect([refused.status, refused.text.includes('Its purchase was refunded')]).toEqual([
      409,
      true,
    ]);
    const list = readable((await browser.open('/account/domains?status=sold')).text);
    expect(list).toMatch(new RegExp(`${bought}.* Returned`));
  });

  it('returns 404 for a domain that the user does not own', async () => {
    expect((await open('', 'nobodys.com')).status).toBe(404);
    expect((await open('/dnssec', 'nobodys.com')).status).toBe(404);
    expect((await open('/change/lock', 'nobodys.com')).status).toBe(404);
  });
});

describe('DNSSEC settings of a domain', () => {
  const digest = 'D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A';
  const other = 'AB'.repeat(48);

  it('add a pasted DS record and one entered field by field, and remove both', async () => {
    const record = `${domain}. IN DS 60485 13 2 ${digest}`;
    await settled(await browser.submit(await open('/dnssec'), 'Add the DS record', { record }));
    expect(await ownedOf()).toMatchObject({
      signers: [{ keyTag: 60_485, alg: 13, digestType: 2, digest }],
    });
    const parts = { key_tag: '7', algorithm: '15', digest_type: '4', digest: other };
    await settled(await browser.submit(await open('/dnssec'), 'Add the DS record', parts));
    const twice = await browser.submit(await open('/dnssec'), 'Add the DS record', {
      record: record.toLowerCase(),
    });
    expect(readable(twice.text)).toContain('The domain already has this DS record.');
    expect(twice.text).not.toContain('/signers');
    expect((await ownedOf())?.signers).toHaveLength(2);
    expect(readable((await open()).text)).toContain('2 DS records');
    expect((await open('/change/nameservers')).text).toContain('DNSSEC is on.');
    for (const left of [1, 0]) {
      await settled(await browser.submit(await open('/dnssec'), 'Remove'));
      expect((await ownedOf())?.signers).toHaveLength(left);
    }
  });

  it.each([
    ['nonsense', 'must be a record such as'],
    ['mine.com. 3600 IN DNSKEY 257 3 13 mdsswUyr', 'must not be a DNSKEY record'],
    [`other.com. IN DS 1 13 2 ${digest}`, 'is of other.com, not of this domain'],
    [`1 5 2 ${digest}`, 'The algorithm must be 8, 10, 13, 14, 15 or 16'],
    [`1 13 1 ${digest.slice(0, 40)}`, 'The digest type must be 2 or 4'],
    [`1 13 2 ${digest.slice(0, 40)}`, 'The digest must be 64 hexadecimal digits'],
  ])('reject %s with an explanation and keep the input', async (record, says) => {
    const page = await browser.submit(await open('/dnssec'), 'Add the DS record', { record });
    expect([page.status, readable(page.text).includes(says)]).toEqual([400, true]);
    expect(page.text).toContain(`${record}</textarea>`);
  });

  it('show the current records at the registry, whoever set them', async () => {
    const signers = [{ keyTag: 9, alg: 8, digestType: 2, digest: 'CD'.repeat(32) }];
    await app.runtime
      .registrars('LIVE')
      .change({ clientReference: 'by-hand', domain, change: { kind: 'signers', signers } });
    expect(readable((await open('/dnssec')).text)).toContain('8 RSA/SHA-256');
    expect((await ownedOf())?.signers).toEqual(signers);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EppRefused } from '../../../shared/domains/epp/epp-errors.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { setDeliveryMethod } from '../../../shared/people/partners/partner-lifecycle.ts';
import { DAY, HOUR } from '../../../shared/platform/clock.ts';
import { createSharedAbort } from '../../../shared/platform/concurrency/deadline.ts';
import { reopenClaim } from '../../../shared/sales/transfers/deliver-domain.ts';
import { issueAuthCode } from '../../../shared/sales/transfers/issue-auth-code.ts';
import { awaitTransferRequestsTask } from '../../../workers/scheduled/registry-work.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { linksMailed } from '../../support/account-mail.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenVisitor, readable } from '../../support/console.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPolicy } from '../../support/given-policy.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { givenOps } from '../../support/ops-client.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { REGISTRANT } from '../../support/registrants.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';
import type { ClientAnswer, SignedClient } from '../../support/signed-client.ts';
import { wholeDatabase } from '../../support/whole-database.ts';

let registry: DemoRegistry;
let app: TestApp;
let client: SignedClient;
let partnerId: string;
let fleet: WorkerProcess;

beforeEach(async () => {
  registry = await startDemoRegistry();
  app = await startSignInApp({
    ...PROMPT,
    ...registrySettings(registry),
    MAIL: 'on',
    TRANSFER_POLICY_LIVE: 'automatic',
    transferPollMaxMs: 100,
  });
  const partner = await app.partner({ environment: 'LIVE' });
  ({ client, partnerId } = partner);
  fleet = startWorkers(app.runtime, { queues: ['transfers', 'transfer-polls', 'bulk-domains'] });
});
afterEach(async () => {
  await fleet.stop();
  await app.stop();
  await registry.close();
});

const { signal } = createSharedAbort();
const BUYER = 'buyer@example.com';
const pass = (ms: number) => {
  registry.clock.advance(ms);
  app.runtime.clock.advance(ms);
};
const visitor = () => newVisitor(app.url);
const readOrder = async (id: string) => (await client.get(`/v1/orders/${id}`)).body;
const untilDelivery = (id: string, status: string) =>
  eventually(
    () => readOrder(id),
    (body) => body.delivery.status === status,
    { everyMs: 50 },
  );
/** What staff hear of a code. */
const checkOf = async (orderId: string, authCode: string) => {
  const ops = await givenOps(app);
  const { body } = await ops.post(`/orders/${orderId}/check-code`, { auth_code: authCode });
  return body.result;
};
/** What its buyer was told of a code of the partner. */
const codesTold = async (orderId: string) => {
  const rows = await app.runtime.db.knex('mails').where({ kind: 'code-issued' }).orderBy('id');
  return rows.map(({ data }) => data).filter((data) => data.orderId === orderId);
};
const claimLinks = () => linksMailed(app.runtime, 'claim-domain', BUYER);
const typesOf = async (id: string): Promise<string[]> => {
  const { body } = await client.get('/v1/events');
  return body.events
    .filter((event: { data: ClientAnswer['body'] }) => event.data.order?.public_id === id)
    .map((event: { type: string }) => event.type);
};

/** Sells a domain that is in our account at the registry. */
async function sold(domain: string, delivery?: object): Promise<string> {
  registered(registry, 'gaining', domain);
  await addListing(app.runtime, { environment: 'LIVE', domain, priceCents: 485_000 });
  const buyer = { email: BUYER, name: 'Example Buyer', country: 'DE' };
  const given = delivery ? { delivery } : { registrant: REGISTRANT };
  const body = { domain, expected_price: 485_000, buyer, ...given };
  const answer = await client.post('/v1/orders', { body, idempotencyKey: `key-${domain}` });
  expect(answer.status).toBe(201);
  return answer.body.public_id;
}

describe('a domain claimed by its buyer', () => {
  it('is claimed through the emailed link, which works once and completes the order', async () => {
    const id = await sold('oakdeck.com');
    const waiting = await untilDelivery(id, 'awaiting_claim');
    expect(waiting).toMatchObject({
      status: 'TRANSFER_IN_PROGRESS',
      delivery: { method: 'account', next_step: expect.stringContaining('The buyer') },
    });
    const [link = ''] = await claimLinks();
    const browser = visitor();
    const page = await browser.open(link);
    expect(page.text).toContain(BUYER);
    const short = await browser.submit(page, 'Claim oakdeck.com', { password: 'short' });
    expect([short.status, short.text]).toEqual([400, expect.stringContaining('Password')]);
    const taken = await browser.submit(page, 'Claim oakdeck.com', { password: PASSWORD });
    expect(taken.text).toContain('oakdeck.com is yours');
    expect(await readOrder(id)).toMatchObject({
      status: 'TRANSFER_COMPLETED',
      delivery: { status: 'delivered', next_step: null },
    });
    expect(await typesOf(id)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'transfer.initiated',
      'order.delivery_ready',
      'transfer.completed',
      'order.transfer_completed',
    ]);
    for (const late of [
      await visitor().open(link),
      await browser.submit(page, 'Claim oakdeck.com'),
    ]) {
      expect(late.status).toBe(404);
      expect(late.text).toContain('<h1>This link doesn’t work</h1>');
      expect(late.text).toContain('the domain was already claimed with it');
    }
    const signIn = await browser.open('/account/sign-in?next=/account/domains/oakdeck.com');
    const own = await browser.submit(signIn, 'Sign in', { email: BUYER, password: PASSWORD });
    expect(own.text).toContain('oakdeck.com');
    expect(own.text).not.toContain('This domain is sold');
    expect(own.text).toContain('List for sale');
  });

  it('is sold again by its buyer, and moves to the next one', async () => {
    await givenPolicy(app.runtime, 0);
    const first = await sold('beechdeck.com');
    await untilDelivery(first, 'awaiting_claim');
    const [link = ''] = await claimLinks();
    const browser = visitor();
    const page = await browser.open(link);
    await browser.submit(page, 'Claim beechdeck.com', { password: PASSWORD });
    const signIn = await browser.open(
      '/account/sign-in?next=/account/domains/beechdeck.com/change/list',
    );
    const form = await browser.submit(signIn, 'Sign in', { email: BUYER, password: PASSWORD });
    await browser.submit(form, 'List for sale', { price: '9,900', currency: 'USD' });
    await eventually(
      () => client.get('/v1/domains/beechdeck.com'),
      ({ body }) => body.status === 'listed' && body.price_cents === 990_000,
    );
    const email = 'next@example.com';
    const body = {
      domain: 'beechdeck.com',
      expected_price: 990_000,
      buyer: { email, name: 'Next Buyer', country: 'FR' },
      registrant: { ...REGISTRANT, name: 'Next Buyer', email },
    };
    const answer = await client.post('/v1/orders', { body, idempotencyKey: 'resale' });
    expect(answer.status).toBe(201);
    const second = answer.body.public_id;
    await untilDelivery(second, 'awaiting_claim');
    const own = await browser.open('/account/domains/beechdeck.com');
    expect(own.text).toContain('This domain is sold. You can no longer change it.');
    const [next = ''] = await linksMailed(app.runtime, 'claim-domain', email);
    const other = visitor();
    await other.submit(await other.open(next), 'Claim beechdeck.com', { password: PASSWORD });
    for (const id of [first, second]) {
      expect(await readOrder(id)).toMatchObject({ status: 'TRANSFER_COMPLETED' });
    }
    const rows = await app.runtime.db.knex('owned_domains').where({ domain: 'beechdeck.com' });
    expect(rows).toMatchObject([{ bought_with: second }]);
    expect((await browser.open('/account/domains/beechdeck.com')).status).toBe(404);
    const contact = registry.state.domains['beechdeck.com']?.registrant ?? '';
    expect(JSON.stringify(registry.state.contacts[contact])).toContain('Next Buyer');
  });

  it('goes to the signed-in account, even if another owner had it before', async () => {
    const owner = await givenAccount(app.runtime, 'owner');
    const id = await sold('pinedeck.com');
    await untilDelivery(id, 'awaiting_claim');
    const [link = ''] = await claimLinks();
    const browser = visitor();
    const signIn = await browser.open(`/account/sign-in?next=${encodeURIComponent(link)}`);
    const page = await browser.submit(signIn, 'Sign in', {
      email: owner.email,
      password: PASSWORD,
    });
    expect(page.text).toContain(owner.email);
    await browser.submit(page, 'Claim pinedeck.com');
    expect(await readOrder(id)).toMatchObject({ status: 'TRANSFER_COMPLETED' });
    const rows = await app.runtime.db.knex('owned_domains').where({ domain: 'pinedeck.com' });
    expect(rows).toMatchObject([{ user_id: owner.id, bought_with: id }]);
  });

  it('can be claimed for 90 days; then staff can send a new link that voids the old one', async () => {
    const id = await sold('elmdeck.com');
    await untilDelivery(id, 'awaiting_claim');
    pass(91 * DAY);
    expect(await untilDelivery(id, 'expired')).toMatchObject({ status: 'TRANSFER_IN_PROGRESS' });
    expect(await typesOf(id)).toContain('transfer.expired');
    const [first = ''] = await claimLinks();
    expect((await visitor().open(first)).status).toBe(404);
    await app.runtime.db.transact((uow) => reopenClaim(uow, id));
    const [, second = ''] = await claimLinks();
    expect((await visitor().open(second)).status).toBe(200);
    expect((await visitor().open(first)).status).toBe(404);
  });

  it('can be refunded before it is claimed, and not claimed after that', async () => {
    const id = await sold('ashdeck.com');
    await untilDelivery(id, 'awaiting_claim');
    const body = { order_id: id, reason: 'requested_by_customer' };
    expect((await client.post('/v1/refunds', { body })).status).toBe(201);
    expect(await readOrder(id)).toMatchObject({
      status: 'REFUNDED',
      transfer: { status: 'cancelled' },
      delivery: { status: 'failed' },
    });
    const [link = ''] = await claimLinks();
    expect((await visitor().open(link)).status).toBe(404);
  });
});

describe('a domain transferred to the partner’s registrar', () => {
  const askCode = (id: string) => client.post(`/v1/orders/${id}/auth-code`, { body: {} });
  const askFor = (domain: string, authInfo: string) => {
    const name = { clTRID: `ask-${domain}`, since: registry.clock.now(), resumed: false, signal };
    return registry.client('losing').requestTransfer({ domain, authInfo }, name);
  };

  it('is transferred with its code, approved by us and delivered when the registry confirms', async () => {
    await setDeliveryMethod(app.runtime, 'test', { partnerId, method: 'partner_registrar' });
    const id = await sold('oakdeck.com');
    await untilDelivery(id, 'awaiting_claim');
    const { status, body } = await askCode(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ domain: 'oakdeck.com', auth_code: expect.any(String) });
    await untilDelivery(id, 'code_issued');
    const [told, ...more] = await codesTold(id);
    expect(told).toMatchObject({ domain: 'oakdeck.com', registrar: null });
    expect(told.expiresAt).toBe(body.expires_at);
    expect(more).toEqual([]);
    const kept = await wholeDatabase(app.runtime);
    expect(kept).toContain('"code-issued"');
    expect(kept).not.toContain(JSON.stringify(body.auth_code).slice(1, -1));
    await expect(askFor('oakdeck.com', 'a guess')).rejects.toThrow(EppRefused);
    expect(await checkOf(id, body.auth_code)).toBe('valid');
    await askFor('oakdeck.com', body.auth_code);
    expect(await untilDelivery(id, 'delivered')).toMatchObject({
      status: 'TRANSFER_COMPLETED',
      delivery: { requested_by: 'losing' },
    });
    expect(registry.state.domains['oakdeck.com']).toMatchObject({ clID: 'losing' });
    expect(Object.keys(registry.state.contacts)).toEqual([]);
    expect(await typesOf(id)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'transfer.initiated',
      'transfer.released',
      'order.delivery_ready',
      'transfer.requested',
      'transfer.completed',
      'order.transfer_completed',
    ]);
    expect(await checkOf(id, body.auth_code)).toBe('ended');
    expect(await askCode(id)).toMatchObject({ status: 409 });
    expect(await claimLinks()).toEqual([]);
  });

  it('is approved as soon as the registry reports the request, without waiting for the next poll', async () => {
    const id = await sold('teakdeck.com', { method: 'partner_registrar' });
    await untilDelivery(id, 'awaiting_claim');
    const config = { ...app.runtime.config, transferPollMs: HOUR };
    const owner = { partnerId, environment: 'LIVE' } as const;
    const { authCode } = await issueAuthCode({ ...app.runtime, config }, owner, id);
    await askFor('teakdeck.com', authCode);
    await awaitTransferRequestsTask.run({ runtime: app.runtime, signal });
    await untilDelivery(id, 'delivered');
  });

  it('gets a new code each time, which voids the one before', async () => {
    const id = await sold('pinedeck.com', { method: 'partner_registrar' });
    await untilDelivery(id, 'awaiting_claim');
    expect(await checkOf(id, 'a code')).toBe('none');
    const first = (await askCode(id)).body.auth_code;
    const second = (await askCode(id)).body.auth_code;
    expect(second).not.toBe(first);
    expect(await codesTold(id)).toHaveLength(1);
    expect(await checkOf(id, first)).toBe('other');
    expect(await checkOf(id, second)).toBe('valid');
    const visitor = await givenVisitor(app);
    const sent = await visitor.act('order-check-code', { order: id }, { auth_code: second });
    expect(readable((await visitor.follow(sent)).text)).toContain('It works.');
    const audit = JSON.stringify(await app.runtime.db.knex('audit_log').where({ subject: id }));
    expect(audit).toContain('order:check-code');
    expect(audit).not.toContain(second);
    await expect(askFor('pinedeck.com', first)).rejects.toThrow(EppRefused);
  });

  it('goes only to the registrar named in the order', async () => {
    const id = await sold('elmdeck.com', { method: 'partner_registrar', registrar_id: 'third' });
    await untilDelivery(id, 'awaiting_claim');
    await askFor('elmdeck.com', (await askCode(id)).body.auth_code);
    expect(await codesTold(id)).toMatchObject([{ registrar: 'third' }]);
    await eventually(
      () => registry.state.domains['elmdeck.com']?.transfer?.status,
      (status) => status === 'clientRejected',
    );
    expect(registry.state.domains['elmdeck.com']).toMatchObject({ clID: 'gaining' });
    expect(await readOrder(id)).toMatchObject({ delivery: { status: 'code_issued' } });
  });

  it('loses its code when it expires and can get a new one', async () => {
    const id = await sold('ashdeck.com', { method: 'partner_registrar' });
    await untilDelivery(id, 'awaiting_claim');
    const { body } = await askCode(id);
    pass(13 * DAY);
    expect(await checkOf(id, body.auth_code)).toBe('valid');
    pass(2 * DAY);
    expect(await untilDelivery(id, 'expired')).toMatchObject({
      status: 'TRANSFER_IN_PROGRESS',
      delivery: { next_step: expect.stringContaining('code') },
    });
    expect(await checkOf(id, body.auth_code)).toBe('ended');
    const told = (await client.get('/v1/events')).body.events.at(-1);
    expect([told.type, told.data.order.public_id]).toEqual(['transfer.expired', id]);
    expect(told.data.delivery).toMatchObject({ method: 'partner_registrar', status: 'expired' });
    // The domain stays ours, and neither the old code nor none moves it.
    const inStore = () => registry.state.domains['ashdeck.com'];
    for (const authInfo of [body.auth_code, '']) {
      await expect(askFor('ashdeck.com', authInfo)).rejects.toThrow(EppRefused);
    }
    expect(inStore()).toMatchObject({ clID: 'gaining', transfer: null });
    const [listing] = await app.runtime.db.knex('listings').where({ domain: 'ashdeck.com' });
    expect(listing.status).toBe('sold');

    const again = await askCode(id);
    expect(again.status).toBe(200);
    expect(await codesTold(id)).toHaveLength(2);
    await expect(askFor('ashdeck.com', body.auth_code)).rejects.toThrow(EppRefused);
    await askFor('ashdeck.com', again.body.auth_code);
    await untilDelivery(id, 'delivered');
  });

  it('has its code revoked before it is refunded', async () => {
    const id = await sold('limedeck.com', { method: 'partner_registrar' });
    await untilDelivery(id, 'awaiting_claim');
    const { body } = await askCode(id);
    const refund = { order_id: id, reason: 'requested_by_customer' };
    expect((await client.post('/v1/refunds', { body: refund })).status).toBe(201);
    expect(await untilDelivery(id, 'failed')).toMatchObject({ status: 'REFUNDED' });
    await expect(askFor('limedeck.com', body.auth_code)).rejects.toThrow(EppRefused);
  });

  it('gets no code before it is ready, by account delivery or for another partner', async () => {
    const id = await sold('figdeck.com');
    expect(await askCode(id)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    await untilDelivery(id, 'awaiting_claim');
    expect(await askCode(id)).toMatchObject({ status: 409 });
    const other = await app.partner({ environment: 'LIVE' });
    expect((await other.client.post(`/v1/orders/${id}/auth-code`, { body: {} })).status).toBe(404);
  });
});

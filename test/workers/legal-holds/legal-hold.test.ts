import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BulkAction } from '../../../shared/domains/bulk/bulk-operations.ts';
import { grantDomains } from '../../../shared/domains/domain-grants/grant-domains.ts';
import { changeRegistrant } from '../../../shared/domains/domain-registrants/change-registrant.ts';
import { liftLegalHold, placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { renewDueDomains } from '../../../shared/domains/owned-domains/renew-due-domains.ts';
import {
  addListing,
  delistListing,
  repriceListing,
} from '../../../shared/market/inventory/change-listings.ts';
import { importListings } from '../../../shared/market/inventory/import-listings.ts';
import type { LegalHold } from '../../../shared/market/legal-holds/legal-hold.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { createSharedAbort } from '../../../shared/platform/concurrency/deadline.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { acceptOffer } from '../../../shared/sales/offers/offer-lifecycle.ts';
import { relistDomain } from '../../../shared/sales/refunds/relist-domain.ts';
import { openRenewal } from '../../../shared/sales/renewals/open-renewal.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { bringTo, givenCase, unlistedDomain } from '../../support/brokerage.ts';
import { finished, givenBulkJob, givenOwnerOf, itemsNow, type Owner } from '../../support/bulk.ts';
import {
  buyerWith,
  CARDS,
  fetchPage,
  ordersOf,
  type SessionFixture,
  sendForm,
} from '../../support/checkout.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { KEPT_REGISTRANT, REGISTRANT } from '../../support/registrants.ts';
import type { ClientAnswer, SignedClient } from '../../support/signed-client.ts';

const ENVIRONMENT = 'LIVE' as const;
const PRICE = 485_000;

let registry: DemoRegistry;
let app: TestApp;
let client: SignedClient;
let partnerId: string;
let fleet: WorkerProcess;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startTestApp({
    ...PROMPT,
    ...registrySettings(registry),
    TRANSFER_POLICY_LIVE: 'automatic',
    transferPollMaxMs: 100,
  });
  ({ client, partnerId } = await app.partner({ environment: ENVIRONMENT }));
  const queues = ['transfers', 'transfer-polls', 'bulk-domains'] as const;
  fleet = startWorkers(app.runtime, { queues });
});
afterAll(async () => {
  await fleet?.stop();
  await app?.stop();
  await registry?.close();
});

const place = (domain: string, caseReference = 'D2026-0001') =>
  placeLegalHold(app.runtime, 'cli:first', { domain, kind: 'udrp', caseReference });
const lift = ({ id }: LegalHold) => liftLegalHold(app.runtime, 'cli:second', id);
const statusesOf = (domain: string) => [...(registry.state.domains[domain]?.statuses ?? [])].sort();
const PROHIBITED = ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'];
const untilStatusesAre = (domain: string, statuses: readonly string[]) =>
  eventually(
    async () => statusesOf(domain),
    (found) => found.join() === statuses.join(),
    { everyMs: 20 },
  );

const orderBody = (domain: string, more: object = {}) => ({
  domain,
  expected_price: PRICE,
  buyer: { email: 'buyer@example.com', name: 'Example Buyer', country: 'DE' },
  registrant: REGISTRANT,
  ...more,
});
let keys = 0;
const order = (domain: string, more: object = {}) => {
  keys += 1;
  const idempotencyKey = `order-${keys}`;
  return client.post('/v1/orders', { body: orderBody(domain, more), idempotencyKey });
};
const reasonOf = async (asked: Promise<unknown>): Promise<string> => {
  try {
    await asked;
    return 'no refusal';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.details as { reason: string }).reason;
  }
};

async function openSession(domain: string): Promise<SessionFixture> {
  const { body } = await client.post('/v1/checkout-session', { body: { domain } }).expect(201);
  const { pathname, search } = new URL(body.checkout_url);
  const { id, price_cents: priceCents, expires_at: expiresAt } = body;
  return { id, domain, priceCents, expiresAt, url: app.url + pathname + search };
}

const isFound = async (domain: string) => {
  const { body } = await client.get('/v1/domains/search', { query: { q: domain } });
  return body.results.some((found: { domain: string }) => found.domain === domain);
};

/** Somebody's domain, in our account at the registry and for sale. */
interface Scene {
  domain: string;
  owner: Owner;
  session: SessionFixture | null;
  quoteId: string | null;
  offerId: string | null;
}

async function givenScene(state: { session: boolean; quote: boolean; offer: boolean }) {
  const domain = registered(registry, 'gaining');
  const owner = await givenOwnerOf(app.runtime, [domain]);
  const listed = { domain, environment: ENVIRONMENT, priceCents: PRICE, offersAccepted: true };
  const scene: Scene = { domain, owner, session: null, quoteId: null, offerId: null };
  await addListing(app.runtime, listed);
  if (state.session) scene.session = await openSession(domain);
  if (state.offer) {
    const body = { domain, amount_cents: 100_000, buyer: orderBody(domain).buyer };
    const made = await client.post('/v1/offers', { body }).expect(201);
    scene.offerId = made.body.public_id ?? made.body.id;
  }
  if (state.quote) {
    scene.quoteId = (
      await client.post('/v1/quotes', { body: { domain } }).expect(201)
    ).body.quote_id;
  }
  return scene;
}

/** What a command came to: `legal_hold`, another refusal, or `done`. */
type Command = (scene: Scene) => Promise<string>;

const answered = ({ status, body }: ClientAnswer) =>
  status < 300 ? 'done' : (body.error.details?.reason ?? body.error.code);
const asStaff = async (asked: Promise<unknown>) => {
  const reason = await reasonOf(asked);
  return reason === 'no refusal' ? 'done' : reason;
};

async function bulk({ owner }: Scene, action: BulkAction): Promise<string> {
  const job = await givenBulkJob(app.runtime, owner, action);
  await finished(app.runtime, job);
  const [item] = await itemsNow(app.runtime, job);
  if (item?.state === 'ok') return 'done';
  return item?.message?.includes('legal hold') ? 'legal_hold' : (item?.message ?? 'nothing');
}

const at = (domain: string) => ({ environment: ENVIRONMENT, domain });

const COMMANDS: Readonly<Record<string, Command>> = {
  quote: async ({ domain }) => answered(await client.post('/v1/quotes', { body: { domain } })),
  order: async ({ domain }) => answered(await order(domain)),
  orderOfQuote: async ({ domain, quoteId }) =>
    answered(await order(domain, quoteId ? { quote_id: quoteId } : {})),
  session: async ({ domain }) =>
    answered(await client.post('/v1/checkout-session', { body: { domain } })),
  pay: async ({ session }) => {
    if (!session) return 'legal_hold';
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    return (await ordersOf(app, session.id)).length > 0 ? 'done' : 'legal_hold';
  },
  offer: async ({ domain }) => {
    keys += 1;
    const buyer = { ...orderBody(domain).buyer, email: `buyer${keys}@example.com` };
    const body = { domain, amount_cents: 90_000, buyer };
    return answered(await client.post('/v1/offers', { body }));
  },
  acceptOffer: ({ offerId }) =>
    offerId ? asStaff(acceptOffer(app.runtime, null, offerId)) : Promise.resolve('legal_hold'),
  broker: async ({ domain }) => {
    const { body } = await client.get('/v1/brokerage/eligibility', { query: { domain } });
    return body.reasons.includes('legal_hold') ? 'legal_hold' : 'done';
  },
  addListing: ({ domain }) => asStaff(addListing(app.runtime, { ...at(domain), priceCents: 1 })),
  delist: ({ domain }) => asStaff(delistListing(app.runtime, at(domain))),
  reprice: ({ domain }) => asStaff(repriceListing(app.runtime, { ...at(domain), priceCents: 9 })),
  grant: ({ domain, owner: { email } }) =>
    asStaff(grantDomains(app.runtime, 'test', { email, domains: [domain] })),
  relist: ({ domain }) => asStaff(relistDomain(app.runtime, { ...at(domain), returned: true })),
  import: async ({ domain }) => {
    const reasons: string[] = [];
    await importListings(app.runtime, {
      environment: ENVIRONMENT,
      format: 'ndjson',
      source: Readable.from([JSON.stringify({ domain, price_cents: 7 })]),
      onRejected: ({ reason }) => reasons.push(reason),
    });
    return reasons.join() === `${domain} is on legal hold` ? 'legal_hold' : 'done';
  },
  renewal: ({ domain, owner }) =>
    asStaff(openRenewal(app.runtime, owner.userId, { domain, kind: 'renewal', years: 1 })),
  restore: ({ domain, owner }) =>
    asStaff(openRenewal(app.runtime, owner.userId, { domain, kind: 'restore', years: 1 })),
  nameservers: (scene) =>
    bulk(scene, {
      op: 'nameservers',
      params: { nameservers: ['ns1.example.net', 'ns2.example.net'] },
    }),
  lock: (scene) => bulk(scene, { op: 'lock', params: { enabled: true } }),
  autoRenew: (scene) => bulk(scene, { op: 'auto_renew', params: { enabled: true } }),
  renew: (scene) => bulk(scene, { op: 'renew', params: { years: 1 } }),
  list: (scene) => bulk(scene, { op: 'list', params: { price_cents: PRICE } }),
  unlist: (scene) => bulk(scene, { op: 'unlist', params: {} }),
  price: (scene) => bulk(scene, { op: 'price', params: { price_cents: PRICE } }),
  authCode: async ({ domain }) => {
    keys += 1;
    const request = { clientReference: `code-${keys}`, domain };
    const answer = await app.runtime.registrars(ENVIRONMENT).issueAuthCode(request);
    return answer.status === 'done' ? 'done' : 'legal_hold';
  },
  registrant: ({ domain, owner: { userId } }) =>
    asStaff(
      app.runtime.db.transact((uow) =>
        changeRegistrant(uow, app.runtime, { userId, domain, registrant: KEPT_REGISTRANT }),
      ),
    ),
  registrantAtRegistrar: async ({ domain }) => {
    keys += 1;
    const change = { kind: 'registrant', registrant: KEPT_REGISTRANT } as const;
    const request = { clientReference: `change-${keys}`, domain, change };
    const answer = await app.runtime.registrars(ENVIRONMENT).change(request);
    return answer.status === 'done' ? 'done' : 'legal_hold';
  },
  changeAtRegistrar: async ({ domain }) => {
    keys += 1;
    const change = { kind: 'lock', enabled: true } as const;
    const request = { clientReference: `change-${keys}`, domain, change };
    const answer = await app.runtime.registrars(ENVIRONMENT).change(request);
    return answer.status === 'done' ? 'done' : 'legal_hold';
  },
};
/** Those that work on a domain that is listed, and on what else the scene has. */
const WORK_AGAIN = ['quote', 'order', 'session', 'offer', 'delist', 'reprice', 'import'].concat([
  'nameservers',
  'lock',
  'autoRenew',
  'renew',
  'list',
  'unlist',
  'price',
  'registrant',
  'authCode',
]);

describe('a domain on legal hold', () => {
  it('rejects every quote, sale, transfer and change until the hold is lifted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ session: fc.boolean(), quote: fc.boolean(), offer: fc.boolean() }),
        fc.shuffledSubarray(Object.keys(COMMANDS), { minLength: Object.keys(COMMANDS).length }),
        fc.constantFrom(...WORK_AGAIN),
        async (state, order, again) => {
          const scene = await givenScene(state);
          const { domain } = scene;
          const before = structuredClone(registry.state.domains[domain]);
          const hold = await place(domain);
          await untilStatusesAre(domain, PROHIBITED);
          const results: Record<string, string> = {};
          for (const name of order) results[name] = (await COMMANDS[name]?.(scene)) ?? 'missing';
          expect(results).toEqual(Object.fromEntries(order.map((name) => [name, 'legal_hold'])));
          expect({ ...registry.state.domains[domain], updatedAt: null }).toEqual({
            ...before,
            statuses: expect.anything(),
            updatedAt: null,
          });
          expect(await isFound(domain)).toBe(false);
          const { body: detail } = await client.get(`/v1/domains/${domain}`);
          expect(detail).toMatchObject({ available: false, status: 'delisted' });
          const { body: availability } = await client.get('/v1/availability', {
            query: { domain },
          });
          expect(availability).toMatchObject({ available: false });

          await lift(hold);
          await untilStatusesAre(domain, []);
          expect(await isFound(domain)).toBe(!state.quote);
          expect((await client.get(`/v1/domains/${domain}`)).body.status).not.toBe('delisted');
          expect([again, await COMMANDS[again]?.(scene)]).toEqual([again, 'done']);
        },
      ),
      { numRuns: 12, endOnFailure: true },
    );
  }, 240_000);

  it('does not expire: it is renewed regardless of its owner’s settings', async () => {
    const domain = registered(registry, 'gaining');
    const expiresAt = addMs(registry.clock.now(), 20 * DAY);
    Object.assign(registry.state.domains[domain] ?? {}, { expiresAt: expiresAt.toISOString() });
    await givenOwnerOf(app.runtime, [domain]);
    const { signal } = createSharedAbort();
    await place(domain);
    await untilStatusesAre(domain, PROHIBITED);
    expect(await renewDueDomains(app.runtime, signal)).toEqual({ renewed: 1, failed: 0 });
    const renewed = new Date(registry.state.domains[domain]?.expiresAt ?? '');
    expect(renewed.getUTCFullYear()).toBe(expiresAt.getUTCFullYear() + 1);
  });

  it('is not charged for when the buyer was about to pay', async () => {
    const { domain, session } = await givenScene({ session: true, quote: false, offer: false });
    if (!session) throw new Error('no session');
    await sendForm(session.url, 'pay', buyerWith(CARDS.asks));
    expect((await fetchPage(session.url)).text).toContain('Confirm your payment');
    await place(domain);
    await sendForm(session.url, 'confirm', { answer: 'approve' });
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect((await fetchPage(session.url)).text).toContain('You were not charged');
  });

  it('cannot be sold by brokerage even if it was never listed', async () => {
    const domain = unlistedDomain();
    const { id } = await givenCase(
      app.runtime,
      { partnerId, environment: ENVIRONMENT },
      { domain },
    );
    await bringTo(app.runtime, id, 'AGREED');
    const hold = await place(domain);
    const deal = () =>
      app.runtime.db.transact((uow) =>
        moveCase(uow, app.runtime, {
          caseId: id,
          to: 'COMPLETED',
          by: 'ops',
          dealPriceCents: 450_000,
        }),
      );
    expect(await reasonOf(deal())).toBe('legal_hold');
    await lift(hold);
    expect(await reasonOf(deal())).toBe('no refusal');
  });

  it('stays on hold until the last of several holds is lifted', async () => {
    const { domain } = await givenScene({ session: false, quote: false, offer: false });
    registry.state.domains[domain]?.statuses.push('clientTransferProhibited');
    const [first, second] = [await place(domain, 'A'), await place(domain, 'B')];
    expect(await reasonOf(place(domain, 'A'))).toBe('already_exists');
    await untilStatusesAre(domain, PROHIBITED);
    await lift(first);
    expect(answered(await client.post('/v1/quotes', { body: { domain } }))).toBe('legal_hold');
    expect(statusesOf(domain)).toEqual(PROHIBITED);
    await lift(second);
    // The owner's own lock stays.
    await untilStatusesAre(domain, ['clientTransferProhibited']);
    expect(answered(await client.post('/v1/quotes', { body: { domain } }))).toBe('done');
  });

  it('can be released only by someone other than the person who placed the hold, and only once', async () => {
    const hold = await place(unlistedDomain());
    expect(await reasonOf(liftLegalHold(app.runtime, 'cli:first', hold.id))).toBe('invalid_state');
    await lift(hold);
    expect(await reasonOf(lift(hold))).toBe('invalid_state');
  });

  it('cannot be listed while the hold is being placed', async () => {
    const domains = Array.from({ length: 8 }, unlistedDomain);
    await Promise.all(
      domains.flatMap((domain) => [
        place(domain),
        reasonOf(addListing(app.runtime, { ...at(domain), priceCents: PRICE })),
      ]),
    );
    for (const domain of domains) {
      expect(answered(await client.post('/v1/quotes', { body: { domain } }))).not.toBe('done');
    }
    const rows = await app.runtime.db.knex('listings').whereIn('domain', domains).select('status');
    expect(rows.filter(({ status }) => status === 'listed')).toEqual([]);
  });
});

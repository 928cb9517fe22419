import { Readable } from 'node:stream';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { importListings } from '../../shared/market/inventory/import-listings.ts';
import { requestImport } from '../../shared/market/inventory/import-run.ts';
import { createEndpoint } from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { signIn } from '../../shared/people/users/user-session.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import { newId } from '../../shared/platform/ids.ts';
import { createSession } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { makeOffer } from '../../shared/sales/offers/offer-lifecycle.ts';
import { createLink } from '../../shared/sales/referral/create-referral-link.ts';
import { requestSettlementRun } from '../../shared/settlement/statements/run-settlements.ts';
import { givenAccount, PASSWORD } from '../../test/support/accounts.ts';
import { givenAgreedCase } from '../../test/support/brokerage.ts';
import { givenCredential, givenPartner } from '../../test/support/factories.ts';
import { accessTokenFor } from '../../test/support/oauth.ts';
import { givenOrder } from '../../test/support/orders.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { recordSale } from '../../test/support/sales.ts';
import type { KeyPair } from '../../test/support/signed-client.ts';
import { inventoryLines } from '../support/search-inventory.ts';

/** The kinds of objects with ids, each with the column that gives their age. */
const KINDS = {
  orders: 'created_at',
  settlements: 'created_at',
  payouts: 'created_at',
  documents: 'issued_at',
  events: 'created_at',
  webhook_deliveries: 'created_at',
  checkout_sessions: 'created_at',
  brokerage_cases: 'created_at',
  offers: 'created_at',
  referral_links: 'created_at',
  api_requests: 'created_at',
} as const;

type Kind = keyof typeof KINDS;

/** The number of ids of each kind. A seller's are spread evenly from the oldest to the newest. */
const IDS = 25;

/** The number of names to query. */
const DOMAINS = 2_000;

/** The number of names for sale, in addition to those of the history; each write uses one. */
const NAMES = { LIVE: 12_000, SANDBOX: 3_000 } as const;

/** A partner of the history, with its own keys and a member who views its pages. */
export interface Seller {
  partnerId: string;
  keys: Readonly<Record<Environment, KeyPair>>;
  /** The id of a LIVE endpoint whose secret the service generated. */
  endpointId: string;
  /** All its LIVE endpoints, with those of the history. */
  endpoints: readonly string[];
  /** Ids of its LIVE data. */
  ids: Readonly<Record<Kind, readonly string[]>>;
}

export interface Listing {
  domain: string;
  priceCents: number;
  currency: string;
}

/** The callers, and the data they ask for. */
export interface Scene {
  runtime: TestRuntime;
  now: Date;
  /** The partner with the most trade, one of the larger ones, and one of the smallest. */
  sellers: readonly Seller[];
  /** A partner whose endpoints can be created and deleted. */
  other: Seller;
  owner: { userId: string; token: string; domains: readonly string[] };
  /** Cookies of users who may see everything: an operator, and a member of each seller. */
  cookies: { staff: string; member: string };
  staffToken: string;
  /** LIVE names that were sold long ago, sold recently, or are for sale. */
  domains: readonly string[];
  /** Returns the lowest ids of a table, at most {@link IDS}. */
  idsOf(table: string, column?: string): Promise<readonly string[]>;
  /** Returns a name for sale that hasn't been returned yet. */
  take(environment: Environment): Listing;
}

/** Adds callers and names for sale to a marketplace; {@link withIds} then adds the ids of the sellers' data. */
export async function prepareScene(runtime: TestRuntime, now: Date): Promise<Scene> {
  await seedTlds(runtime);
  const forSale = {
    LIVE: await putUpForSale(runtime, 'LIVE'),
    SANDBOX: await putUpForSale(runtime, 'SANDBOX'),
  };
  const { knex } = runtime.db;
  const partners: string[] = await knex('partners').orderBy('id').pluck('id');
  const member = await givenAccount(runtime, 'owner');
  const wanted = [partners[0], partners[1], partners.at(-1)];
  const sellers: Seller[] = [];
  for (const known of wanted) {
    const partnerId = known ?? (await givenPartner(runtime)).partnerId;
    sellers.push(await givenSeller(runtime, partnerId, member.id));
  }
  const { partnerId } = await givenPartner(runtime);
  const other = await givenSeller(runtime, partnerId, member.id);
  const staff = await givenAccount(runtime, 'ops');
  const open = async (email: string) =>
    (await signIn(runtime, { email, password: PASSWORD })).token;
  const staffToken = await open(staff.email);
  const userId = (await knex('users').min('id as id').first())?.id;
  const { rows: listings } = await knex.raw<{ rows: { domain: string }[] }>(
    `select domain from generate_series(1, ?) n
     join listings on id = n * greatest(1, (select max(id) from listings) / ?) where environment = 'LIVE'`,
    [DOMAINS, DOMAINS],
  );
  return {
    runtime,
    now,
    sellers,
    other,
    owner: {
      userId,
      token: await accessTokenFor(runtime, { userId, scopes: ['domains:manage', 'pricing:read'] }),
      domains: await knex('owned_domains').where({ user_id: userId }).limit(20).pluck('domain'),
    },
    cookies: {
      staff: `ops_session=${staffToken}`,
      member: `account_session=${await open(member.email)}`,
    },
    staffToken,
    domains: listings.map(({ domain }) => domain),
    async idsOf(table, column = 'id') {
      return knex(table).orderBy(column).limit(IDS).pluck(column);
    },
    take(environment) {
      const listing = forSale[environment].pop();
      if (!listing) throw new Error(`no name is left for sale in ${environment}`);
      return listing;
    },
  };
}

async function givenSeller(
  runtime: TestRuntime,
  partnerId: string,
  memberId: string,
): Promise<Seller> {
  const { knex } = runtime.db;
  const now = runtime.clock.now();
  const owner = { partnerId, environment: 'LIVE' } as const;
  const LIVE = await givenCredential(runtime, partnerId, { environment: 'LIVE' });
  const SANDBOX = await givenCredential(runtime, partnerId, { environment: 'SANDBOX' });
  await knex('partners')
    .where({ id: partnerId })
    .update({ affiliate_id: newId('affiliate', now) });
  const member = { partner_id: partnerId, user_id: memberId, role: 'admin', created_at: now };
  await knex('partner_members').insert(member);
  const { endpoint } = await createEndpoint(runtime, owner, { url: ENDPOINT_URL });
  const endpoints = await knex('webhook_endpoints')
    .where({ partner_id: partnerId, environment: 'LIVE' })
    .pluck('id');
  return { partnerId, keys: { LIVE, SANDBOX }, endpointId: endpoint.id, endpoints, ids: NO_IDS };
}

const ENDPOINT_URL = 'https://partner.example/hooks';

/** How many objects of each kind every seller gets, in addition to the history. */
const TRADE = { orders: 30, others: 3 };

/** Creates data of each kind for every seller, so that calls find something even in a marketplace without history. */
export async function givenTrade({ runtime, sellers, take, now }: Scene): Promise<void> {
  const { knex } = runtime.db;
  await importListing(runtime);
  await requestSettlementRun(runtime, 'scale', { environment: 'LIVE', until: now });
  for (const { partnerId } of sellers) {
    const owner = { partnerId, environment: 'LIVE' } as const;
    const caller = {
      ...owner,
      keyId: 'scale',
      commissionBps: 1_500,
      affiliateId: newId('affiliate', now),
    };
    for (let made = 0; made < TRADE.orders; made += 1) {
      const { domain, priceCents } = take('LIVE');
      await recordSale(runtime, caller, { domain, expectedPriceCents: priceCents });
    }
    for (let made = 0; made < TRADE.others; made += 1) {
      const { domain, priceCents } = take('LIVE');
      const buyer = { email: 'buyer@example.com', name: null, country: null };
      await makeOffer(runtime, caller, { domain, amountCents: Math.ceil(priceCents / 2), buyer });
      await createSession(runtime, caller, { ...NO_SESSION, domain: take('LIVE').domain });
      await createLink(runtime, caller, { kind: 'generic' });
      await givenAgreedCase(runtime, owner, 'USD');
      // Long enough ago to be due for settlement: a month, plus the delay of two weeks.
      const deliveredAt = addMs(now, -45 * DAY).toISOString();
      await givenOrder(runtime, owner, { deliveredAt, paymentModel: 'hosted_checkout' });
    }
    await knex('webhook_deliveries')
      .where({ partner_id: partnerId, state: 'pending' })
      .where('created_at', '>=', now)
      .update({ state: 'delivered', attempts: 1, finished_at: now });
  }
}

function importListing(runtime: TestRuntime): Promise<unknown> {
  const content = 'domain,price_cents\nimported-one.com,120000\n';
  return requestImport(runtime, 'scale', {
    environment: 'LIVE',
    fileName: 'listings.csv',
    content,
  });
}

const NO_SESSION = {
  quote: null,
  returnUrl: null,
  cancelUrl: null,
  buyerEmail: null,
  clientReference: null,
};

const NO_IDS = Object.fromEntries(
  Object.keys(KINDS).map((kind) => [kind, []]),
) as unknown as Seller['ids'];

/** Returns the scene with the current ids of its sellers. */
export async function withIds(scene: Scene): Promise<Scene> {
  const sellers: Seller[] = [];
  for (const seller of scene.sellers)
    sellers.push({ ...seller, ids: await readIds(scene, seller) });
  return { ...scene, sellers };
}

/** Pings are not part of the history. */
const IN_STREAM = ' and position is not null';

async function readIds({ runtime, now }: Scene, { partnerId }: Seller): Promise<Seller['ids']> {
  const found: Partial<Record<Kind, string[]>> = {};
  for (const [kind, age] of Object.entries(KINDS) as [Kind, string][]) {
    // The documents of the history don't have the content of those that the service issued.
    const since = kind === 'documents' ? now : new Date(0);
    const { rows } = await runtime.db.knex.raw<{ rows: { id: string }[] }>(
      `select id from (
         select id, row_number() over (order by ${age}, id) - 1 as nth, count(*) over () as among from ${kind}
         where partner_id = ? and environment = 'LIVE' and ${age} >= ?${kind === 'events' ? IN_STREAM : ''}) t
       where nth % greatest(1, among / ?) = 0 order by id`,
      [partnerId, since, IDS],
    );
    found[kind] = rows.map(({ id }) => id);
  }
  return found as Seller['ids'];
}

async function putUpForSale(
  runtime: TestRuntime,
  environment: 'LIVE' | 'SANDBOX',
): Promise<Listing[]> {
  const source = Readable.from(inventoryLines(NAMES[environment]));
  await importListings(runtime, { environment, source, format: 'ndjson' });
  const imported = runtime.db
    .knex('listings')
    .where({ environment, status: 'listed' })
    .whereNot('domain', 'like', 'name%.com');
  await imported.clone().update({ offers_accepted: true, currency: 'USD' });
  return imported
    .orderByRaw('md5(domain)')
    .select('domain', { priceCents: 'price_cents' }, 'currency');
}

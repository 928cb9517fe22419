import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { exampleValues } from '../../measure/scale/example-values.ts';
import { givenHistory } from '../../measure/scale/history/history.ts';
import {
  isExplainable,
  type StatementPlan,
  StatementPlanner,
} from '../../measure/scale/statement-plan.ts';
import { readLargeTables } from '../../measure/scale/table-sizes.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { firstNumberAt } from '../../shared/platform/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { readStoreStatements, type StoreStatement } from '../support/store-statements.ts';

/** Enough for Postgres to prefer an index to reading all of what grows with every order. */
const SIZE = { partners: 60, orders: 30_000, events: 100_000 };
const LARGE = 5_000;
/** Tables that grow with every order, too, if more slowly. */
const GROWING = ['documents'];

/** Statements that may read all of a large table, with all their variants, and why. */
const MAY_SCAN: Readonly<Record<string, string>> = {
  'people/audit/audit-chain.store.ts: selectUnchained': 'proves the whole trail',
  'operations/ledger-check/ledger-check.store.ts: countEntries': 'says how much was recounted',
  'operations/ledger-check/ledger-check.store.ts: selectEntryBeyond':
    'stops after as many as a recount in the request takes',
  'operations/ledger-check/ledger-check.store.ts: selectViolations': 'recounts the whole ledger',
};

const ago = (days: number) => addMs(new Date(), -days * DAY);

/** Lists with the filters that fit few rows, or none, of what grows with every order; for each, what it is called with. */
const PAGES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'sales/orders/order.store.ts: selectOrders.ofStatuses': { statuses: ['SETTLED'] },
  'sales/transfers/order-worklist.store.ts: selectOrders.ofStatus.newest': { status: 'CANCELLED' },
  'sales/transfers/order-worklist.store.ts: selectOrders.ofStatus.oldest': { status: 'SETTLED' },
  'sales/transfers/order-worklist.store.ts: selectStage.to_push.oldest': {},
  'sales/transfers/order-worklist.store.ts: selectStage.failed.newest': {},
  'sales/checkout/checkout-session.store.ts: selectSessions.failed': {},
  'sales/checkout/checkout-session.store.ts: selectSessions.all': {},
  'sales/checkout/console-payments.store.ts: selectPayments.some.newest': {
    statuses: ['failed'],
    environments: ['LIVE', 'SANDBOX'],
  },
  'market/inventory/console-listings.store.ts: selectListings.a_to_z': {
    status: 'delisted',
    beginning: '%',
  },
  'messaging/mail/mail.store.ts: selectMails.newest': { recipient: 'nobody@example.com' },
  'messaging/webhooks/delivery.store.ts: selectDeliveries.ofOwner': {
    states: ['exhausted'],
    undelivered: true,
  },
  'messaging/webhooks/delivery.store.ts: selectDeliveries.ofEndpoint': {},
  'messaging/webhooks/delivery.store.ts: selectDeliveries.ofTypes': {
    eventTypes: ['offer.expired', 'order.recorded'],
  },
  'people/audit/audit-log.store.ts: selectAudit.newest': {
    from: ago(210),
    to: ago(180),
    idFrom: Number(firstNumberAt(ago(211))),
    idTo: Number(firstNumberAt(ago(179))),
  },
  'settlement/reports/transaction.store.ts: selectTransactions.ofModels.first': {
    statuses: ['REFUNDED', 'CANCELLED'],
    reversed: ['REFUNDED', 'CANCELLED'],
    models: ['hosted_checkout'],
  },
  'settlement/statements/statement-read.store.ts: selectStatements': {},
  'operations/monitoring/console-read-model.store.ts: selectMatches': {
    text: 'name77.com',
    part: '%name77.com%',
    beginning: 'name77.com%',
  },
};
/** Rows of a page, how many it may read for each of them, and pages of 8 kB that one far back may read more than the first. */
const PAGE = { limit: 51, rowsForEach: 8, morePages: 10 };

interface TimeList {
  table: string;
  at?: string;
  id?: string;
  given?: (place: { beforeAt: Date }) => Readonly<Record<string, unknown>>;
}
const WHOLE = { from: '-infinity' };

/** Lists by time of a partner, of which a page begins behind a row. */
const FAR_BACK: Readonly<Record<string, TimeList>> = {
  'sales/orders/order.store.ts: selectOrders.all': { table: 'orders' },
  'sales/orders/order.store.ts: selectOrders.ofStatuses': {
    table: 'orders',
    given: () => ({ statuses: ['SETTLED', 'TRANSFER_COMPLETED'] }),
  },
  'settlement/reports/transaction.store.ts: selectTransactions.all.afterSale': {
    table: 'orders',
    given: ({ beforeAt }) => ({ to: addMs(beforeAt, 1) }),
  },
  'sales/checkout/checkout-session.store.ts: selectSessions.all': {
    table: 'checkout_sessions',
  },
  'sales/offers/offer.store.ts: selectOffers.ofPartner': { table: 'offers' },
  'sales/referral/affiliate-report.store.ts: selectSales': {
    table: 'referral_sales',
    at: 'sold_at',
    id: 'order_id',
  },
};

let database: TestDatabase;
let client: pg.Client;
let planner: StatementPlanner;
let statements: StoreStatement[];
let large: Set<string>;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  const now = new Date();
  await givenHistory(client, SIZE, now);
  statements = await readStoreStatements();
  large = new Set([...(await readLargeTables(client, LARGE)), ...GROWING]);
  planner = new StatementPlanner(client, statements, { large, values: exampleValues(client, now) });
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The row of the busiest partner before which so large a share of its list lies. */
async function placeIn(
  { table, at = 'created_at', id = 'id' }: TimeList,
  share: number,
): Promise<{ partnerId: string; environment: string; beforeAt: Date; beforeId: string }> {
  const { rows } = await client.query(
    `with owner as (select partner_id, environment, count(*) from ${table} group by 1, 2 order by 3 desc limit 1)
     select l.partner_id as "partnerId", l.environment, l.${at} as "beforeAt", l.${id} as "beforeId"
     from ${table} l join owner o on o.partner_id = l.partner_id and o.environment = l.environment
     order by l.${at} desc, l.${id} desc offset (select floor(count * $1::float8) from owner) limit 1`,
    [share],
  );
  if (!rows[0]) throw new Error(`nobody has rows in ${table}`);
  return rows[0];
}

const told = ({ file, name }: StoreStatement) => `${file.replace('shared/', '')}: ${name}`;
const withoutVariant = (of: StoreStatement) => told(of).replace(/(: \w+).*/, '$1');

describe('a statement, among a year of orders', () => {
  it('reads all of no large table, but for those that say why', async () => {
    const plans: StatementPlan[] = [];
    for (const each of statements.filter(isExplainable)) plans.push(await planner.plan(each));
    const scanning = plans.filter(({ scans }) => scans.length > 0);
    const unexpected = scanning.filter(({ of }) => !(withoutVariant(of) in MAY_SCAN));
    expect(unexpected.map(({ of, scans }) => `${told(of)} reads all of ${scans}`)).toEqual([]);
    const needless = Object.keys(MAY_SCAN).filter(
      (name) => !scanning.some(({ of }) => withoutVariant(of) === name),
    );
    expect(needless).toEqual([]);
  });
});

describe('a page of a list, among a year of orders', () => {
  // As the connections of the service have it.
  beforeAll(() => client.query('set random_page_cost = 1.1; set jit = off'));

  it.each(Object.entries(PAGES))('%s reads little beside what it shows', async (name, given) => {
    const of = statements.find((each) => told(each) === name);
    if (!of) throw new Error(`no statement is ${name}`);
    const { limit, rowsForEach } = PAGE;
    const { rows } = await planner.reads(of, { limit, ...given });
    expect(rows).toBeLessThan(limit * rowsForEach);
  });

  it.each(Object.entries(FAR_BACK))(
    '%s reads no more far back than at first',
    async (name, list) => {
      const of = statements.find((each) => told(each) === name);
      if (!of) throw new Error(`no statement is ${name}`);
      const pagesAt = async (share: number) => {
        const place = await placeIn(list, share);
        const given = { limit: PAGE.limit, ...WHOLE, ...place, ...list.given?.(place) };
        return (await planner.reads(of, given)).pages;
      };
      const [first, middle, end] = [await pagesAt(0), await pagesAt(0.5), await pagesAt(0.95)];
      expect(Math.max(middle, end)).toBeLessThanOrEqual(first + PAGE.morePages);
    },
  );
});

describe('the history that plans are looked at in', () => {
  it('has what grows with every order', () => {
    expect([...large].sort()).toEqual(expect.arrayContaining(['ledger_postings', 'orders']));
    expect([...large].filter((name) => /^events_\d{8}$/.test(name)).length).toBeGreaterThan(5);
  });
});

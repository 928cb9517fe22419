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

/** Enough orders for Postgres to prefer an index over scanning tables that grow with them. */
const SIZE = { partners: 60, orders: 30_000, events: 100_000 };
const LARGE = 5_000;
/** Tables that also grow with orders, but more slowly. */
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

/** Rows that a page may scan to find a few matches. */
const LOOK_THROUGH = 150;

type Given = Readonly<Record<string, unknown>>;

/** Lists with the filters that fit few rows, or none, of what grows with every order; for each, what it is called with. */
const PAGES: Readonly<Record<string, Given | readonly Given[]>> = {
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
  'operations/monitoring/console-search.store.ts: selectMatches': ['name77.com', 'name1'].map(
    (text) => ({
      text,
      part: `%${text}%`,
      beginning: `${text}%`,
      lookThrough: LOOK_THROUGH,
    }),
  ),
  'sales/brokerage/brokerage-case.store.ts: selectCasesForOps.inStatus.newest': {
    status: 'AGREED',
  },
  'settlement/payouts/payout.store.ts: selectByStatus.oldest': { status: 'failed' },
  'people/partners/request-log.store.ts: selectRequests': {
    minStatus: 100,
    maxStatus: 599,
    path: '/nowhere',
    lookThrough: LOOK_THROUGH,
  },
  'market/inventory/console-listings.store.ts: selectListedAmong.z_to_a': {
    beginning: '%',
    from: '-infinity',
    to: ago(1_000).toISOString(),
    lookThrough: LOOK_THROUGH,
  },
};
/** Rows of a page, how many it may read for each of them, and pages of 8 kB that one far back may read more than the first. */
const PAGE = { limit: 51, rowsForEach: 8, morePages: 10 };

interface Place {
  partnerId: string;
  environment: string;
  beforeAt: Date;
  beforeId: string;
  /** The whole row. */
  row: Readonly<Record<string, unknown>>;
}

interface TimeList {
  /** A table, or a query of one. */
  of: string;
  at?: string;
  id?: string;
  /** What the rows of one list have in common beside partner and environment. */
  by?: string;
  oldestFirst?: boolean;
  given?: (place: Place) => Given;
}
const WHOLE = { from: '-infinity' };

const DELIVERIES: TimeList = {
  of: 'webhook_deliveries',
  given: ({ beforeId, row }) => ({ before: beforeId, endpointId: row.endpoint_id }),
};
const AFTER: NonNullable<TimeList['given']> = ({ beforeAt, beforeId }) => ({
  afterAt: beforeAt,
  afterOrder: beforeId,
  afterKind: 'sale',
});

/** A partner's lists by time, whose pages start after a given row. */
const FAR_BACK: Readonly<Record<string, TimeList>> = {
  'sales/orders/order.store.ts: selectOrders.all': { of: 'orders' },
  'sales/orders/order.store.ts: selectOrders.ofStatuses': {
    of: 'orders',
    given: () => ({ statuses: ['SETTLED', 'TRANSFER_COMPLETED'] }),
  },
  'settlement/reports/transaction.store.ts: selectTransactions.all.afterSale': {
    of: 'orders',
    given: ({ beforeAt }) => ({ to: addMs(beforeAt, 1) }),
  },
  'sales/checkout/checkout-session.store.ts: selectSessions.all': { of: 'checkout_sessions' },
  'sales/offers/offer.store.ts: selectOffers.ofPartner': { of: 'offers' },
  'sales/brokerage/brokerage-case.store.ts: selectCases': { of: 'brokerage_cases' },
  'sales/referral/affiliate-report.store.ts: selectSales': {
    of: 'referral_sales',
    at: 'sold_at',
    id: 'order_id',
  },
  'settlement/payouts/payout.store.ts: selectPayouts': { of: 'payouts' },
  'settlement/payouts/payout.store.ts: selectCommissionPayouts': { of: 'payouts' },
  'settlement/statements/statement-read.store.ts: selectStatementLines': {
    of: `(select l.*, s.partner_id, s.environment
      from settlement_lines l join settlements s on s.id = l.settlement_id)`,
    at: 'occurred_at',
    id: 'order_id',
    by: 'settlement_id',
    oldestFirst: true,
    given: (place) => ({ id: place.row.settlement_id, ...AFTER(place) }),
  },
  'settlement/statements/statement-read.store.ts: selectRunningLines': {
    of: '(select * from orders where settlement_id is null and transfer_completed_at is not null)',
    at: 'transfer_completed_at',
    oldestFirst: true,
    given: (place) => ({ delaySeconds: 0, ...AFTER(place) }),
  },
  'messaging/webhooks/delivery.store.ts: selectDeliveries.ofOwner': {
    ...DELIVERIES,
    given: ({ beforeId }) => ({ before: beforeId }),
  },
  'messaging/webhooks/delivery.store.ts: selectDeliveries.ofEndpoint': DELIVERIES,
  'messaging/webhooks/delivery.store.ts: selectDeliveries.ofTypes': {
    ...DELIVERIES,
    given: ({ beforeId }) => ({
      before: beforeId,
      eventTypes: ['order.recorded', 'order.settled'],
    }),
  },
  'people/partners/request-log.store.ts: selectRequests': {
    of: 'api_requests',
    given: ({ beforeId }) => ({
      before: beforeId,
      minStatus: 100,
      maxStatus: 599,
      lookThrough: LOOK_THROUGH,
    }),
  },
};

/** Of what the history has too little for a list to have a far end: payouts and closed cases, one for each hosted sale. */
const MORE = `
  insert into payouts (id, partner_id, environment, source, amount_cents, currency, status, created_at, paid_at)
  select replace(id, 'ord', 'pay'), partner_id, environment, case when listing_id % 20 = 1 then 'referral' else 'hosted_checkout' end,
    sale_price_cents, currency, 'paid', created_at, created_at
  from orders where payment_model = 'hosted_checkout';
  insert into brokerage_cases (id, partner_id, environment, domain, tier, status, buyer_email, budget_cents, currency,
    created_at, updated_at, closed_at)
  select replace(id, 'ord', 'brm'), partner_id, environment, 'sought-' || domain, 'managed', 'CLOSED_NO_DEAL', '',
    sale_price_cents, currency, created_at, updated_at, updated_at
  from orders where payment_model = 'hosted_checkout';
  analyze payouts, brokerage_cases`;

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
  await client.query(MORE);
  statements = await readStoreStatements();
  large = new Set([...(await readLargeTables(client, LARGE)), ...GROWING]);
  planner = new StatementPlanner(client, statements, { large, values: exampleValues(client, now) });
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The row at this share of a partner's longest list. */
async function placeIn(
  { of, at = 'created_at', id = 'id', by = 'partner_id', oldestFirst = false }: TimeList,
  share: number,
): Promise<Place> {
  const order = oldestFirst ? 'asc' : 'desc';
  const { rows } = await client.query(
    `with owner as (
       select partner_id, environment, ${by} as by, count(*) from ${of} l group by 1, 2, 3 order by 4 desc limit 1)
     select l.partner_id as "partnerId", l.environment, l.${at} as "beforeAt", l.${id} as "beforeId", to_json(l) as row
     from ${of} l join owner o on o.partner_id = l.partner_id and o.environment = l.environment and o.by = l.${by}
     order by l.${at} ${order}, l.${id} ${order} offset (select floor(count * $1::float8) from owner) limit 1`,
    [share],
  );
  if (!rows[0]) throw new Error(`nobody has rows in ${of}`);
  return rows[0];
}

const told = ({ file, name }: StoreStatement) => `${file.replace('shared/', '')}: ${name}`;
const withoutVariant = (of: StoreStatement) => told(of).replace(/(: \w+).*/, '$1');

describe('SQL statements on a year of orders', () => {
  it('never scan a whole large table without a stated reason', async () => {
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

describe('paging through a list on a year of orders', () => {
  // Same settings as the service's connections.
  beforeAll(() => client.query('set random_page_cost = 1.1; set jit = off'));

  const pages = Object.entries(PAGES).flatMap(([name, given]) =>
    [given].flat().map((each): [string, Given] => [name, each]),
  );
  it.each(pages)('%s reads few rows beyond those it returns', async (name, given) => {
    const of = statements.find((each) => told(each) === name);
    if (!of) throw new Error(`no statement is ${name}`);
    const { limit, rowsForEach } = PAGE;
    const { rows } = await planner.reads(of, { limit, ...given });
    expect(rows).toBeLessThan(limit * rowsForEach);
  });

  it.each(Object.entries(FAR_BACK))(
    '%s reads no more rows for later pages than for the first',
    async (name, list) => {
      const of = statements.find((each) => told(each) === name);
      if (!of) throw new Error(`no statement is ${name}`);
      const pagesAt = async (share: number) => {
        const place = await placeIn(list, share);
        const given = { limit: PAGE.limit, ...WHOLE, ...place, ...list.given?.(place) };
        return (await planner.reads(of, given)).pages;
      };
      const most = async (shares: readonly number[]) => {
        let pages = 0;
        for (const share of shares) pages = Math.max(pages, await pagesAt(share));
        return pages;
      };
      // How many pages hold the rows is random, so a single place proves little.
      const [first, far] = [await most([0, 0.05, 0.1]), await most([0.5, 0.95])];
      expect(far).toBeLessThanOrEqual(first + PAGE.morePages);
    },
  );
});

describe('the data set for query plans', () => {
  it('contains every table that grows with orders', () => {
    expect([...large].sort()).toEqual(expect.arrayContaining(['ledger_postings', 'orders']));
    expect([...large].filter((name) => /^events_\d{8}$/.test(name)).length).toBeGreaterThan(5);
  });
});

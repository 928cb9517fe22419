import { afterEach, beforeEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { grantDomains } from '../../shared/domains/domain-grants/grant-domains.ts';
import { renewDueDomains } from '../../shared/domains/owned-domains/renew-due-domains.ts';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { carryOutRenewal } from '../../shared/sales/renewals/carry-out-renewal.ts';
import { renewByCards } from '../../shared/sales/renewals/renew-by-card.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { finished, givenBulkJob, type Owner } from '../support/bulk.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { registered, registrySettings } from '../support/live-registry.ts';
import { givenOwner } from '../support/oauth.ts';
import { CARDS, card } from '../support/payments.ts';
import { PROMPT } from '../support/quick-fleet.ts';
import { givenKeptCard, givenPrices, givenRenewal, payForRenewal } from '../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { givenSale } from '../support/transfers.ts';

const { signal } = new AbortController();
const MARGIN = 1.1;
const [STANDARD, RESTORE] = [1_000, 4_000];

let registry: DemoRegistry;
let runtime: TestRuntime;
let fleet: WorkerProcess;
let owner: Owner;
let order: string;

beforeEach(async () => {
  // It charges whoever does not look.
  registry = await startDemoRegistry({ policy: { chargesUnasked: true } });
  runtime = await createTestRuntime({
    ...PROMPT,
    ...registrySettings(registry),
    outboxPollMs: 20,
    eppAnswerMs: 30_000,
  });
  await givenPrices(runtime);
  fleet = startWorkers(runtime, { queues: ['bulk-domains'] });
  const { id: userId, email } = await givenOwner(runtime);
  owner = { userId, email, domains: [] };
  order = (await givenSale(runtime)).order.id;
  await givenKeptCard(runtime, userId);
});
afterEach(async () => {
  await fleet.stop();
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
  await runtime.stop();
  await registry.close();
});

/** The registry's price of a name for a year; null for a plain name. */
type Price = number | null;
function setPrice(domain: string, price: Price): void {
  if (price === null) delete registry.state.premiums[domain];
  else registry.state.premiums[domain] = price;
}

/** Has the registry do what was paid for, as the job does. */
async function carryOut(renewalId: string): Promise<void> {
  const key = `renew-domain:${renewalId}`;
  const job = await runtime.db.knex('outbox').where({ dedupe_key: key }).first('id', 'epoch');
  if (job) await carryOutRenewal(runtime, renewalId, { ...job, outboxId: job.id }, signal);
}

interface Case {
  before: Price;
  /** The prices from the moment behind the quote, and behind the payment, on. */
  paying: Price | 'same';
  renewing: Price | 'same';
  years: number;
}

async function byHand(domain: string, kind: 'renewal' | 'restore', each: Case): Promise<void> {
  const renewal = await givenRenewal(runtime, owner, { domain, kind, years: each.years });
  if (each.paying !== 'same') setPrice(domain, each.paying);
  await payForRenewal(runtime, renewal, card(CARDS.succeeds));
  if (each.renewing !== 'same') setPrice(domain, each.renewing);
  await carryOut(renewal.id);
}

const PATHS: Readonly<Record<string, (domain: string, each: Case) => Promise<unknown>>> = {
  'by hand': (domain, each) => byHand(domain, 'renewal', each),
  async restored(domain, each) {
    const record = registry.state.domains[domain];
    if (record) {
      record.expiresAt = addMs(runtime.clock.now(), -50 * DAY).toISOString();
      record.statuses = ['pendingDelete'];
      record.rgpStatus = 'redemptionPeriod';
    }
    await byHand(domain, 'restore', each);
  },
  async 'by card'(domain, each) {
    await renewsSoon(domain, { bought_with: order });
    if (each.paying !== 'same') setPrice(domain, each.paying);
    await renewByCards(runtime, signal);
    if (each.renewing !== 'same') setPrice(domain, each.renewing);
    const tried = await runtime.db.knex('renewals').where({ domain }).first('id');
    if (tried) await carryOut(tried.id);
  },
  async 'by itself, for free'(domain) {
    await renewsSoon(domain, {});
    await renewDueDomains(runtime, signal);
  },
  async 'in bulk'(domain, { years }) {
    const job = await givenBulkJob(
      runtime,
      { ...owner, domains: [domain] },
      { op: 'renew', params: { years } },
    );
    await finished(runtime, job);
  },
};

async function renewsSoon(domain: string, more: object): Promise<void> {
  const ends = addMs(runtime.clock.now(), 20 * DAY);
  const record = registry.state.domains[domain];
  if (record) record.expiresAt = ends.toISOString();
  const { knex } = runtime.db;
  const settings = { auto_renew: true, expires_at: ends, ...more };
  await knex('owned_domains').where({ domain }).update(settings);
  await knex('registrar_domains').where({ domain }).update({ auto_renew: true });
}

const price = fc.option(fc.constantFrom(1_000, 2_000, 50_000, 60_000), { freq: 2 });
const change = fc.oneof({ weight: 3, arbitrary: fc.constant('same' as const) }, price);
const renewal = fc.record({
  path: fc.constantFrom(...Object.keys(PATHS)),
  before: price,
  paying: change,
  renewing: change,
  years: fc.integer({ min: 1, max: 2 }),
});

it('premium renewals always cost the registry fee plus margin and never happen without payment', async () => {
  const seen = { premium: 0, plain: 0 };
  const law = fc.asyncProperty(renewal, async ({ path, ...each }) => {
    const domain = registered(registry, 'gaining');
    await grantDomains(runtime, 'test', { email: owner.email, domains: [domain] });
    registry.state.charges = [];
    setPrice(domain, each.before);
    await PATHS[path]?.(domain, each);
    await runtime.db.knex('owned_domains').where({ domain }).update({ auto_renew: false });

    const charges = registry.state.charges.filter(({ name }) => name === domain);
    const { [domain]: now = null } = registry.state.premiums;
    const row = await runtime.db.knex('renewals').where({ domain }).first();
    const isPaid = path === 'by hand' || path === 'restored' || path === 'by card';
    expect(charges.every(({ acknowledged }) => acknowledged)).toBe(true);
    if (isPaid) expect(row?.status === 'completed').toBe(charges.length > 0);
    if (charges.length === 0) return;
    const fees = charges.reduce((sum, { amount }) => sum + amount, 0);
    const restores = path === 'restored' ? (now ?? STANDARD) + RESTORE : 0;
    const years = path === 'by card' || path === 'by itself, for free' ? 1 : each.years;
    expect(fees).toBe((now ?? STANDARD) * years + restores);
    seen[now === null ? 'plain' : 'premium'] += 1;
    if (now === null) return;
    // Of a premium name only what was paid for by hand is made, at its own price.
    expect(['by hand', 'restored']).toContain(path);
    expect(Number(row.amount_cents)).toBe(Math.round(fees * MARGIN));
  });
  await fc.assert(law, { numRuns: 150 });
  expect(Math.min(seen.premium, seen.plain)).toBeGreaterThan(5);
});

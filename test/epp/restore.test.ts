import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RegistryPolicy } from '../../epp-demo/registry-rules.ts';
import { grantDomains } from '../../shared/domains/domain-grants/grant-domains.ts';
import { findOwnedDomains } from '../../shared/domains/owned-domains/manage-owned-domains.ts';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import type { Owner } from '../support/bulk.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { registered, registrySettings } from '../support/live-registry.ts';
import { givenOwner } from '../support/oauth.ts';
import { CARDS, card } from '../support/payments.ts';
import { PROMPT } from '../support/quick-fleet.ts';
import { givenPrices, givenRenewal, payForRenewal, untilRenewalIs } from '../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let registry: DemoRegistry;
let runtime: TestRuntime;
let fleet: WorkerProcess;

async function start(policy: Partial<RegistryPolicy> = {}): Promise<void> {
  registry = await startDemoRegistry({ policy });
  runtime = await createTestRuntime({
    ...PROMPT,
    ...registrySettings(registry),
    outboxPollMs: 20,
    eppAnswerMs: 30_000,
  });
  await givenPrices(runtime);
  fleet = startWorkers(runtime, { queues: ['transfers', 'payments'] });
}
async function stop(): Promise<void> {
  await fleet.stop();
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
  await runtime.stop();
  await registry.close();
}
async function restart(policy: Partial<RegistryPolicy>): Promise<void> {
  await stop();
  await start(policy);
}

beforeEach(() => start());
afterEach(stop);

/** Somebody's domain, which ended some days ago and which its registry is deleting. */
async function givenDeleted(name?: string): Promise<Owner & { domain: string }> {
  const domain = registered(registry, 'gaining', name);
  const { id: userId, email } = await givenOwner(runtime);
  await grantDomains(runtime, 'test', { email, domains: [domain] });
  const record = registry.state.domains[domain];
  if (!record) throw new Error('not registered');
  record.expiresAt = addMs(runtime.clock.now(), -50 * DAY).toISOString();
  record.statuses = ['pendingDelete'];
  record.rgpStatus = 'redemptionPeriod';
  return { userId, email, domains: [domain], domain };
}

const charged = () => registry.state.charges.map(({ command, amount }) => [command, amount]);
const message = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error: Error) => error.message,
  );
async function restore(owner: Owner) {
  const renewal = await givenRenewal(runtime, owner, { kind: 'restore' });
  await payForRenewal(runtime, renewal, card(CARDS.succeeds));
  return renewal;
}

describe('restoring a domain in redemption', () => {
  it('restores, reports and renews it for the combined price', async () => {
    const owner = await givenDeleted();
    const renewal = await restore(owner);
    await untilRenewalIs(runtime, renewal, 'completed');
    const record = registry.state.domains[owner.domain];
    expect(record).toMatchObject({ rgpStatus: null, statuses: [] });
    expect(Date.parse(record?.expiresAt ?? '')).toBeGreaterThan(runtime.clock.now().getTime());
    expect(charged()).toEqual([
      ['restore', 5_000],
      ['renew', 1_000],
    ]);
    const owned = await findOwnedDomains(runtime.db.knex, owner.userId, owner.domains);
    expect(owned.get(owner.domain)?.expiresAt.toISOString()).toBe(record?.expiresAt);
    const com = await runtime.db.knex('tlds').where({ tld: 'com' }).first();
    expect(renewal.price.amount).toBe(com.renew_cents + com.restore_cents);
  });

  it('costs the registry fees plus our margin for a premium domain', async () => {
    const owner = await givenDeleted('premium-restored.com');
    const renewal = await restore(owner);
    expect(renewal.price.amount).toBe(114_400);
    await untilRenewalIs(runtime, renewal, 'completed');
    expect(charged()).toEqual([
      ['restore', 54_000],
      ['renew', 50_000],
    ]);
  });

  it.each(
    (['cut_before', 'cut_after', 'half_frame'] as const).flatMap((kind) => [
      { kind, restoresAtOnce: false },
      { kind, restoresAtOnce: true },
    ]),
  )('happens and is charged once when connections fail: %o', async ({ kind, restoresAtOnce }) => {
    if (restoresAtOnce) await restart({ restoresAtOnce });
    const owner = await givenDeleted();
    registry.server.faults.order('update', { kind });
    // The report of the restore.
    if (!restoresAtOnce) registry.server.faults.order('update', { kind });
    registry.server.faults.order('renew', { kind });
    const renewal = await restore(owner);
    await untilRenewalIs(runtime, renewal, 'completed');
    expect(charged()).toEqual([
      ['restore', 5_000],
      ['renew', 1_000],
    ]);
    expect(registry.state.domains[owner.domain]).toMatchObject({ rgpStatus: null, statuses: [] });
  });

  it('is refunded when the price rises before the restore', async () => {
    const owner = await givenDeleted('premium-rising.com');
    const renewal = await givenRenewal(runtime, owner, { kind: 'restore' });
    await fleet.stop();
    await payForRenewal(runtime, renewal, card(CARDS.succeeds));
    registry.state.premiums[owner.domain] = 60_000;
    fleet = startWorkers(runtime, { queues: ['transfers', 'payments'] });
    const row = await untilRenewalIs(runtime, renewal, 'refunded');
    expect(row.refusal).toContain('price has changed');
    expect(charged()).toEqual([]);
    expect(registry.state.domains[owner.domain]?.rgpStatus).toBe('redemptionPeriod');
  });
});

describe('choosing between renewal and restore', () => {
  it('rejects renewing a deleted domain and restoring one that is not deleted', async () => {
    const owner = await givenDeleted();
    expect(await message(givenRenewal(runtime, owner))).toContain('See whether it can be restored');
    const record = registry.state.domains[owner.domain];
    if (record) Object.assign(record, { rgpStatus: null, statuses: [] });
    expect(await message(givenRenewal(runtime, owner, { kind: 'restore' }))).toContain(
      'isn’t deleted',
    );
  });

  it('rejects restoring a domain that was purged', async () => {
    const owner = await givenDeleted();
    delete registry.state.domains[owner.domain];
    expect(await message(givenRenewal(runtime, owner, { kind: 'restore' }))).toContain(
      'can’t be restored anymore',
    );
  });
});

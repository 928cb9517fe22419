import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  carryOutChange,
  changeRegistrant,
  findLastChange,
} from '../../../shared/domains/domain-registrants/change-registrant.ts';
import { findRegistrant } from '../../../shared/domains/domain-registrants/registered-for.ts';
import { liftLegalHold, placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { givenOwnerOf } from '../../support/bulk.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { disputePurchase, givenPurchaseOf } from '../../support/purchases.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let registry: DemoRegistry;
let runtime: TestRuntime;

beforeAll(async () => {
  registry = await startDemoRegistry();
  runtime = await createTestRuntime({ ...registrySettings(registry), MAIL: 'on' });
});
afterAll(async () => {
  await runtime?.stop();
  await registry?.close();
});

const ask = (userId: string, domain: string) =>
  runtime.db.transact((uow) =>
    changeRegistrant(uow, runtime, { userId, domain, registrant: KEPT_REGISTRANT }),
  );

/** An owner who has asked for a registrant. */
async function givenChange() {
  const domain = registered(registry, 'gaining');
  const { userId } = await givenOwnerOf(runtime, [domain]);
  await ask(userId, domain);
  const changeNow = () => findLastChange(runtime, { domain, userId });
  const { id = '' } = (await changeNow()) ?? {};
  return { id, domain, userId, changeNow };
}

/** Runs what waits until nothing does. */
async function work() {
  const fleet = startWorkers(runtime, { queues: ['transfers'] });
  try {
    await eventually(
      () =>
        runtime.db.knex('outbox').where({ name: 'change-registrant' }).whereNot({ state: 'done' }),
      (left) => left.length === 0,
    );
  } finally {
    await fleet.stop();
  }
}

describe('changing a registrant', () => {
  it('is done once when the worker dies between the registry and the database', async () => {
    const { id, domain, changeNow } = await givenChange();
    const dying = {
      ...runtime,
      registrars: (environment: Environment) => {
        const registrar = runtime.registrars(environment);
        return {
          ...registrar,
          async change(request: Parameters<typeof registrar.change>[0]) {
            await registrar.change(request);
            throw new Error('the worker died');
          },
        };
      },
    };
    await expect(carryOutChange(dying, { outboxId: 0, epoch: 0 }, id)).rejects.toThrow('died');
    expect(registry.state.domains[domain]?.registrant).not.toBeNull();
    expect(await findRegistrant(runtime.db.knex, { environment: 'LIVE', domain })).toBeUndefined();
    await work();
    expect(await changeNow()).toMatchObject({ status: 'done', sealed: null });
    const found = await findRegistrant(runtime.db.knex, { environment: 'LIVE', domain });
    expect(found).toMatchObject({ verification: 'pending', orderId: null });
    const changes = registry.changes.filter(({ clTRID }) => clTRID?.startsWith(id));
    expect(changes.map(({ command }) => command)).toEqual(['create', 'update']);
  });

  it('waits until the registry has released a domain whose legal hold was lifted', async () => {
    const { id, domain, changeNow } = await givenChange();
    const order = { domain, kind: 'udrp', caseReference: 'D2026-0001' } as const;
    const hold = await placeLegalHold(runtime, 'cli:first', order);
    const enforce = (enabled: boolean) =>
      runtime.registrars('LIVE').change({
        clientReference: `${hold.id}-${enabled ? 'keep' : 'release'}`,
        domain,
        change: { kind: 'legal_hold', enabled },
        duringLegalHold: true,
      });
    await enforce(true);
    await liftLegalHold(runtime, 'cli:second', hold.id);
    const job = { outboxId: 0, epoch: 0 };
    const next = await carryOutChange(runtime, job, id);
    const minutes =
      next !== 'over' && (next.until.getTime() - runtime.clock.now().getTime()) / MINUTE;
    expect(Math.round(Number(minutes))).toBe(10);
    expect(await changeNow()).toMatchObject({ status: 'pending' });
    await enforce(false);
    await work();
    expect(await changeNow()).toMatchObject({ status: 'done' });
  });

  it('is rejected once the purchase of the domain is refunded, before and after it was asked for', async () => {
    const { domain, userId, changeNow } = await givenChange();
    const order = await givenPurchaseOf(runtime, domain);
    await takeBack(runtime, order.id);
    await work();
    const reason = expect.stringContaining('Its purchase was refunded');
    expect(await changeNow()).toMatchObject({ status: 'refused', reason });
    expect(registry.state.domains[domain]?.registrant).toBeNull();
    await expect(ask(userId, domain)).rejects.toThrow('Its purchase was refunded');
  });

  it('to somebody else is rejected while the payment of the domain is disputed', async () => {
    const domain = registered(registry, 'gaining');
    const { userId } = await givenOwnerOf(runtime, [domain]);
    const order = await givenPurchaseOf(runtime, domain);
    await disputePurchase(runtime, order, 'needs_response');
    await expect(ask(userId, domain)).rejects.toThrow('Its payment is disputed');
    await disputePurchase(runtime, order, 'won');
    expect(await ask(userId, domain)).toBe('pending');
  });

  it('is rejected when the domain was sold in the meantime', async () => {
    const { domain, changeNow } = await givenChange();
    await addListing(runtime, { environment: 'LIVE', domain, priceCents: 100_000 });
    await runtime.db.knex('listings').where({ domain }).update({ status: 'sold' });
    await work();
    expect(await changeNow()).toMatchObject({ status: 'refused' });
    expect(registry.state.domains[domain]?.registrant).toBeNull();
  });
});

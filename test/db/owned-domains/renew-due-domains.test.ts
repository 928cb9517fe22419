import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { countOwnedDomains } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { renewDueDomains } from '../../../shared/domains/owned-domains/renew-due-domains.ts';
import type { Registrars } from '../../../shared/domains/registrar/registrar.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { givenOwnerOf, type Owner, ownedNow } from '../../support/bulk.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let owner: Owner;
beforeEach(async () => {
  await runtime?.stop();
  runtime = await createTestRuntime();
  owner = await givenOwnerOf(runtime, 3);
});
afterAll(() => runtime.stop());

const { signal } = new AbortController();
const renew = (registrars: Registrars = runtime.registrars) =>
  renewDueDomains({ ...runtime, registrars }, signal);
const expiries = async () =>
  new Map((await ownedNow(runtime, owner)).map(({ domain, expiresAt }) => [domain, expiresAt]));
const yearLater = (date: Date | undefined) => {
  const later = new Date(date ?? 0);
  later.setUTCFullYear(later.getUTCFullYear() + 1);
  return later;
};

/** Moves to some days before expiry, with automatic renewal on for the first domains. */
async function givenDays(days: number, automatic: number): Promise<Map<string, Date>> {
  const { knex } = runtime.db;
  const chosen = owner.domains.slice(0, automatic);
  for (const table of ['owned_domains', 'sandbox_registrar_domains']) {
    await knex(table).whereIn('domain', chosen).update({ auto_renew: true });
  }
  const before = await expiries();
  const end = before.get(owner.domains[0] ?? '') as Date;
  runtime.clock.advance(addMs(end, -days * DAY).getTime() - runtime.clock.now().getTime());
  return before;
}

describe('automatic renewal', () => {
  it('renews once, and only the domains that have it enabled', async () => {
    const before = await givenDays(29, 2);
    const [first = '', second = '', third = ''] = owner.domains;
    expect(await renew()).toEqual({ renewed: 2, failed: 0 });
    expect(await renew()).toEqual({ renewed: 0, failed: 0 });
    const after = await expiries();
    expect(after.get(first)).toEqual(yearLater(before.get(first)));
    expect(after.get(second)).toEqual(yearLater(before.get(second)));
    expect(after.get(third)).toEqual(before.get(third));
  });

  it('waits until 30 days before expiry', async () => {
    await givenDays(31, 3);
    expect(await renew()).toEqual({ renewed: 0, failed: 0 });
  });

  it("renews only once when the registrar's response was lost", async () => {
    const before = await givenDays(10, 1);
    const [domain = ''] = owner.domains;
    const real = runtime.registrars('LIVE');
    const lost: Registrars = () => ({
      ...real,
      async change(request) {
        await real.change(request);
        throw new Error('the connection was cut');
      },
    });
    expect(await renew(lost)).toEqual({ renewed: 0, failed: 1 });
    expect(await renew()).toEqual({ renewed: 1, failed: 0 });
    expect((await expiries()).get(domain)).toEqual(yearLater(before.get(domain)));
  });

  it('continues with the other domains when one is refused', async () => {
    await givenDays(10, 3);
    const [refused = ''] = owner.domains;
    const real = runtime.registrars('LIVE');
    const picky: Registrars = () => ({
      ...real,
      change: async (request) =>
        request.domain === refused
          ? { status: 'refused', reason: 'The registry refused it.' }
          : real.change(request),
    });
    expect(await renew(picky)).toEqual({ renewed: 2, failed: 1 });
  });

  it('lists a refused domain as needing renewal until the registry renews it', async () => {
    await givenDays(10, 3);
    const refuse: Registrars = () => ({
      ...runtime.registrars('LIVE'),
      change: async () => ({ status: 'refused', reason: 'Confirm the price.' }),
    });
    const faults = () => runtime.db.knex('owned_domains').distinct().pluck('renewal_fault');
    const ending = async () => (await countOwnedDomains(runtime, owner.userId)).ending;
    expect(await ending()).toBe(0);
    await renew(refuse);
    expect(await faults()).toEqual(['Confirm the price.']);
    expect(await ending()).toBe(3);
    expect(await renew()).toEqual({ renewed: 3, failed: 0 });
    expect(await faults()).toEqual([null]);
    expect(await ending()).toBe(0);
  });
});

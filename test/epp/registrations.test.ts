import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Registrar } from '../../shared/domains/registrar/registrar.ts';
import { findListing } from '../../shared/market/inventory/find-listing.ts';
import { REGISTRATION_CHECK_MS } from '../../shared/market/inventory/listing-registrations.ts';
import { importTransferPolicies } from '../../shared/market/tlds/transfer-policies.ts';
import { addMs, DAY, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { checkRegistrationsTask } from '../../workers/scheduled/registry-work.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { givenListing } from '../support/factories.ts';
import { liveRegistrar, registered, registrySettings } from '../support/live-registry.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let registry: DemoRegistry;
let runtime: TestRuntime;
let registrar: Registrar;

beforeEach(async () => {
  registry = await startDemoRegistry();
  runtime = await createTestRuntime({ ...registrySettings(registry), eppAnswerMs: 30_000 });
  registrar = liveRegistrar(runtime);
});
afterEach(async () => {
  await runtime.stop();
  await registry.close();
});

const { signal } = createSharedAbort();
const REFERENCE = 'trf_1-1';
const domainOf = (name: string) => registry.state.domains[name];
/** Time passes at the registry and here. */
function pass(ms: number) {
  registry.clock.advance(ms);
  runtime.clock.advance(ms);
}

describe('reading registrations', () => {
  it('returns the registrar, statuses and transferability of domains', async () => {
    const ours = registered(registry, 'gaining');
    const locked = registered(registry, 'losing');
    const young = registered(registry, 'losing');
    domainOf(locked)?.statuses.push('clientTransferProhibited');
    const createdAt = registry.clock.now();
    Object.assign(domainOf(young) ?? {}, { createdAt: createdAt.toISOString() });
    const report = await registrar.describe([ours, locked, young, 'nobodys.com']);
    expect(report).toEqual({
      unreadable: [],
      registrations: [
        {
          domain: ours,
          registrar: 'gaining',
          statuses: ['inactive'],
          transferable: true,
          lockedUntil: null,
          later: null,
        },
        {
          domain: locked,
          registrar: 'losing',
          statuses: ['clientTransferProhibited', 'inactive'],
          transferable: false,
          lockedUntil: null,
          later: null,
        },
        {
          domain: young,
          registrar: 'losing',
          statuses: ['inactive'],
          transferable: true,
          lockedUntil: new Date(createdAt.getTime() + 60 * DAY),
          later: null,
        },
        {
          domain: 'nobodys.com',
          registrar: null,
          statuses: [],
          transferable: false,
          lockedUntil: null,
          later: null,
        },
      ],
    });
  });
});

describe('a new transfer policy', () => {
  const rules = (effective_from: string, days: number) => ({
    tld: '*',
    effective_from,
    creation_lock_days: days,
    transfer_lock_days: days,
    registrant_change_lock_days: 0,
    auth_code_days: 14,
    source: 'a test',
  });

  it('changes how long a domain is locked once it takes effect', async () => {
    const now = runtime.clock.now();
    const switched = addMs(now, 10 * DAY);
    const rows = [rules('2016-12-01', 60), rules(`${switched.toISOString().slice(0, 19)}Z`, 30)];
    await importTransferPolicies(runtime, {
      source: Readable.from([rows.map((row) => JSON.stringify(row)).join('\n')]),
    });
    const domain = registered(registry, 'losing');
    Object.assign(domainOf(domain) ?? {}, { createdAt: addMs(now, -25 * DAY).toISOString() });
    await givenListing(runtime, { environment: 'LIVE', domain });
    const lockedUntil = async () => {
      await checkRegistrationsTask.run({ runtime, signal } as never);
      const listing = await findListing(runtime, { environment: 'LIVE', domain });
      return listing?.registration.lockedUntil;
    };
    expect(await lockedUntil()).toEqual(addMs(now, 35 * DAY));
    pass(10 * DAY - MINUTE);
    expect(await lockedUntil()).toEqual(addMs(now, 35 * DAY));
    await registrar.push({ clientReference: REFERENCE, domain });
    expect(await registrar.proceed(REFERENCE)).toMatchObject({ reason: 'transfer_lock' });
    // Long before its registration would be looked at again anyway.
    pass(MINUTE + SECOND);
    expect(await lockedUntil()).toBeNull();
    expect(await registrar.proceed(REFERENCE)).toMatchObject({ reason: 'auth_code_needed' });
  });
});

describe('a domain whose registry answer is unreadable', () => {
  /** A domain without a sponsoring client, which RFC 5731 (section 3.1.2) requires. */
  function unreadable(): string {
    const domain = registered(registry, 'gaining');
    Object.assign(domainOf(domain) ?? {}, { clID: '' });
    return domain;
  }

  it('does not affect the answers for other domains', async () => {
    const [first, odd, last] = [
      registered(registry, 'gaining'),
      unreadable(),
      registered(registry, 'gaining'),
    ];
    const told = await registrar.describe([first, odd, last]);
    expect(told.registrations.map(({ domain }) => domain)).toEqual([first, last]);
    expect(told.unreadable).toEqual([odd]);
  });

  it('is checked again at the usual interval without holding up others', async () => {
    const odd = Array.from({ length: 50 }, unreadable);
    const plain = registered(registry, 'gaining');
    for (const domain of [...odd, plain]) {
      await givenListing(runtime, { domain, environment: 'LIVE' });
    }
    const check = () => checkRegistrationsTask.run({ runtime, signal });
    expect(await check()).toBe(51);
    const listing = await runtime.db.knex('listings').first().where({ domain: plain });
    expect(listing).toMatchObject({ registrar: 'gaining' });

    runtime.clock.advance(MINUTE);
    expect(await check()).toBe(0);
    runtime.clock.advance(REGISTRATION_CHECK_MS);
    expect(await check()).toBe(51);
  });
});

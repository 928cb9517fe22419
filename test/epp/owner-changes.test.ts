import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { liftLegalHold, placeLegalHold } from '../../shared/domains/legal-holds/legal-holds.ts';
import {
  BEING_RELEASED,
  type DomainChange,
  type Registrar,
} from '../../shared/domains/registrar/registrar.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { liveRegistrar, registered, registrySettings } from '../support/live-registry.ts';
import { KEPT_REGISTRANT } from '../support/registrants.ts';
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

const domainOf = (name: string) => registry.state.domains[name];
const change = (domain: string, what: DomainChange, at = 0) =>
  registrar.change({ clientReference: `blk_1:${at}`, domain, change: what });

describe('changes by a domain owner', () => {
  it('renew once when connections are cut', async () => {
    const domain = registered(registry, 'gaining');
    const before = new Date(domainOf(domain)?.expiresAt ?? '');
    for (let time = 0; time < 3; time += 1)
      registry.server.faults.order('renew', { kind: time < 1 ? 'cut_after' : 'cut_before' });
    const renewed = new Date(before);
    renewed.setUTCFullYear(renewed.getUTCFullYear() + 1);
    for (let time = 0; time < 2; time += 1) {
      const answer = await change(domain, { kind: 'renew', years: 1 });
      expect(answer).toMatchObject({ status: 'done', facts: { expiresAt: renewed } });
    }
    expect(domainOf(domain)?.expiresAt).toBe(renewed.toISOString());
  });

  it('set name servers, creating missing hosts, and the transfer lock', async () => {
    const domain = registered(registry, 'gaining');
    const nameservers = ['ns1.example.net', 'ns2.example.net'];
    const set = await change(domain, { kind: 'nameservers', nameservers }, 1);
    expect(set).toMatchObject({ status: 'done', facts: { nameservers } });
    const locked = await change(domain, { kind: 'lock', enabled: true }, 2);
    expect(locked).toMatchObject({ status: 'done', facts: { locked: true } });
    expect(domainOf(domain)?.statuses).toEqual(['clientTransferProhibited']);
    const open = await change(domain, { kind: 'lock', enabled: false }, 3);
    expect(open).toMatchObject({ status: 'done', facts: { locked: false, nameservers } });
    const kept = await change(domain, { kind: 'auto_renew', enabled: true }, 4);
    expect(kept).toMatchObject({ status: 'done', facts: { autoRenew: true, privacy: false } });
    expect(await registrar.inspect([domain, 'nobodys.com'])).toMatchObject([
      { domain, autoRenew: true, nameservers },
    ]);
  });

  it('set new name servers for several domains at the same time', async () => {
    const domains = [registered(registry, 'gaining'), registered(registry, 'gaining')];
    await Promise.all(domains.map((domain) => registrar.inspect([domain])));
    // Each finds its domain and looks for the nameserver before one of them has made it known.
    for (let time = 0; time < 4; time += 1) {
      registry.server.faults.order('info', { kind: 'slow', ms: 500 });
    }
    const nameservers = ['ns1.example.net', 'ns2.example.net'];
    const set = domains.map((domain, at) =>
      change(domain, { kind: 'nameservers', nameservers }, at),
    );
    expect(await Promise.all(set)).toMatchObject(
      domains.map((domain) => ({ status: 'done', facts: { domain, nameservers } })),
    );
  });

  it('put the domain on hold and set its signers once when connections are cut', async () => {
    const domain = registered(registry, 'gaining');
    const signer = { keyTag: 1, alg: 13, digestType: 2, digest: 'AB'.repeat(32) };
    const other = { ...signer, digest: 'CD'.repeat(32) };
    registry.server.faults.order('update', { kind: 'cut_after' });
    for (let time = 0; time < 2; time += 1) {
      expect(await change(domain, { kind: 'hold', enabled: true }, 8)).toMatchObject({
        status: 'done',
      });
    }
    expect(domainOf(domain)?.statuses).toEqual(['clientHold']);
    await change(domain, { kind: 'hold', enabled: false }, 9);
    expect(domainOf(domain)?.statuses).toEqual([]);
    await change(domain, { kind: 'signers', signers: [signer, other] }, 10);
    registry.server.faults.order('update', { kind: 'cut_before' });
    await change(domain, { kind: 'signers', signers: [other] }, 11);
    expect(domainOf(domain)?.dsData).toEqual([other]);
    const sent = registry.changes.filter(({ clTRID }) => clTRID?.startsWith('blk_1'));
    expect(sent).toHaveLength(4);
  });

  it('hide and show the contact once when connections are cut', async () => {
    const domain = registered(registry, 'gaining');
    await registrar.push({ clientReference: 'trf_1-1', domain });
    const contact = () => registry.state.contacts[domainOf(domain)?.registrant ?? ''];
    registry.server.faults.order('update', { kind: 'cut_after' });
    for (let time = 0; time < 2; time += 1) {
      const hidden = await change(domain, { kind: 'privacy', enabled: true }, 5);
      expect(hidden).toMatchObject({ status: 'done', facts: { privacy: true } });
    }
    expect(contact()?.disclosure?.shown).toBe(false);
    expect(contact()?.disclosure?.elements).toEqual(
      expect.arrayContaining([
        { name: 'name', type: 'loc' },
        { name: 'addr', type: 'loc' },
        { name: 'email', type: null },
      ]),
    );
    const sent = registry.changes.filter(({ clTRID }) => clTRID?.includes('-privacy-'));
    expect(sent).toHaveLength(1);
    const shown = await change(domain, { kind: 'privacy', enabled: false }, 6);
    expect(shown).toMatchObject({ status: 'done', facts: { privacy: false } });
    expect(contact()?.disclosure?.shown).toBe(true);
  });

  it('do not hide a registrant contact that we did not create', async () => {
    const domain = registered(registry, 'gaining');
    expect(await change(domain, { kind: 'privacy', enabled: true }, 7)).toEqual({
      status: 'refused',
      reason:
        'We don’t know who this domain is registered for. Change its registrant on its page, then try again.',
    });
    expect(await registrar.inspect([domain])).toMatchObject([{ privacy: false }]);
  });

  it('are rejected for domains of others and when the registry rejects them', async () => {
    const foreign = registered(registry, 'losing');
    expect(await change(foreign, { kind: 'renew', years: 1 })).toMatchObject({ status: 'refused' });
    const domain = registered(registry, 'gaining');
    expect(await change(domain, { kind: 'renew', years: 10 }, 1)).toEqual({
      status: 'refused',
      reason: 'The registry refused it: Parameter value policy error.',
    });
  });
});

describe('a domain being released from a legal hold', () => {
  const PROHIBITED = [
    'clientTransferProhibited',
    'clientUpdateProhibited',
    'clientDeleteProhibited',
  ];
  const statusesOf = (domain: string) => domainOf(domain)?.statuses;
  /** What a worker asks for when a hold was placed or lifted. */
  const enforce = (domain: string, enabled: boolean) =>
    registrar.change({
      clientReference: `lgh_1-${enabled ? 'keep' : 'release'}`,
      domain,
      change: { kind: 'legal_hold', enabled },
      duringLegalHold: true,
    });
  /** A bought domain that was on hold, and that the registry has not been asked to let go of yet. */
  async function beingReleased(): Promise<string> {
    const domain = registered(registry, 'gaining');
    await registrar.push({ clientReference: 'trf_1-1', domain });
    const order = { domain, kind: 'udrp', caseReference: 'D2026-0001' } as const;
    const { id } = await placeLegalHold(runtime, 'cli:first', order);
    await enforce(domain, true);
    expect(statusesOf(domain)).toEqual(PROHIBITED);
    await liftLegalHold(runtime, 'cli:second', id);
    return domain;
  }

  const nameservers = ['ns1.example.net', 'ns2.example.net'];
  const signers = [{ keyTag: 1, alg: 13, digestType: 2, digest: 'AB'.repeat(32) }];
  it.each<DomainChange>([
    { kind: 'nameservers', nameservers },
    { kind: 'registrant', registrant: { ...KEPT_REGISTRANT, city: 'Hamburg' } },
    { kind: 'lock', enabled: false },
    { kind: 'hold', enabled: true },
    { kind: 'signers', signers },
  ])('rejects a change of its $kind until the registry has released it', async (wanted) => {
    const domain = await beingReleased();
    const before = registry.changes.length;
    expect(await change(domain, wanted)).toEqual(BEING_RELEASED);
    expect(registry.changes).toHaveLength(before);
    await enforce(domain, false);
    expect(statusesOf(domain)).toEqual([]);
    expect(await change(domain, wanted)).toMatchObject({ status: 'done' });
  });

  it.each<DomainChange>([
    { kind: 'renew', years: 1 },
    { kind: 'privacy', enabled: true },
    { kind: 'auto_renew', enabled: true },
  ])('accepts $kind at once because it is not a domain update', async (wanted) => {
    const domain = await beingReleased();
    expect(await change(domain, wanted)).toMatchObject({ status: 'done' });
    expect(statusesOf(domain)).toEqual(PROHIBITED);
  });

  it('reports the registry’s reason when updates are prohibited without a hold', async () => {
    const domain = registered(registry, 'gaining');
    domainOf(domain)?.statuses.push('clientUpdateProhibited');
    expect(await change(domain, { kind: 'nameservers', nameservers })).toEqual({
      status: 'refused',
      reason: expect.stringContaining('The registry refused it'),
    });
  });

  it('waits with clientUpdateProhibited and is pushed to its buyer once released', async () => {
    const domain = await beingReleased();
    const before = registry.changes.length;
    const waiting = { status: 'action_required', reason: 'clientUpdateProhibited', method: 'push' };
    expect(await registrar.push({ clientReference: 'trf_2-1', domain })).toEqual(waiting);
    expect(await registrar.proceed('trf_2-1')).toEqual(waiting);
    expect(registry.changes).toHaveLength(before);
    await enforce(domain, false);
    expect(await registrar.proceed('trf_2-1')).toEqual({ status: 'completed', method: 'push' });
  });
});

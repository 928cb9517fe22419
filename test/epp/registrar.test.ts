import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RegistryFault } from '../../epp-demo/registry-faults.ts';
import type { Registrant } from '../../shared/domains/registrants/registrant.ts';
import { setAuthCode } from '../../shared/domains/registrar/auth-codes.ts';
import type { PushState, Registrar } from '../../shared/domains/registrar/registrar.ts';
import { findListing } from '../../shared/market/inventory/find-listing.ts';
import { REGISTRATION_CHECK_MS } from '../../shared/market/inventory/listing-registrations.ts';
import { importTransferPolicies } from '../../shared/market/tlds/transfer-policies.ts';
import { addMs, DAY, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { checkRegistrationsTask } from '../../workers/scheduled/registry-work.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { givenListing } from '../support/factories.ts';
import {
  AUTH_CODE,
  liveRegistrar,
  registered,
  registrySettings,
} from '../support/live-registry.ts';
import { KEPT_REGISTRANT } from '../support/registrants.ts';
import { sentAgainUnasked } from '../support/registry-log.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../support/runtime.ts';

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
const pushOf = (domain: string, clientReference = REFERENCE) => ({
  clientReference,
  domain,
});
const domainOf = (name: string) => registry.state.domains[name];
/** Time passes at the registry and here. */
function pass(ms: number) {
  registry.clock.advance(ms);
  runtime.clock.advance(ms);
}
const tellCode = (domain: string, authInfo = AUTH_CODE) =>
  runtime.db.transact((uow) => setAuthCode(uow, runtime.secrets, { domain, authInfo }));
const losing = () => registry.client('losing');
const named = (clTRID: string) => ({
  clTRID,
  since: registry.clock.now(),
  resumed: false,
  signal,
});
const commandsOf = (): Promise<{ cl_trid: string; step: string; outcome: string | null }[]> =>
  runtime.db.knex('registrar_commands').orderBy('first_sent_at').select();
/** The changes that our account made, in order. */
const changes = () =>
  registry.changes.filter(({ clTRID }) => clTRID?.startsWith('trf')).map(({ command }) => command);

describe('a domain in our account', () => {
  it('becomes the buyer’s by one update, with a new authorization code', async () => {
    const domain = registered(registry, 'gaining');
    expect(await registrar.push(pushOf(domain))).toEqual({ status: 'completed', method: 'push' });
    const pushed = domainOf(domain);
    const contact = registry.state.contacts[pushed?.registrant ?? ''];
    const { name, street, city, email } = KEPT_REGISTRANT;
    expect(contact).toMatchObject({ email, voice: '+49.30123456', clID: 'gaining' });
    const address = { name, street, city, postalCode: '10115', country: 'DE' };
    expect(contact?.postalInfo).toMatchObject([
      { type: 'int', ...address },
      { type: 'loc', ...address },
    ]);
    expect(pushed?.authInfo).not.toBe(AUTH_CODE);
    expect(changes()).toEqual(['create', 'update']);
    expect(await commandsOf()).toMatchObject([
      { cl_trid: 'trf_1-1-contact-1', outcome: 'done' },
      { cl_trid: 'trf_1-1-registrant-1', outcome: 'done' },
    ]);
    expect(await registrar.push(pushOf(domain))).toMatchObject({ status: 'completed' });
    expect(changes()).toEqual(['create', 'update']);
  });

  it('waits for a process that may be sending the same command, and says until when', async () => {
    const domain = registered(registry, 'gaining');
    const now = runtime.clock.now();
    const until = addMs(now, MINUTE);
    await runtime.db.knex('registrar_commands').insert({
      cl_trid: `${REFERENCE}-contact-1`,
      client_reference: REFERENCE,
      step: 'contact',
      domain,
      first_sent_at: now,
      sent_at: now,
      busy_until: until,
    });
    await expect(registrar.push(pushOf(domain))).rejects.toMatchObject({
      name: 'RegistrarBusy',
      until,
    });
    pass(2 * MINUTE);
    expect(await registrar.push(pushOf(domain))).toMatchObject({ status: 'completed' });
    expect(changes()).toEqual(['create', 'update']);
  });

  it('is updated once when another process updated it after this one had looked, and died', async () => {
    const domain = registered(registry, 'gaining');
    let looked = 0;
    const slow = liveRegistrar(runtime, async () => {
      looked += 1;
      if (looked === 1) {
        await registrar.read(REFERENCE);
        const push = runtime.db.knex('registrar_pushes').where({ client_reference: REFERENCE });
        await push.update({ status: 'open' });
      }
      return KEPT_REGISTRANT;
    });
    expect(await slow.push(pushOf(domain))).toEqual({ status: 'pending' });
    expect(await slow.read(REFERENCE)).toMatchObject({ status: 'completed' });
    expect(changes()).toEqual(['create', 'update']);
  });

  it('waits while its status forbids an update, by the name of the status', async () => {
    const domain = registered(registry, 'gaining');
    domainOf(domain)?.statuses.push('serverUpdateProhibited');
    expect(await registrar.push(pushOf(domain))).toEqual({
      status: 'action_required',
      reason: 'serverUpdateProhibited',
      method: 'push',
    });
    domainOf(domain)?.statuses.pop();
    expect(await registrar.read(REFERENCE)).toMatchObject({ status: 'completed' });
  });

  it('waits until its registrant is known, and keeps nothing of it', async () => {
    let known: Registrant | undefined;
    const waiting = liveRegistrar(runtime, async () => known);
    const domain = registered(registry, 'gaining');
    expect(await waiting.push(pushOf(domain))).toEqual({
      status: 'action_required',
      reason: 'registrant_required',
      method: 'push',
    });
    expect(changes()).toEqual([]);
    known = KEPT_REGISTRANT;
    expect(await waiting.read(REFERENCE)).toEqual({ status: 'completed', method: 'push' });
    expect(await runtime.db.knex('registrar_pushes').pluck('registrant')).toEqual([null]);
  });

  it('is registered for who it is for now, when an earlier attempt left a contact behind', async () => {
    let registrant = KEPT_REGISTRANT;
    const retried = liveRegistrar(runtime, async () => registrant);
    const domain = registered(registry, 'gaining');
    await retried.push(pushOf(domain));
    // As if the attempt had ended after its first command.
    Object.assign(domainOf(domain) ?? {}, { registrant: null });
    await runtime.db.knex('registrar_pushes').update({ status: 'open' });
    registrant = { ...KEPT_REGISTRANT, city: 'Hamburg' };
    expect(await retried.read(REFERENCE)).toMatchObject({ status: 'completed' });
    const contact = registry.state.contacts[domainOf(domain)?.registrant ?? ''];
    expect(contact?.postalInfo).toMatchObject([{ city: 'Hamburg' }, { city: 'Hamburg' }]);
  });

  it.each([
    [
      'German',
      { name: 'Jörg Müßig', street: ['Käsgäßchen 3'], city: 'Köln' },
      { name: 'Jorg Mussig', street: ['Kasgasschen 3'], city: 'Koln' },
    ],
    [
      'Japanese',
      { name: '山田太郎', street: ['千代田1丁目1'], city: '東京' },
      { name: expect.stringMatching(/^[ -~]+$/), city: expect.stringMatching(/^[ -~]+$/) },
    ],
    [
      'Arabic',
      { name: 'محمد الفارسي', street: ['شارع النيل ١٢'], city: 'القاهرة' },
      { name: expect.stringMatching(/^[ -~]+$/), city: expect.stringMatching(/^[ -~]+$/) },
    ],
  ])(
    'is registered for an address in %s as it is written, and in ASCII',
    async (_of, written, ascii) => {
      const domain = registered(registry, 'gaining');
      const localized = { ...KEPT_REGISTRANT, ...written };
      await liveRegistrar(runtime, async () => localized).push(pushOf(domain));
      const contact = registry.state.contacts[domainOf(domain)?.registrant ?? ''];
      expect(contact?.postalInfo).toMatchObject([
        { type: 'int', ...ascii },
        { type: 'loc', ...written },
      ]);
    },
  );
});

describe('a domain at another registrar', () => {
  const waiting = { status: 'pending', reason: 'pendingTransfer', method: 'auth_code' };

  it('needs its code, is asked for, and becomes the buyer’s when five days are over', async () => {
    const domain = registered(registry, 'losing');
    const needed = { status: 'action_required', reason: 'auth_code_needed', method: 'auth_code' };
    expect(await registrar.push(pushOf(domain))).toEqual(needed);
    await tellCode(domain, 'wrong-code');
    const invalid = { ...needed, reason: 'auth_code_invalid' };
    expect(await registrar.read(REFERENCE)).toEqual(invalid);
    expect(await registrar.read(REFERENCE)).toEqual(invalid);
    pass(MINUTE);
    await tellCode(domain);
    expect(await registrar.read(REFERENCE)).toEqual(waiting);
    pass(4 * DAY);
    expect(await registrar.read(REFERENCE)).toEqual(waiting);
    pass(2 * DAY);
    expect(await registrar.read(REFERENCE)).toEqual({ status: 'completed', method: 'auth_code' });
    expect(domainOf(domain)).toMatchObject({ clID: 'gaining' });
    expect(changes()).toEqual(['transfer request', 'create', 'update']);
    expect((await commandsOf()).map((each) => each.cl_trid)).toEqual([
      'trf_1-1-request-1',
      'trf_1-1-request-2',
      'trf_1-1-contact-1',
      'trf_1-1-registrant-1',
    ]);
  });

  it('comes at once when its registrar approves', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    expect(await registrar.push(pushOf(domain))).toEqual(waiting);
    await losing().endTransfer('approve', domain, named('approve-1'));
    expect(await registrar.read(REFERENCE)).toMatchObject({ status: 'completed' });
  });

  it('fails by the name of the status when its registrar rejects', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    await registrar.push(pushOf(domain));
    await losing().endTransfer('reject', domain, named('reject-1'));
    expect(await registrar.read(REFERENCE)).toEqual({
      status: 'failed',
      reason: 'clientRejected',
      method: 'auth_code',
    });
  });

  it('waits for the end of its locks', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    domainOf(domain)?.statuses.push('clientTransferProhibited');
    const state = await registrar.push(pushOf(domain));
    expect(state).toMatchObject({ status: 'action_required', reason: 'clientTransferProhibited' });
    domainOf(domain)?.statuses.pop();
    Object.assign(domainOf(domain) ?? {}, { createdAt: registry.clock.now().toISOString() });
    expect(await registrar.read(REFERENCE)).toMatchObject({ reason: 'transfer_lock' });
    pass(61 * DAY);
    expect(await registrar.read(REFERENCE)).toMatchObject({ status: 'pending' });
  });

  it('that nobody has registered fails', async () => {
    expect(await registrar.push(pushOf('nobodys.com'))).toEqual({
      status: 'failed',
      reason: 'not_registered',
    });
  });
});

describe('a connection that is cut', () => {
  const kinds = [
    'cut_before',
    'cut_after',
    'half_frame',
    'command_failed',
    'session_limit',
  ] as const;
  const steps = [
    'info',
    'transfer query',
    'transfer request',
    'create',
    'update',
    'login',
  ] as const;
  /** More than the client repeats by itself: the call fails, as if its process had died. */
  const TIMES = 4;

  /** Asks again, as another process, until it is over. */
  async function persevere(domain: string): Promise<PushState> {
    for (let call = 1; call <= 30; call += 1) {
      const other = await joinRuntime(runtime);
      try {
        const state = await liveRegistrar(other).push(pushOf(domain));
        if (state.status === 'completed' || state.status === 'failed') return state;
        pass(6 * DAY);
      } catch {
        // As the job does, which is tried again.
      } finally {
        await other.stop();
      }
    }
    throw new Error('never completed');
  }

  it.each(steps.flatMap((step) => kinds.map((kind) => [step, kind] as const)))(
    'at %s, by %s, does everything once, and asks before it asks again',
    async (step, kind) => {
      const domain = registered(registry, 'losing');
      await tellCode(domain);
      const fault: RegistryFault = { kind };
      for (let time = 0; time < TIMES; time += 1) registry.server.faults.order(step, fault);
      expect(await persevere(domain)).toMatchObject({ status: 'completed' });
      expect(changes()).toEqual(['transfer request', 'create', 'update']);
      expect(sentAgainUnasked(registry.heard)).toEqual([]);
    },
    60_000,
  );
});

describe('a push that is cancelled', () => {
  it('takes its request back', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    await registrar.push(pushOf(domain));
    expect(await registrar.cancel(REFERENCE)).toBe('cancelled');
    expect(domainOf(domain)?.transfer?.status).toBe('clientCancelled');
    expect(await registrar.read(REFERENCE)).toMatchObject({ reason: 'cancelled' });
    expect(await registrar.cancel(REFERENCE)).toBe('cancelled');
  });

  it('before it was asked for is refused later', async () => {
    const domain = registered(registry, 'gaining');
    expect(await registrar.cancel(REFERENCE)).toBe('cancelled');
    expect(await registrar.push(pushOf(domain))).toEqual({
      status: 'failed',
      reason: 'cancelled',
    });
    expect(changes()).toEqual([]);
  });

  it('after it was done is too late', async () => {
    await registrar.push(pushOf(registered(registry, 'gaining')));
    expect(await registrar.cancel(REFERENCE)).toBe('too_late');
  });

  /** As it stands when the process died with its update on its way. */
  async function diedAtUpdate(domain: string) {
    await registrar.push(pushOf(domain));
    await runtime.db.knex('registrar_pushes').update({ status: 'open' });
    const busy_until = new Date(runtime.clock.now().getTime() + MINUTE);
    const unknown = { outcome: null, answered_at: null, busy_until };
    await runtime.db.knex('registrar_commands').where({ step: 'registrant' }).update(unknown);
  }

  it('while its update may be on its way waits, then finds that it was made', async () => {
    await diedAtUpdate(registered(registry, 'gaining'));
    await expect(registrar.cancel(REFERENCE)).rejects.toThrow('on its way');
    pass(2 * MINUTE);
    expect(await registrar.cancel(REFERENCE)).toBe('too_late');
    expect(await registrar.cancel(REFERENCE)).toBe('too_late');
  });

  it('whose update never arrived is cancelled, and nothing is sent for it any more', async () => {
    const domain = registered(registry, 'gaining');
    await diedAtUpdate(domain);
    Object.assign(domainOf(domain) ?? {}, { registrant: null });
    pass(2 * MINUTE);
    expect(await registrar.cancel(REFERENCE)).toBe('cancelled');
    const before = changes().length;
    expect(await registrar.push(pushOf(domain))).toMatchObject({ reason: 'cancelled' });
    expect(changes()).toHaveLength(before);
  });
});

describe('messages of the registry', () => {
  const messages = () => runtime.db.knex('registrar_messages').orderBy('id').select();

  it('are kept before they are taken off, once however often they are read', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    await registrar.push(pushOf(domain));
    await losing().endTransfer('approve', domain, named('approve-1'));
    for (let time = 0; time < 3; time += 1)
      registry.server.faults.order('poll ack', { kind: 'cut_before' });
    await expect(registrar.readMessages(10, signal)).rejects.toThrow();
    expect(await messages()).toMatchObject([{ domain, transfer_status: 'clientApproved' }]);
    expect(registry.state.queues.gaining).toHaveLength(1);
    expect(await registrar.readMessages(10, signal)).toBe(1);
    expect(await messages()).toHaveLength(1);
    expect(registry.state.queues.gaining).toHaveLength(0);
  });

  it('of a registrar that asks for a domain on its way to a buyer lead to a rejection', async () => {
    const domain = registered(registry, 'gaining');
    const others = registered(registry, 'gaining');
    domainOf(domain)?.statuses.push('clientUpdateProhibited');
    await registrar.push(pushOf(domain));
    for (const each of [domain, others]) {
      const transfer = { domain: each, authInfo: AUTH_CODE };
      await losing().requestTransfer(transfer, named(`leave-${each}`));
    }
    expect(await registrar.readMessages(10, signal)).toBeGreaterThanOrEqual(2);
    expect(domainOf(domain)?.transfer?.status).toBe('clientRejected');
    expect(domainOf(others)?.transfer?.status).toBe('pending');
  });
});

describe('what the registry says of domains', () => {
  it('is who holds them, their statuses, and whether they can be delivered', async () => {
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

describe('the rules of transfers', () => {
  const rules = (effective_from: string, days: number) => ({
    tld: '*',
    effective_from,
    creation_lock_days: days,
    transfer_lock_days: days,
    registrant_change_lock_days: 0,
    auth_code_days: 14,
    source: 'a test',
  });

  it('that come into force change how long a domain is locked', async () => {
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
    await registrar.push(pushOf(domain));
    expect(await registrar.read(REFERENCE)).toMatchObject({ reason: 'transfer_lock' });
    // Long before its registration would be looked at again anyway.
    pass(MINUTE + SECOND);
    expect(await lockedUntil()).toBeNull();
    expect(await registrar.read(REFERENCE)).toMatchObject({ reason: 'auth_code_needed' });
  });
});

describe('an answer on a domain that cannot be read', () => {
  /** A domain without a sponsoring client, which RFC 5731 (section 3.1.2) requires. */
  function unreadable(): string {
    const domain = registered(registry, 'gaining');
    Object.assign(domainOf(domain) ?? {}, { clID: '' });
    return domain;
  }

  it('costs no other domain its answer', async () => {
    const [first, odd, last] = [
      registered(registry, 'gaining'),
      unreadable(),
      registered(registry, 'gaining'),
    ];
    const told = await registrar.describe([first, odd, last]);
    expect(told.registrations.map(({ domain }) => domain)).toEqual([first, last]);
    expect(told.unreadable).toEqual([odd]);
  });

  it('is asked for again at the usual interval, and holds up no other domain', async () => {
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

describe('a change of an owner’s domain', () => {
  const change = (domain: string, what: Parameters<Registrar['change']>[0]['change'], at = 0) =>
    registrar.change({ clientReference: `blk_1:${at}`, domain, change: what });

  it('is made once, whatever is cut', async () => {
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

  it('sets nameservers, of which new ones are made known, and the lock', async () => {
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

  it('holds the domain out of the DNS and sets its signers, once, whatever is cut', async () => {
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

  it('hides the buyer from others, once, whatever is cut, and shows it again', async () => {
    const domain = registered(registry, 'gaining');
    await registrar.push(pushOf(domain));
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

  it('does not hide a registrant that we did not make, who may have other domains', async () => {
    const domain = registered(registry, 'gaining');
    expect(await change(domain, { kind: 'privacy', enabled: true }, 7)).toEqual({
      status: 'refused',
      reason: 'The registrant of the domain is no contact that we made for its owner.',
    });
    expect(await registrar.inspect([domain])).toMatchObject([{ privacy: false }]);
  });

  it('of a domain that is not ours, or that the registry refuses, is told', async () => {
    const foreign = registered(registry, 'losing');
    expect(await change(foreign, { kind: 'renew', years: 1 })).toMatchObject({ status: 'refused' });
    const domain = registered(registry, 'gaining');
    expect(await change(domain, { kind: 'renew', years: 10 }, 1)).toEqual({
      status: 'refused',
      reason: 'The registry refused it: Parameter value policy error.',
    });
  });
});

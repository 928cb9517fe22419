import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RegistryFault } from '../../epp-demo/registry-faults.ts';
import type { Registrant } from '../../shared/domains/registrants/registrant.ts';
import { setAuthCode } from '../../shared/domains/registrar/auth-codes.ts';
import type { PushState, Registrar } from '../../shared/domains/registrar/registrar.ts';
import { addMs, DAY, MINUTE } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
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

describe('pushing a domain in our account', () => {
  it('registers it for the buyer with one update and a new auth code', async () => {
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

  it('reports when to retry if another process may be sending the same command', async () => {
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

  it('updates once when another process made the update and died', async () => {
    const domain = registered(registry, 'gaining');
    let looked = 0;
    const slow = liveRegistrar(runtime, async () => {
      looked += 1;
      if (looked === 1) {
        await registrar.proceed(REFERENCE);
        const push = runtime.db.knex('registrar_pushes').where({ client_reference: REFERENCE });
        await push.update({ status: 'open' });
      }
      return KEPT_REGISTRANT;
    });
    expect(await slow.push(pushOf(domain))).toEqual({ status: 'pending' });
    expect(await slow.proceed(REFERENCE)).toMatchObject({ status: 'completed' });
    expect(changes()).toEqual(['create', 'update']);
  });

  it('waits while a status prohibits updates and reports the status', async () => {
    const domain = registered(registry, 'gaining');
    domainOf(domain)?.statuses.push('serverUpdateProhibited');
    expect(await registrar.push(pushOf(domain))).toEqual({
      status: 'action_required',
      reason: 'serverUpdateProhibited',
      method: 'push',
    });
    domainOf(domain)?.statuses.pop();
    expect(await registrar.proceed(REFERENCE)).toMatchObject({ status: 'completed' });
  });

  it('waits until the registrant is known and stores none of it', async () => {
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
    expect(await waiting.proceed(REFERENCE)).toEqual({ status: 'completed', method: 'push' });
    expect(await runtime.db.knex('registrar_pushes').pluck('registrant')).toEqual([null]);
  });

  it('uses the current registrant when an earlier attempt left a contact behind', async () => {
    let registrant = KEPT_REGISTRANT;
    const retried = liveRegistrar(runtime, async () => registrant);
    const domain = registered(registry, 'gaining');
    await retried.push(pushOf(domain));
    // As if the attempt had ended after its first command.
    Object.assign(domainOf(domain) ?? {}, { registrant: null });
    await runtime.db.knex('registrar_pushes').update({ status: 'open' });
    registrant = { ...KEPT_REGISTRANT, city: 'Hamburg' };
    expect(await retried.proceed(REFERENCE)).toMatchObject({ status: 'completed' });
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
  ])('registers an address in %s as written and in ASCII', async (_of, written, ascii) => {
    const domain = registered(registry, 'gaining');
    const localized = { ...KEPT_REGISTRANT, ...written };
    await liveRegistrar(runtime, async () => localized).push(pushOf(domain));
    const contact = registry.state.contacts[domainOf(domain)?.registrant ?? ''];
    expect(contact?.postalInfo).toMatchObject([
      { type: 'int', ...ascii },
      { type: 'loc', ...written },
    ]);
  });
});

describe('transferring a domain from another registrar', () => {
  const waiting = { status: 'pending', reason: 'pendingTransfer', method: 'auth_code' };

  it('needs the auth code and completes after five days', async () => {
    const domain = registered(registry, 'losing');
    const needed = { status: 'action_required', reason: 'auth_code_needed', method: 'auth_code' };
    expect(await registrar.push(pushOf(domain))).toEqual(needed);
    await tellCode(domain, 'wrong-code');
    const invalid = { ...needed, reason: 'auth_code_invalid' };
    expect(await registrar.proceed(REFERENCE)).toEqual(invalid);
    expect(await registrar.proceed(REFERENCE)).toEqual(invalid);
    pass(MINUTE);
    await tellCode(domain);
    expect(await registrar.proceed(REFERENCE)).toEqual(waiting);
    pass(4 * DAY);
    expect(await registrar.proceed(REFERENCE)).toEqual(waiting);
    pass(2 * DAY);
    expect(await registrar.proceed(REFERENCE)).toEqual({
      status: 'completed',
      method: 'auth_code',
    });
    expect(domainOf(domain)).toMatchObject({ clID: 'gaining' });
    expect(changes()).toEqual(['transfer request', 'create', 'update']);
    expect((await commandsOf()).map((each) => each.cl_trid)).toEqual([
      'trf_1-1-request-1',
      'trf_1-1-request-2',
      'trf_1-1-contact-1',
      'trf_1-1-registrant-1',
    ]);
  });

  it('completes at once when the losing registrar approves', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    expect(await registrar.push(pushOf(domain))).toEqual(waiting);
    await losing().endTransfer('approve', domain, named('approve-1'));
    expect(await registrar.proceed(REFERENCE)).toMatchObject({ status: 'completed' });
  });

  it('fails with clientRejected when the losing registrar rejects', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    await registrar.push(pushOf(domain));
    await losing().endTransfer('reject', domain, named('reject-1'));
    expect(await registrar.proceed(REFERENCE)).toEqual({
      status: 'failed',
      reason: 'clientRejected',
      method: 'auth_code',
    });
  });

  it('waits until its locks end', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    domainOf(domain)?.statuses.push('clientTransferProhibited');
    const state = await registrar.push(pushOf(domain));
    expect(state).toMatchObject({ status: 'action_required', reason: 'clientTransferProhibited' });
    domainOf(domain)?.statuses.pop();
    Object.assign(domainOf(domain) ?? {}, { createdAt: registry.clock.now().toISOString() });
    expect(await registrar.proceed(REFERENCE)).toMatchObject({ reason: 'transfer_lock' });
    pass(61 * DAY);
    expect(await registrar.proceed(REFERENCE)).toMatchObject({ status: 'pending' });
  });

  it('fails when the domain is not registered', async () => {
    expect(await registrar.push(pushOf('nobodys.com'))).toEqual({
      status: 'failed',
      reason: 'not_registered',
    });
  });
});

describe('a push with faults at the registry', () => {
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
    'repeats no change and checks before resending (%s, %s)',
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

describe('canceling a push', () => {
  it('withdraws the transfer request', async () => {
    const domain = registered(registry, 'losing');
    await tellCode(domain);
    await registrar.push(pushOf(domain));
    expect(await registrar.cancel(REFERENCE)).toBe('cancelled');
    expect(domainOf(domain)?.transfer?.status).toBe('clientCancelled');
    expect(await registrar.proceed(REFERENCE)).toMatchObject({ reason: 'cancelled' });
    expect(await registrar.cancel(REFERENCE)).toBe('cancelled');
  });

  it('makes the push fail if it has not started yet', async () => {
    const domain = registered(registry, 'gaining');
    expect(await registrar.cancel(REFERENCE)).toBe('cancelled');
    expect(await registrar.push(pushOf(domain))).toEqual({
      status: 'failed',
      reason: 'cancelled',
    });
    expect(changes()).toEqual([]);
  });

  it('is too late after the push completed', async () => {
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

  it('waits while its update may be in flight, then is too late', async () => {
    await diedAtUpdate(registered(registry, 'gaining'));
    await expect(registrar.cancel(REFERENCE)).rejects.toThrow('on its way');
    pass(2 * MINUTE);
    expect(await registrar.cancel(REFERENCE)).toBe('too_late');
    expect(await registrar.cancel(REFERENCE)).toBe('too_late');
  });

  it('succeeds when the update never arrived, and sends nothing more', async () => {
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

describe('registry messages', () => {
  const messages = () => runtime.db.knex('registrar_messages').orderBy('id').select();

  it('are stored once before they are acknowledged', async () => {
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

  it('lead to a rejection when another registrar requests a domain on its way to a buyer', async () => {
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

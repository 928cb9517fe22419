import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EppRefused } from '../../shared/domains/epp/epp-errors.ts';
import type { Registrar, TransferAway } from '../../shared/domains/registrar/registrar.ts';
import { addMs, DAY, MINUTE } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { registered, registrySettings } from '../support/live-registry.ts';
import { sentAgainUnasked } from '../support/registry-log.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../support/runtime.ts';

let registry: DemoRegistry;
let runtime: TestRuntime;
let registrar: Registrar;
let domain: string;

beforeEach(async () => {
  registry = await startDemoRegistry();
  runtime = await createTestRuntime({ ...registrySettings(registry), eppAnswerMs: 30_000 });
  registrar = runtime.registrars('LIVE');
  domain = registered(registry, 'gaining');
});
afterEach(async () => {
  await runtime.stop();
  await registry.close();
});

const { signal } = createSharedAbort();
const recordOf = (name = domain) => registry.state.domains[name];
const CODE = { clientReference: 'dlv_1-1' };
const issue = (clientReference = CODE.clientReference) =>
  registrar.issueAuthCode({ clientReference, domain });
const clear = (clientReference = CODE.clientReference) =>
  registrar.clearAuthCode({ clientReference, domain });
const answer = (what: 'approve' | 'reject', requestedBy = 'losing') =>
  registrar.answerTransfer({ clientReference: 'dlv_1-a1', domain, answer: what, requestedBy });

async function codeOf(clientReference?: string): Promise<string> {
  const issued = await issue(clientReference);
  if (issued.status === 'refused') throw new Error(issued.reason);
  return issued.code;
}

/** The other registrar asks for the domain. @throws EppRefused */
async function askFor(authInfo: string): Promise<void> {
  const clTRID = `ask-${authInfo}`.slice(0, 64);
  const name = { clTRID, since: registry.clock.now(), resumed: false, signal };
  await registry.client('losing').requestTransfer({ domain, authInfo }, name);
}
const refusalOf = (work: Promise<unknown>): Promise<number | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof EppRefused ? error.code : Number.NaN),
  );
const holder = async () => (await registrar.describe([domain])).registrations[0]?.registrar;

describe('an authorization code', () => {
  it('is long and random and lets another registrar request a transfer that we approve', async () => {
    const code = await codeOf();
    expect(code).toMatch(/^[\x21-\x7e]{20,}$/);
    await askFor(code);
    const asked = await registrar.findTransfer(domain);
    expect(asked).toMatchObject({ status: 'pending', requestedBy: 'losing' });
    expect(asked?.actionAt).toEqual(addMs(asked?.requestedAt ?? new Date(0), 5 * DAY));
    expect(await answer('approve')).toMatchObject({ status: 'approved', requestedBy: 'losing' });
    expect(await answer('approve')).toMatchObject({ status: 'approved' });
    expect(await holder()).toBe('losing');
    expect(recordOf()?.authInfo).toBeNull();
  });

  it('is stable per reference, and only the latest one works', async () => {
    const first = await codeOf();
    expect(await codeOf()).toBe(first);
    const second = await codeOf('dlv_1-2');
    expect(second).not.toBe(first);
    expect(await issue()).toMatchObject({ status: 'refused' });
    expect(await refusalOf(askFor(first))).toBe(2202);
    expect(await refusalOf(askFor(second))).toBeUndefined();
  });

  it('works once', async () => {
    const code = await codeOf();
    await askFor(code);
    await answer('approve');
    registry.clock.advance(61 * DAY);
    Object.assign(recordOf() ?? {}, { clID: 'gaining' });
    expect(await refusalOf(askFor(code))).toBe(2202);
    expect(await issue()).toMatchObject({ status: 'refused' });
  });

  it('can be revoked, after which nobody can request the domain with it', async () => {
    const code = await codeOf();
    for (let time = 0; time < 2; time += 1) expect(await clear()).toEqual({ status: 'done' });
    expect(recordOf()?.authInfo).toBeNull();
    for (const given of [code, '']) expect(await refusalOf(askFor(given))).toBe(2202);
    expect(await issue()).toMatchObject({ status: 'refused' });
  });

  it('stays valid when an earlier one is revoked', async () => {
    await codeOf();
    const second = await codeOf('dlv_1-2');
    expect(await clear()).toEqual({ status: 'done' });
    expect(await refusalOf(askFor(second))).toBeUndefined();
  });

  it('is not revoked while another process may be setting it', async () => {
    await codeOf();
    const busy_until = addMs(runtime.clock.now(), MINUTE);
    await runtime.db
      .knex('registrar_commands')
      .update({ outcome: null, answered_at: null, busy_until });
    await expect(clear()).rejects.toMatchObject({ name: 'RegistrarBusy', until: busy_until });
    runtime.clock.advance(2 * MINUTE);
    expect(await clear()).toEqual({ status: 'done' });
    expect(recordOf()?.authInfo).toBeNull();
  });

  it('is refused with a reason for a foreign or locked domain', async () => {
    const foreign = registered(registry, 'losing');
    expect(await registrar.issueAuthCode({ ...CODE, domain: foreign })).toEqual({
      status: 'refused',
      reason: 'The domain is not in our account at the registry.',
    });
    recordOf()?.statuses.push('serverUpdateProhibited');
    expect(await issue()).toEqual({
      status: 'refused',
      reason: 'The registry refused it: Object status prohibits operation.',
    });
  });

  it('is not stored in our database', async () => {
    const code = await codeOf();
    const tables = await Promise.all(
      ['registrar_commands', 'domain_auth_codes'].map((table) => runtime.db.knex(table).select()),
    );
    expect(JSON.stringify(tables)).not.toContain(code);
  });
});

describe('a transfer to another registrar', () => {
  it('can be rejected, and the domain stays', async () => {
    await askFor(await codeOf());
    expect(await answer('reject')).toMatchObject({ status: 'rejected' });
    expect(await holder()).toBe('gaining');
  });

  it('stays pending when a different registrar is answered', async () => {
    await askFor(await codeOf());
    expect(await answer('approve', 'third-party')).toMatchObject({
      status: 'pending',
      requestedBy: 'losing',
    });
  });

  it('cannot be answered after its registrar withdrew it', async () => {
    await askFor(await codeOf());
    const name = { clTRID: 'back-1', since: registry.clock.now(), resumed: false, signal };
    await registry.client('losing').endTransfer('cancel', domain, name);
    expect(await answer('approve')).toMatchObject({ status: 'cancelled' });
    expect(await holder()).toBe('gaining');
  });

  it('is not mistaken for one that brought the domain to us or one between others', async () => {
    expect(await registrar.findTransfer(domain)).toBeUndefined();
    expect(await registrar.findTransfer('nobodys.com')).toBeUndefined();
    const now = registry.clock.now().toISOString();
    const past = { status: 'clientApproved', requestedAt: now, actionAt: now, years: 1 } as const;
    Object.assign(recordOf() ?? {}, { transfer: { ...past, reID: 'gaining', acID: 'losing' } });
    expect(await registrar.findTransfer(domain)).toBeUndefined();
    const others = { ...past, reID: 'losing', acID: 'third-party' };
    Object.assign(recordOf() ?? {}, { clID: 'losing', transfer: others });
    expect(await registrar.findTransfer(domain)).toBeUndefined();
  });
});

describe('a transfer away with faults at the registry', () => {
  const kinds = ['cut_before', 'cut_after', 'half_frame', 'command_failed', 'session_limit'];
  const steps = ['info', 'update', 'transfer query', 'transfer approve', 'login'];
  /** More than the client repeats by itself: the call fails, as if its process had died. */
  const TIMES = 4;

  /** Asks until there is an answer, each time as another process. */
  async function persevere<T>(work: (registrar: Registrar) => Promise<T>): Promise<T> {
    for (let call = 1; call <= 10; call += 1) {
      const other = await joinRuntime(runtime);
      try {
        return await work(other.registrars('LIVE'));
      } catch {
        runtime.clock.advance(MINUTE);
        registry.clock.advance(MINUTE);
      } finally {
        await other.stop();
      }
    }
    throw new Error('never answered');
  }

  it.each(steps.flatMap((step) => kinds.map((kind) => [step, kind] as const)))(
    'loses no code, approval or domain (%s, %s)',
    async (step, kind) => {
      for (let time = 0; time < TIMES; time += 1) {
        registry.server.faults.order(step, { kind } as { kind: 'cut_before' });
      }
      const request = { ...CODE, domain };
      const first = await persevere((each) => each.issueAuthCode(request));
      expect(first).toMatchObject({ status: 'done' });
      expect(await persevere((each) => each.clearAuthCode(request))).toEqual({ status: 'done' });
      expect(recordOf()?.authInfo).toBeNull();
      const again = { clientReference: 'dlv_1-2', domain };
      const second = await persevere((each) => each.issueAuthCode(again));
      if (second.status === 'refused') throw new Error(second.reason);
      expect(recordOf()?.authInfo).toBe(second.code);
      await askFor(second.code);
      const seen = await persevere((each) => each.findTransfer(domain));
      expect(seen?.status).toBe('pending');
      const approval = {
        clientReference: 'dlv_1-a1',
        domain,
        answer: 'approve',
        requestedBy: 'losing',
      } as const;
      const ended = await persevere<TransferAway | undefined>((each) =>
        each.answerTransfer(approval),
      );
      expect(ended).toMatchObject({ status: 'approved', requestedBy: 'losing' });
      expect(recordOf()?.clID).toBe('losing');
      expect(sentAgainUnasked(registry.heard)).toEqual([]);
    },
    60_000,
  );
});

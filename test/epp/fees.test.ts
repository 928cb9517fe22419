import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRegistry } from '../../epp-demo/registry.ts';
import { emptyState } from '../../epp-demo/registry-objects.ts';
import { grantDomains } from '../../shared/domains/domain-grants/grant-domains.ts';
import { EppClient } from '../../shared/domains/epp/epp-client.ts';
import { commandDocument, type EppCommand, login } from '../../shared/domains/epp/epp-commands.ts';
import { EXTENSIONS, OBJECTS } from '../../shared/domains/epp/epp-namespaces.ts';
import { readResponse } from '../../shared/domains/epp/epp-responses.ts';
import type { Sending } from '../../shared/domains/epp/epp-sessions.ts';
import { renewDueDomains } from '../../shared/domains/owned-domains/renew-due-domains.ts';
import { setAuthCode } from '../../shared/domains/registrar/auth-codes.ts';
import { createEppDomains } from '../../shared/domains/registrar/epp-domains.ts';
import type { Registrar } from '../../shared/domains/registrar/registrar.ts';
import { findListing } from '../../shared/market/inventory/find-listing.ts';
import { REGISTRATION_CHECK_MS } from '../../shared/market/inventory/listing-registrations.ts';
import { DAY } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { Money } from '../../shared/platform/money.ts';
import { checkRegistrationsTask } from '../../workers/scheduled/registry-work.ts';
import { createTestClock } from '../support/clock.ts';
import {
  type DemoRegistry,
  PASSWORDS,
  POLICY,
  startDemoRegistry,
} from '../support/demo-registry.ts';
import { givenListing } from '../support/factories.ts';
import { AUTH_CODE, registered, registrySettings } from '../support/live-registry.ts';
import { givenOwner } from '../support/oauth.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

const usd = (cents: number) => new Money(cents, 'USD');
const { signal } = createSharedAbort();
const BASE = 1_000;
const PREMIUM = 50_000;

let registry: DemoRegistry;
let runtime: TestRuntime;
let registrar: Registrar;
/** What happens at the registry behind each check. */
let afterCheck: () => void;

beforeEach(async () => {
  afterCheck = () => {};
  registry = await startDemoRegistry({
    rewrite(answer, command) {
      if (command === 'check') afterCheck();
      return Buffer.from(answer);
    },
  });
  runtime = await createTestRuntime({ ...registrySettings(registry), eppAnswerMs: 30_000 });
  registrar = runtime.registrars('LIVE');
});
afterEach(async () => {
  await runtime.stop();
  await registry.close();
});

const charged = () => registry.state.charges.map(({ command, amount }) => [command, amount]);
const renew = (domain: string, acknowledgedFee?: Money, years = 1) =>
  registrar.change({
    clientReference: `renew-${domain.slice(0, 20)}`,
    domain,
    change: { kind: 'renew', years, ...(acknowledgedFee && { acknowledgedFee }) },
  });
const premium = () =>
  registered(registry, 'gaining', `premium-${randomBase62(8).toLowerCase()}.com`);

describe('registry fees', () => {
  it('are returned for standard and premium names, for the requested years', async () => {
    const [plain, dear] = [registered(registry, 'gaining'), premium()];
    expect(await registrar.prices([plain, dear], 2)).toEqual([
      {
        domain: plain,
        isPremium: false,
        feeClass: 'standard',
        create: usd(2 * BASE),
        renew: usd(2 * BASE),
        transfer: usd(BASE),
        restore: usd(5_000),
      },
      {
        domain: dear,
        isPremium: true,
        feeClass: 'premium',
        create: usd(2 * PREMIUM),
        renew: usd(2 * PREMIUM),
        transfer: usd(PREMIUM),
        restore: usd(54_000),
      },
    ]);
  });
});

it('LIVE listings know whether they are premium and at what fee, even when fees cannot be read', async () => {
  const [plain, dear] = [registered(registry, 'gaining'), premium()];
  for (const domain of [plain, dear]) await givenListing(runtime, { environment: 'LIVE', domain });
  const known = async (domain: string) =>
    (await findListing(runtime, { environment: 'LIVE', domain }))?.registration.premium;
  const check = (with_: TestRuntime) => checkRegistrationsTask.run({ runtime: with_, signal });
  await check(runtime);
  expect(await known(plain)).toBeNull();
  expect(await known(dear)).toEqual({ class: 'premium', renewalFee: usd(PREMIUM) });
  runtime.clock.advance(REGISTRATION_CHECK_MS);
  const prices = () => Promise.reject(new Error('unreadable'));
  await check({ ...runtime, registrars: () => ({ ...registrar, prices }) });
  expect(await known(dear)).toMatchObject({ class: 'premium' });
  runtime.clock.advance(REGISTRATION_CHECK_MS);
  registry.state.premiums[dear] = 60_000;
  await check(runtime);
  expect(await known(dear)).toEqual({ class: 'premium', renewalFee: usd(60_000) });
});

describe('renewing a premium name', () => {
  it('is rejected with its price until the price is confirmed', async () => {
    const domain = premium();
    const { expiresAt } = registry.state.domains[domain] ?? {};
    expect(await renew(domain)).toEqual({
      status: 'refused',
      reason:
        'This is a premium domain: renewing it for 1 year costs $500.00 USD. Confirm this price to renew it.',
    });
    expect(registry.state.domains[domain]?.expiresAt).toBe(expiresAt);
    expect(charged()).toEqual([]);
    expect(await renew(domain, usd(PREMIUM))).toMatchObject({ status: 'done' });
    expect(charged()).toEqual([['renew', PREMIUM]]);
  });

  it('is rejected when the confirmed price is outdated', async () => {
    const domain = premium();
    registry.state.premiums[domain] = 60_000;
    expect(await renew(domain, usd(PREMIUM))).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('price has changed'),
    });
    expect(charged()).toEqual([]);
  });

  it('is rejected when the price changes between check and renewal', async () => {
    const domain = premium();
    afterCheck = () => {
      registry.state.premiums[domain] = 60_000;
    };
    expect(await renew(domain, usd(PREMIUM))).toEqual({
      status: 'refused',
      reason: 'The registry’s price has changed. Request the new price, then confirm it.',
    });
    expect(charged()).toEqual([]);
  });

  it.each(['cut_before', 'cut_after', 'half_frame'] as const)(
    'is done and charged once when connections fail: %s',
    async (kind) => {
      const domain = premium();
      for (let time = 0; time < 2; time += 1) registry.server.faults.order('renew', { kind });
      for (let time = 0; time < 3; time += 1) {
        expect(await renew(domain, usd(PREMIUM))).toMatchObject({ status: 'done' });
      }
      expect(charged()).toEqual([['renew', PREMIUM]]);
    },
  );

  it('counts as done when its answer was lost, even if the price has risen since', async () => {
    const domain = premium();
    expect(await renew(domain, usd(PREMIUM))).toMatchObject({ status: 'done' });
    await runtime.db
      .knex('registrar_commands')
      .update({ outcome: null, answered_at: null, busy_until: null });
    registry.state.premiums[domain] = 60_000;
    expect(await renew(domain, usd(PREMIUM))).toMatchObject({ status: 'done' });
    expect(charged()).toEqual([['renew', PREMIUM]]);
  });

  it('does not happen automatically', async () => {
    const [plain, dear] = [registered(registry, 'gaining'), premium()];
    const { email } = await givenOwner(runtime);
    await grantDomains(runtime, 'test', { email, domains: [plain, dear] });
    await runtime.db.knex('owned_domains').update({ auto_renew: true });
    for (const { clock } of [registry, runtime]) clock.advance(240 * DAY);
    expect(await renewDueDomains(runtime, signal)).toEqual({ renewed: 1, failed: 1 });
    expect(registry.state.charges).toMatchObject([{ name: plain, amount: BASE }]);
  });
});

it('a premium name at another registrar is not transferred until its fee is accepted', async () => {
  const domain = registered(registry, 'losing', 'premium-elsewhere.com');
  await runtime.db.transact((uow) =>
    setAuthCode(uow, runtime.secrets, { domain, authInfo: AUTH_CODE }),
  );
  const push = await registrar.push({ clientReference: 'trf_1-1', domain });
  expect(push).toMatchObject({ status: 'action_required', reason: 'premium_fee' });
  expect(charged()).toEqual([]);
});

it('renewals never renew a premium name at base price or any name at an unknown price', async () => {
  const NAMES = ['plain-1.com', 'plain-2.com', 'premium-1.com', 'premium-2.com'];
  const clock = createTestClock();
  const state = emptyState(PASSWORDS);
  // It charges whoever does not look.
  const policy = { ...POLICY, chargesUnasked: true };
  const session = createRegistry({ state, policy, clock }).openSession();
  let onCheck = () => {};
  const sessions = {
    offers: () => true,
    async send(command: EppCommand, { clTRID }: Pick<Sending, 'clTRID'>) {
      const [sent] = commandDocument(command, clTRID).children;
      if (!sent) throw new Error('no command');
      const { document } = session.answer(sent);
      if (command.verb.name === 'check') onCheck();
      return readResponse({ root: document, bytes: new Uint8Array() });
    },
  };
  const offered = { objects: OBJECTS, extensions: EXTENSIONS };
  const userAgent = { app: 'Test', tech: 'Node.js', os: 'Linux' };
  const account = { clientId: 'gaining', password: PASSWORDS.gaining, userAgent, offered };
  await sessions.send(login(account), { clTRID: 'login-1' });
  let count = 0;
  const domains = createEppDomains({
    clock,
    db: runtime.db,
    config: runtime.config,
    client: new EppClient(sessions, 'gaining'),
    clientId: 'gaining',
    within: (work) => work(signal),
    commands: {
      isDone: async () => false,
      isUnanswered: async () => false,
      lastDetail: async () => null,
      send(_change, send) {
        count += 1;
        return send({ clTRID: `renew-${count}`, since: clock.now(), resumed: false, signal }, null);
      },
    },
  });

  const price = fc.constantFrom(BASE, 2_000, PREMIUM, 60_000);
  const renewal = fc.record({
    name: fc.constantFrom(...NAMES),
    years: fc.integer({ min: 1, max: 2 }),
    /** What the owner agreed to for a year; null for an automatic renewal. */
    agreed: fc.option(price),
    /** The price for a year that the name has from before or from behind the check on. */
    before: fc.option(price, { freq: 3 }),
    behind: fc.option(price, { freq: 3 }),
  });
  let renewals = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(renewal, { minLength: 100, maxLength: 100 }), async (all) => {
      state.premiums = {};
      for (const { name, years, agreed, before, behind } of all) {
        registered({ state, clock }, 'gaining', name);
        state.charges = [];
        if (before !== null) state.premiums[name] = before;
        onCheck = () => {
          if (behind !== null) state.premiums[name] = behind;
        };
        const acknowledged = agreed === null ? undefined : usd(agreed * years);
        const change = {
          kind: 'renew',
          years,
          ...(acknowledged && { acknowledgedFee: acknowledged }),
        } as const;
        const wasPremium = name.startsWith('premium-') || Object.hasOwn(state.premiums, name);
        const clientReference = `ref-${renewals}`;
        const answer = await domains.change({ clientReference, domain: name, change });
        renewals += 1;
        const [charge, ...more] = state.charges;
        expect(more).toEqual([]);
        expect(answer.status).toBe(charge ? 'done' : 'refused');
        if (!charge) continue;
        // Nothing is charged that we had not acknowledged, and for a premium name its owner had.
        expect(charge.acknowledged).toBe(true);
        expect(charge.amount).toBe(wasPremium ? acknowledged?.amount : BASE * years);
      }
    }),
    { numRuns: 20 },
  );
  expect(renewals).toBeGreaterThanOrEqual(2_000);
});

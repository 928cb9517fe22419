import { setTimeout as sleep } from 'node:timers/promises';
import { FAULT_KINDS } from '../../epp-demo/registry-faults.ts';
import type { EppClient } from '../../shared/domains/epp/epp-client.ts';
import { setAuthCode } from '../../shared/domains/registrar/auth-codes.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { claimDomain } from '../../shared/sales/transfers/claim-domain.ts';
import { issueAuthCode } from '../../shared/sales/transfers/issue-auth-code.ts';
import { givenAccount } from '../../test/support/accounts.ts';
import { openClaim } from '../../test/support/claims.ts';
import { type DemoRegistry, startDemoRegistry } from '../../test/support/demo-registry.ts';
import { eventually } from '../../test/support/eventually.ts';
import { AUTH_CODE, registered, registrySettings } from '../../test/support/live-registry.ts';
import { sentAgainUnasked } from '../../test/support/registry-log.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { givenSale, type Sale } from '../../test/support/transfers.ts';
import { type Market, withMarket } from './market.ts';
import { compareLeaving, type Leaving, ownerLeaves, type Scene } from './owners-leave.ts';
import type { FaultRun, Trial } from './trial.ts';
import { checkMoney, untilNoneIsLeft, untilOrdersAreThrough } from './verify.ts';

/** Every step of a push, of a transfer in or out, and of reading messages. */
const STEPS = [
  'login',
  'info',
  'transfer query',
  'transfer request',
  'transfer approve',
  'create',
  'update',
  'poll req',
  'poll ack',
];
const SLOW_MS = 300;
/** How often the other registrar approves requested transfers. None is approved by a timeout. */
const AGREES_MS = 1_500;

/** A job that was cut off many times waits ten minutes before its next attempt. */
const PATIENCE_MS = 11 * MINUTE;

export const registryCut: FaultRun = {
  id: 'F18',
  title: 'Connections to the registry cut at every step, and workers killed',
  async run(trial) {
    const registry = await startDemoRegistry({ maxSessions: 8, policy: { transferLockMs: 0 } });
    const env = {
      ...registrySettings(registry),
      eppAnswerMs: 2_000,
      TRANSFER_POLICY_LIVE: 'automatic',
      transferPollMaxMs: 300,
    };
    try {
      await withMarket(trial, { apis: 0, env }, (market) => sellThrough(trial, market, registry));
    } finally {
      await registry.close();
    }
  },
};

async function sellThrough(trial: Trial, market: Market, registry: DemoRegistry): Promise<void> {
  const sales = trial.amount({ short: 6, normal: 100, long: 1_000 });
  const moves = trial.amount({ short: 5, normal: 40, long: 400 });
  const faults = trial.amount({ short: 16, normal: 250, long: 2_500 });
  const deaths = trial.amount({ short: 1, normal: 15, long: 150 });
  const { runtime } = market;
  const clients = { gaining: registry.client('gaining'), losing: registry.client('losing') };
  const scene = { trial, runtime, registry, clients, patiently };
  const transferred = new Set<string>();
  const taken: Promise<void>[] = [];
  const fetched = new Set<string>();
  const left: Promise<Leaving>[] = [];
  const over = createSharedAbort();
  const agreed = agreeToTransfers(scene, over.signal);

  const sell = async () => {
    for (let sale = 0; sale < sales; sale += 1) {
      const isElsewhere = trial.random.chance(0.5);
      const domain = registered(registry, isElsewhere ? 'losing' : 'gaining');
      if (isElsewhere) {
        transferred.add(domain);
        await runtime.db.transact((uow) =>
          setAuthCode(uow, runtime.secrets, { domain, authInfo: AUTH_CODE }),
        );
      }
      const leaves = trial.random.chance(0.5);
      if (leaves) fetched.add(domain);
      const method = leaves ? 'partner_registrar' : 'account';
      const delivery = { method, gainingRegistrar: null } as const;
      const sale = await givenSale(runtime, { domain, environment: 'LIVE', delivery });
      taken.push(leaves ? fetchDomain(runtime, clients.losing, sale) : takeAtLast(runtime, sale));
      await sleep(trial.whole(0, 200));
    }
  };
  const leave = async () => {
    for (let move = 0; move < moves; move += 1) {
      left.push(ownerLeaves(scene));
      await sleep(trial.whole(0, 500));
    }
  };
  const disturb = async () => {
    for (let fault = 0; fault < faults; fault += 1) {
      const kind = trial.random.pick(FAULT_KINDS);
      const ordered = kind === 'slow' ? { kind, ms: SLOW_MS } : { kind };
      registry.server.faults.order(trial.random.pick(STEPS), ordered);
      if (trial.random.chance(0.1)) registry.server.cutAll();
      await sleep(trial.whole(0, 200));
    }
  };
  const kill = async () => {
    for (let death = 0; death < deaths; death += 1) {
      await sleep(trial.whole(300, 2_000));
      const victim = trial.random.pick(market.workers);
      await victim.kill();
      victim.start();
    }
  };
  await Promise.all([sell(), leave(), disturb(), kill()]);
  // Faults that no command has met yet would go on to hit the last orders, attempt after attempt.
  for (const step of STEPS) while (registry.server.faults.take(step));
  const since = performance.now();
  await Promise.all(taken);
  const leaving = await Promise.all(left);
  await untilOrdersAreThrough(trial, runtime, PATIENCE_MS);
  over.abort();
  await agreed;
  await untilMessagesAreRead(trial, market, registry);
  trial.recovered(performance.now() - since);
  await compare(trial, market, registry, { transferred, fetched });
  await compareLeaving(scene, leaving);
  await checkMoney(trial, runtime);
}

/** Approves transfers in as the other registrar, until `signal` aborts. */
async function agreeToTransfers({ registry, clients }: Scene, signal: AbortSignal): Promise<void> {
  for (let agreed = 1; !signal.aborted; agreed += 1) {
    await sleep(AGREES_MS);
    const asked = Object.entries(registry.state.domains).filter(
      ([, { clID, transfer }]) => clID === 'losing' && transfer?.status === 'pending',
    );
    for (const [domain] of asked) {
      const name = {
        clTRID: `agree-${domain}-${agreed}`,
        since: new Date(),
        resumed: false,
        signal,
      };
      // An approval that meets a fault is repeated in the next round.
      await clients.losing.endTransfer('approve', domain, name).catch(() => {});
    }
  }
}

/** Opens the claim link as the buyer until the domain is theirs. */
async function takeAtLast(runtime: TestRuntime, { order }: Sale): Promise<void> {
  const { id: userId, email } = await givenAccount(runtime, 'owner');
  await patiently(async () => {
    const token = await openClaim(runtime, order.id);
    if (token === undefined) return (await deliveryOf(runtime, order.id)) === 'delivered';
    await claimDomain(runtime, token, { userId, email });
    return true;
  });
}

/** Gets auth codes as the partner, and requests the domain with them as its registrar, until it is delivered. */
async function fetchDomain(
  runtime: TestRuntime,
  losing: EppClient,
  { caller, order }: Sale,
): Promise<void> {
  const { id, domain } = order;
  let asked = 0;
  await patiently(async () => {
    if ((await deliveryOf(runtime, id)) === 'delivered') return true;
    const { authCode } = await issueAuthCode(runtime, caller, id);
    asked += 1;
    const { signal } = createSharedAbort();
    const name = { clTRID: `fetch-${id}-${asked}`, since: new Date(), resumed: false, signal };
    await losing.requestTransfer({ domain, authInfo: authCode }, name);
    return eventually(async () => (await deliveryOf(runtime, id)) === 'delivered', Boolean, {
      withinMs: PATIENCE_MS,
      everyMs: 100,
    });
  });
}

async function deliveryOf(runtime: TestRuntime, orderId: string): Promise<string | undefined> {
  const [status] = await runtime.db.knex('deliveries').where({ order_id: orderId }).pluck('status');
  return status;
}

/** Retries whatever meets a fault, as people do. */
async function patiently(attempt: () => Promise<boolean>): Promise<void> {
  await eventually(() => attempt().catch(() => false), Boolean, {
    withinMs: PATIENCE_MS,
    everyMs: 250,
  });
}

/** Reads messages, in addition to the workers' schedule, until the queue is empty. */
async function untilMessagesAreRead(
  trial: Trial,
  { runtime }: Market,
  { state }: DemoRegistry,
): Promise<void> {
  const { signal } = createSharedAbort();
  await untilNoneIsLeft(trial, 'messages were not read', async () => {
    // A read that is cut off is repeated.
    await runtime
      .registrars('LIVE')
      .readMessages(100, signal)
      .catch(() => 0);
    return state.queues.gaining ?? [];
  });
}

/** Expects one transfer per sale, none forgotten, no command resent without asking first, and every message kept. */
async function compare(
  trial: Trial,
  { runtime }: Market,
  registry: DemoRegistry,
  { transferred, fetched }: { transferred: ReadonlySet<string>; fetched: ReadonlySet<string> },
): Promise<void> {
  const { knex } = runtime.db;
  const sold: { domain: string; transfer: string }[] = await knex('orders as o')
    .join('transfers as t', 't.order_id', 'o.id')
    .select('o.domain', 't.id as transfer');
  const made = registry.changes.filter(({ clTRID }) => clTRID?.startsWith('trf_'));
  for (const { domain, transfer } of sold) {
    const sent = made.filter(
      ({ clTRID }) => clTRID?.startsWith(`${transfer}-`) && !clTRID.includes('-code-'),
    );
    const commands = sent.map(({ command }) => command);
    const leaves = fetched.has(domain);
    const wanted = [
      ...(transferred.has(domain) ? ['transfer request'] : []),
      ...(leaves ? [] : ['create', 'update']),
    ];
    trial.expect(
      commands.join() === wanted.join(),
      `${domain}: ${JSON.stringify(sent)} instead of ${wanted.join()}`,
    );
    const { clID, registrant } = registry.state.domains[domain] ?? {};
    const isBuyers = registry.state.contacts[registrant ?? '']?.email === 'buyer@example.com';
    const isDelivered = leaves ? clID === 'losing' : clID === 'gaining' && isBuyers;
    trial.expect(isDelivered, `${domain} is not its buyer's`);
    const owners: string[] = await knex('owned_domains').where({ domain }).pluck('user_id');
    trial.expect(owners.length === (leaves ? 0 : 1), `${domain} has ${owners.length} owners`);
  }
  const unasked = sentAgainUnasked(registry.heard);
  trial.expect(unasked.length === 0, `sent again unasked: ${unasked.slice(0, 5).join()}`);
  // Nobody checks any more whether the registry received a code that a later one has replaced.
  const noted = new Set(
    await knex('registrar_commands')
      .where({ outcome: 'done' })
      .orWhere({ step: 'auth-code', outcome: null })
      .pluck('cl_trid'),
  );
  const unnoted = registry.changes.filter(
    ({ clTRID }) => /^tr[fo]_/.test(clTRID ?? '') && !noted.has(clTRID ?? ''),
  );
  trial.expect(unnoted.length === 0, `not in our books: ${JSON.stringify(unnoted.slice(0, 5))}`);
  const told: string[] = await knex('registrar_messages').pluck('domain');
  const untold = [...transferred].filter((domain) => !told.includes(domain));
  trial.expect(untold.length === 0, `messages were lost of ${untold.slice(0, 5).join()}`);
  // A domain that others request gets a message for each request, so those are left out.
  const ofThoseThatStay = told.filter((domain) => transferred.has(domain) && !fetched.has(domain));
  const twice = ofThoseThatStay.length - new Set(ofThoseThatStay).size;
  trial.expect(twice === 0, `${twice} messages were kept twice`);
  const dead = await knex('outbox').where({ state: 'dead' }).pluck('last_error');
  trial.expect(dead.length === 0, `jobs died: ${dead.slice(0, 5).join()}`);
  trial.count({
    orders: sold.length,
    events: told.length,
    received: told.length,
    pushes: made.length,
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PushState } from '../../../shared/registrar/registrar.ts';
import { confirmDelivery } from '../../../shared/transfers/confirm-delivery.ts';
import { retryTransfer } from '../../../shared/transfers/retry-transfer.ts';
import { startTransfer } from '../../../shared/transfers/start-transfer.ts';
import { type Fleet, startWorkers } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';
import {
  givenSale,
  marketStatusOf,
  type RegistrarStandIn,
  registrarStandIn,
  type Sale,
  type Story,
  sandboxPushes,
  storyOf,
} from '../../support/transfers.ts';

const CHILD = fileURLToPath(new URL('../../support/transfer-worker-child.ts', import.meta.url));

let runtime: TestRuntime;
let ending: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  runtime = await createTestRuntime({
    OUTBOX_POLL_MS: '20',
    RECONCILE_MS: '100',
    JOB_LOCK_MS: '600',
    OUTBOX_LEASE_MS: '1500',
    WEBHOOK_TIMEOUT_MS: '1000',
    SHUTDOWN_MS: '200',
    TRANSFER_POLL_MS: '30',
    TRANSFER_START_DELAY_MS: '20',
    TRANSFER_CONFIRM_DELAY_MS: '20',
    SANDBOX_REGISTRAR_DELAY_MS: '100',
    SANDBOX_REGISTRAR_SLOW_DELAY_MS: '60000',
  });
});

afterEach(async () => {
  for (const end of ending.reverse()) await end();
  ending = [];
  await runtime.stop();
});

/** Workers of the transfers queue; with a stand-in, every push goes to it. */
function work(registrar?: RegistrarStandIn): Fleet {
  const scope = registrar ? { ...runtime, registrars: () => registrar } : runtime;
  const fleet = startWorkers(scope, { queues: ['transfers'] });
  ending.push(() => fleet.stop());
  return fleet;
}

const until = (sale: Sale, accept: (story: Story) => boolean, withinMs = 20_000) =>
  eventually(() => storyOf(runtime, sale), accept, { withinMs });
const untilTransferIs = (sale: Sale, status: string) =>
  until(sale, (story) => story.transfer?.status === status);

const start = ({ order }: Sale) =>
  runtime.db.transact((tx) => startTransfer(tx, runtime, order.id));
const retry = ({ order }: Sale) =>
  runtime.db.transact((tx) => retryTransfer(tx, runtime, order.id));
const refund = ({ order }: Sale) => takeBack(runtime, order.id, 'refund');

const unfinishedJobs = (): Promise<string[]> =>
  runtime.db.knex('outbox').where({ queue: 'transfers' }).whereNot({ state: 'done' }).pluck('name');
const noJobsLeft = () => eventually(unfinishedJobs, (names) => names.length === 0);

const cancellations = (): Promise<{ result: string }[]> =>
  runtime.db.knex('audit_log').where({ action: 'transfer:cancel-push' }).pluck('after');

/** A promise that a test resolves. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('a sandbox order under the automatic policy', () => {
  it('lives its whole life without a person', async () => {
    work();
    const sale = await givenSale(runtime);
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(story.history).toEqual([
      'order.recorded',
      'order.transfer_started',
      'transfer.initiated',
      'transfer.pending_registry',
      'transfer.completed',
      'order.transfer_completed',
    ]);
    expect(story.timeline).toEqual(story.history);
    expect(story.transfer).toMatchObject({ status: 'completed', attempts: 1 });
    expect(await sandboxPushes(runtime)).toMatchObject([{ status: 'completed' }]);
    await noJobsLeft();
  });

  it('with a slow-transfer- name stays pending at the registry, then completes', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'slow-transfer-1.com' });
    await untilTransferIs(sale, 'pending_registry');
    runtime.clock.advance(60_000);
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(story.history.filter((type) => type === 'transfer.pending_registry')).toHaveLength(1);
  });

  it('with a fail-transfer- name fails, and fails again as a new push when it is retried', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'fail-transfer-1.com' });
    const failed = await untilTransferIs(sale, 'failed');
    expect(failed).toMatchObject({
      status: 'TRANSFER_IN_PROGRESS',
      transfer: { attempts: 1, reason: 'registrar_rejected' },
    });
    await retry(sale);
    const again = await until(
      sale,
      ({ transfer }) => transfer?.status === 'failed' && transfer.attempts === 2,
    );
    expect(again.history.slice(2)).toEqual([
      'transfer.initiated',
      'transfer.pending_registry',
      'transfer.failed',
      'transfer.initiated',
      'transfer.pending_registry',
      'transfer.failed',
    ]);
    expect(again.timeline).toEqual(again.history);
    expect(await sandboxPushes(runtime)).toHaveLength(2);
  });

  it('leaves alone what a person confirmed first', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'slow-transfer-2.com' });
    await untilTransferIs(sale, 'pending_registry');
    await runtime.db.transact((tx) => confirmDelivery(tx, runtime, sale.order.id));
    await noJobsLeft();
    expect((await storyOf(runtime, sale)).history.slice(-2)).toEqual([
      'transfer.completed',
      'order.transfer_completed',
    ]);
  });
});

describe('a live order under the manual policy', () => {
  it('waits for a person at both ends', async () => {
    work();
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await untilTransferIs(sale, 'awaiting_confirmation');
    await noJobsLeft();
    expect((await storyOf(runtime, sale)).status).toBe('TRANSFER_IN_PROGRESS');
  });
});

describe('a refund in mid-push', () => {
  it('stops the push at the registrar', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'slow-transfer-3.com' });
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await noJobsLeft();
    expect(await sandboxPushes(runtime)).toMatchObject([{ status: 'cancelled' }]);
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({ status: 'REFUNDED', transfer: { status: 'cancelled' } });
    expect(story.history.slice(-2)).toEqual(['transfer.cancelled', 'order.refunded']);
    expect(await marketStatusOf(runtime, sale)).toBe('sold');
    expect(await cancellations()).toMatchObject([{ result: 'cancelled' }]);
  });

  it('between the hand-over and its answer leaves nothing open at the registrar', async () => {
    const [asked, answered] = [gate(), gate()];
    const registrar = registrarStandIn(async () => {
      asked.open();
      await answered.opened;
      return { status: 'completed' };
    });
    work(registrar);
    const sale = await givenSale(runtime);
    await asked.opened;
    await refund(sale);
    await eventually(() => registrar.cancels.length === 1);
    answered.open();
    await noJobsLeft();
    expect(registrar.cancels).toHaveLength(2);
    expect(new Set(registrar.cancels)).toEqual(
      new Set(registrar.pushes.map((push) => push.clientReference)),
    );
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({ status: 'REFUNDED', transfer: { status: 'cancelled' } });
  });

  it('that comes too late is written down for ops', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    registrar.cancelAnswer = 'too_late';
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await noJobsLeft();
    expect(await cancellations()).toMatchObject([{ registrar: 'stand-in', result: 'too_late' }]);
  });
});

describe('a push job', () => {
  it('run by two workers at once makes one push and tells each step once', async () => {
    const both = gate();
    let calls = 0;
    const registrar = registrarStandIn(async () => {
      calls += 1;
      if (calls === 2) both.open();
      await both.opened;
      return { status: 'completed' };
    });
    work(registrar);
    const sale = await givenSale(runtime);
    const [job] = await eventually(
      () =>
        runtime.db
          .knex('outbox')
          .where({ name: 'push-transfer', attempts: 1 })
          .select('id', 'epoch'),
      (rows) => rows.length === 1,
    );
    const second = await joinRuntime(runtime);
    const others = startWorkers(
      { ...second, registrars: () => registrar },
      { queues: ['transfers'] },
    );
    ending.push(async () => {
      await others.stop();
      await second.stop();
    });
    const twin = { outboxId: job.id, epoch: job.epoch };
    await runtime.queues.get('transfers').add('push-transfer', twin);
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    await noJobsLeft();
    expect(calls).toBe(2);
    expect(new Set(registrar.pushes.map((push) => push.clientReference)).size).toBe(1);
    expect(story.history).toEqual([
      'order.recorded',
      'order.transfer_started',
      'transfer.initiated',
      'transfer.completed',
      'order.transfer_completed',
    ]);
    expect(story.timeline).toEqual(story.history);
  });

  it('is carried on when its worker is killed after the hand-over', async () => {
    const child = spawnWorker();
    const sale = await givenSale(runtime);
    await eventually(
      () => sandboxPushes(runtime),
      (pushes) => pushes.length === 1,
      { withinMs: 20_000 },
    );
    await kill(child);
    expect((await storyOf(runtime, sale)).transfer).toMatchObject({ status: 'pushing' });
    work();
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(await sandboxPushes(runtime)).toHaveLength(1);
    expect(story.history.filter((type) => type === 'transfer.initiated')).toHaveLength(1);
    expect(story.timeline).toEqual(story.history);
  });

  it('asks again when the registrar does not answer, for the same push', async () => {
    const registrar = registrarStandIn(async () => {
      if (registrar.pushes.length === 1) throw new Error('connection reset');
      return { status: 'completed' };
    });
    work(registrar);
    const sale = await givenSale(runtime);
    await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(registrar.pushes).toHaveLength(2);
    expect(new Set(registrar.pushes.map((push) => push.clientReference)).size).toBe(1);
  });

  it('ends with a call for a person when the registrar stays away', async () => {
    const registrar = registrarStandIn(async () => {
      throw new Error('connection reset');
    });
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    // All but the last of its attempts were used up before.
    await runtime.db.knex('outbox').where({ name: 'push-transfer' }).update({ attempts: 7 });
    work(registrar);
    const story = await untilTransferIs(sale, 'action_required');
    expect(story.transfer?.reason).toBe('registrar_unreachable');
    await eventually(
      () => runtime.db.knex('outbox').where({ name: 'push-transfer' }).pluck('state'),
      ([state]) => state === 'dead',
    );
  });

  it('follows a registrar that asks for an action and then goes on', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'action_required');
    registrar.answer = { status: 'completed' } satisfies PushState;
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(story.history).toContain('transfer.action_required');
    expect(registrar.pushes).toHaveLength(1);
  });

  it('of a retry ends the push before it, and takes its success when it was faster', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'action_required');
    registrar.cancelAnswer = 'too_late';
    await retry(sale);
    await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(registrar.cancels).toEqual([registrar.pushes[0]?.clientReference]);
    expect(registrar.pushes).toHaveLength(1);
  });
});

function spawnWorker(): ChildProcess {
  const child = spawn('sh', ['scripts/run.sh', CHILD], {
    env: { PATH: process.env.PATH ?? '', NODE: process.execPath, ...runtime.env },
    stdio: 'inherit',
  });
  ending.push(() => kill(child));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

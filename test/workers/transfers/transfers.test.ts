import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PushState, Registrar } from '../../../shared/domains/registrar/registrar.ts';
import { retryDeadJob } from '../../../shared/messaging/jobs/dead-jobs.ts';
import type { QueueName } from '../../../shared/messaging/jobs/job-queues.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import {
  approveRefund,
  listRefundsToDecide,
  recordCancelPushResult,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { refundOrder } from '../../../shared/sales/refunds/refund-order.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/confirm-delivery.ts';
import { retryTransfer, startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { endProcess, spawnProgram } from '../../support/service-process.ts';
import { takeBack } from '../../support/take-back.ts';
import {
  givenSale,
  marketStatusOf,
  registrarStandIn,
  type Sale,
  type Story,
  sandboxPushes,
  storyOf,
} from '../../support/transfers.ts';

/** How long the registrar of the sandbox takes. */
const PUSH_MS = 60_000;
const QUEUES: QueueName[] = ['transfers', 'transfer-polls'];
const CHILD = fileURLToPath(new URL('../../support/transfer-worker-child.ts', import.meta.url));

let runtime: TestRuntime;
let ending: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  runtime = await createTestRuntime({
    outboxPollMs: 20,
    reconcileMs: 100,
    SHUTDOWN_MS: '200',
    transferPollMs: 30,
    TRANSFER_START_DELAY_MS: '20',
    TRANSFER_CONFIRM_DELAY_MS: '20',
    // A push is over when a test moves the clock, not when a machine is slow.
    sandboxRegistrarDelayMs: PUSH_MS,
    sandboxRegistrarSlowDelayMs: PUSH_MS,
  });
});

afterEach(async () => {
  for (const end of ending.reverse()) await end();
  ending = [];
  await runtime.stop();
});

/** Workers of both queues of transfers; with a stand-in, every push goes to it. */
function work(registrar?: Registrar): WorkerProcess {
  const scope = registrar ? { ...runtime, registrars: () => registrar } : runtime;
  const fleet = startWorkers(scope, { queues: QUEUES });
  ending.push(() => fleet.stop());
  return fleet;
}

const until = (sale: Sale, accept: (story: Story) => boolean) =>
  eventually(() => storyOf(runtime, sale), accept);
const untilTransferIs = (sale: Sale, status: string) =>
  until(sale, (story) => story.transfer?.status === status);

const start = ({ order }: Sale) => runtime.db.transact((uow) => startTransfer(uow, order.id));
const retry = ({ order }: Sale) => runtime.db.transact((uow) => retryTransfer(uow, order.id));
const refund = ({ order }: Sale) => takeBack(runtime, order.id, 'refund');

const unfinishedJobs = (): Promise<string[]> =>
  runtime.db.knex('outbox').whereIn('queue', QUEUES).whereNot({ state: 'done' }).pluck('name');
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
    await untilTransferIs(sale, 'pending_registry');
    runtime.clock.advance(PUSH_MS);
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
    runtime.clock.advance(PUSH_MS);
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(story.history.filter((type) => type === 'transfer.pending_registry')).toHaveLength(1);
  });

  it('with a fail-transfer- name fails, and fails again as a new push when it is retried', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'fail-transfer-1.com' });
    await untilTransferIs(sale, 'pending_registry');
    runtime.clock.advance(PUSH_MS);
    const failed = await untilTransferIs(sale, 'failed');
    expect(failed).toMatchObject({
      status: 'TRANSFER_IN_PROGRESS',
      transfer: { attempts: 1, reason: 'registrar_rejected' },
    });
    await retry(sale);
    await untilTransferIs(sale, 'pending_registry');
    runtime.clock.advance(PUSH_MS);
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
    await runtime.db.transact((uow) => confirmDelivery(uow, sale.order.id));
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
    await untilTransferIs(sale, 'pending_registry');
    runtime.clock.advance(PUSH_MS);
    await untilTransferIs(sale, 'awaiting_confirmation');
    await noJobsLeft();
    expect((await storyOf(runtime, sale)).status).toBe('TRANSFER_IN_PROGRESS');
  });
});

describe('a refund in mid-push', () => {
  it('stops the push at the registrar; then the order is refunded and its domain listed again', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'slow-transfer-3.com' });
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await until(sale, ({ status }) => status === 'REFUNDED');
    await noJobsLeft();
    expect(await sandboxPushes(runtime)).toMatchObject([{ status: 'cancelled' }]);
    const story = await storyOf(runtime, sale);
    expect(story.transfer?.status).toBe('cancelled');
    expect(story.history.slice(-2)).toEqual(['transfer.cancelled', 'order.refunded']);
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await cancellations()).toMatchObject([{ result: 'cancelled' }]);
  });

  it('between the hand-over and its answer leaves nothing open at the registrar', async () => {
    const [asked, answered] = [gate(), gate()];
    const registrar = registrarStandIn(async () => {
      asked.open();
      await answered.opened;
      return { status: 'failed', reason: 'cancelled' };
    });
    work(registrar);
    const sale = await givenSale(runtime);
    await asked.opened;
    await refund(sale);
    await until(sale, ({ status }) => status === 'REFUNDED');
    answered.open();
    await noJobsLeft();
    expect(new Set(registrar.cancels)).toEqual(
      new Set(registrar.pushes.map((push) => push.clientReference)),
    );
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({ status: 'REFUNDED', transfer: { status: 'cancelled' } });
    expect(story.history).not.toContain('transfer.failed');
  });

  it('that comes too late is held for staff, and never confirmed by itself', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    registrar.cancelAnswer = 'too_late';
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    const held = await untilTransferIs(sale, 'awaiting_confirmation');
    await noJobsLeft();
    expect(held.status).toBe('TRANSFER_IN_PROGRESS');
    expect(held.history).not.toContain('order.refunded');
    expect(await cancellations()).toMatchObject([{ registrar: 'stand-in', result: 'too_late' }]);
    expect(await listRefundsToDecide(runtime, 10)).toMatchObject([{ cause: 'too_late' }]);
  });

  it('whose push is done before the cancellation arrives is held as well', async () => {
    const registrar = runtime.registrars('SANDBOX');
    const [reached, resume] = [gate(), gate()];
    work({
      ...registrar,
      async cancel(reference) {
        reached.open();
        await resume.opened;
        return registrar.cancel(reference);
      },
    });
    const sale = await givenSale(runtime, { domain: 'slow-transfer-4.com' });
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await reached.opened;
    runtime.clock.advance(PUSH_MS);
    resume.open();
    await untilTransferIs(sale, 'awaiting_confirmation');
    expect(await listRefundsToDecide(runtime, 10)).toMatchObject([{ cause: 'too_late' }]);
    expect(await sandboxPushes(runtime)).toMatchObject([{ status: 'completed' }]);
  });

  it('is carried on when the worker dies between the answer of the registrar and its record', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    const answer = registrar.cancel;
    registrar.cancel = async (reference) => {
      const said = await answer(reference);
      // The first answer is lost on its way.
      if (registrar.cancels.length === 1) throw new Error('connection reset');
      return said;
    };
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'pending_registry');
    await refund(sale);
    await until(sale, ({ status }) => status === 'REFUNDED');
    await noJobsLeft();
    expect(registrar.cancels).toHaveLength(2);
    expect((await storyOf(runtime, sale)).history.slice(-2)).toEqual([
      'transfer.cancelled',
      'order.refunded',
    ]);
  });

  it('waits for staff when the registrar stays away, and goes on by itself when its job is run again', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    const answer = registrar.cancel;
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    work(registrar);
    await untilTransferIs(sale, 'pending_registry');
    registrar.cancel = async () => {
      throw new Error('connection reset');
    };
    await refund(sale);
    const dead = () =>
      runtime.db.knex('outbox').where({ name: 'stop-push', state: 'dead' }).pluck('id');
    const [job] = await eventually(
      async () => {
        runtime.clock.advance(HOUR);
        return dead();
      },
      (ids) => ids.length === 1,
    );
    expect(await listRefundsToDecide(runtime, 10)).toMatchObject([{ cause: 'unanswered' }]);
    registrar.cancel = answer;
    await retryDeadJob(runtime, job);
    await until(sale, ({ status }) => status === 'REFUNDED');
    expect(await listRefundsToDecide(runtime, 10)).toEqual([]);
  });

  it('that staff approves without an answer still stops the push, and says when it was too late', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    const fleet = work(registrar);
    await untilTransferIs(sale, 'pending_registry');
    await fleet.stop();
    await refund(sale);
    await runtime.db.transact((uow) => recordCancelPushResult(uow, sale.order.id, 'unanswered'));
    // The first request was given up.
    await runtime.db.knex('outbox').where({ name: 'stop-push' }).update({ state: 'dead' });
    await runtime.db.transact((uow) => approveRefund(uow, sale.order.id));
    expect(registrar.cancels).toEqual([]);
    registrar.cancel = async (reference) => {
      registrar.cancels.push(reference);
      return 'too_late';
    };
    work(registrar);
    await eventually(
      () => runtime.db.knex('outbox').where({ name: 'stop-push', state: 'dead' }).pluck('id'),
      (ids) => ids.length === 2,
    );
    expect(registrar.cancels).toEqual([registrar.pushes[0]?.clientReference]);
    expect(await cancellations()).toMatchObject([{ result: 'too_late' }]);
    expect((await storyOf(runtime, sale)).status).toBe('REFUNDED');
  });

  it('asks for the push that is open now, also when an older request is run again', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    const fleet = work(registrar);
    await untilTransferIs(sale, 'action_required');
    await retry(sale);
    await eventually(
      async () => registrar.pushes.length,
      (pushes) => pushes === 2,
    );
    await untilTransferIs(sale, 'action_required');
    await fleet.stop();
    await refund(sale);
    const request = { name: 'stop-push' };
    // As one that was given up before the second push.
    await runtime.db
      .knex('outbox')
      .where(request)
      .update({ payload: { orderId: sale.order.id, attempt: 1 } });
    const before = registrar.cancels.length;
    work(registrar);
    await until(sale, ({ status }) => status === 'REFUNDED');
    expect(registrar.cancels.slice(before)).toEqual(
      registrar.pushes.map(({ clientReference }) => clientReference).reverse(),
    );
  });

  it('of a second push stops the first one, too', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    work(registrar);
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await untilTransferIs(sale, 'action_required');
    await runtime.db.transact(async (uow) => {
      await retryTransfer(uow, sale.order.id);
      // Before the worker can take the second push.
      await refundOrder(uow, {
        orderId: sale.order.id,
        kind: 'by_state',
        reason: 'other',
        note: null,
        requestedBy: 'test',
      });
    });
    await until(sale, ({ status }) => status === 'REFUNDED');
    await noJobsLeft();
    expect(registrar.pushes).toHaveLength(1);
    expect(registrar.cancels).toEqual([registrar.pushes[0]?.clientReference]);
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
          .where({ name: 'start-transfer', attempts: 1 })
          .select('id', 'epoch'),
      (rows) => rows.length === 1,
    );
    const second = await joinRuntime(runtime);
    const others = startWorkers({ ...second, registrars: () => registrar }, { queues: QUEUES });
    ending.push(async () => {
      await others.stop();
      await second.stop();
    });
    const twin = { outboxId: job.id, epoch: job.epoch };
    await runtime.queues.get('transfers').add('start-transfer', twin);
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
    );
    await endProcess(child, 'SIGKILL');
    expect((await storyOf(runtime, sale)).transfer).toMatchObject({ status: 'pushing' });
    runtime.clock.advance(PUSH_MS);
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

  it('outlives any number of single errors between good answers', async () => {
    let errors = 0;
    const registrar = registrarStandIn({ status: 'pending' });
    work(registrar);
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await untilTransferIs(sale, 'pending_registry');
    registrar.answer = async () => {
      if (registrar.reads.length % 2 === 0) return { status: 'pending' };
      errors += 1;
      throw new Error('connection reset');
    };
    await eventually(async () => {
      runtime.clock.advance(HOUR);
      return errors >= 12;
    });
    registrar.answer = { status: 'completed' };
    await eventually(async () => {
      runtime.clock.advance(HOUR);
      return (await storyOf(runtime, sale)).transfer?.status === 'awaiting_confirmation';
    });
    expect((await storyOf(runtime, sale)).history).not.toContain('transfer.action_required');
  });

  it('polls less and less often, up to every ten minutes', async () => {
    work(registrarStandIn({ status: 'pending' }));
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await untilTransferIs(sale, 'pending_registry');
    const untilNextPoll = async (age: number) => {
      runtime.clock.advance(age);
      const asked = runtime.clock.now();
      const [runAt] = await eventually(
        () =>
          runtime.db
            .knex('outbox')
            .where({ name: 'poll-transfer', state: 'pending' })
            .where('run_at', '>', asked)
            .pluck('run_at'),
        (found) => found.length === 1,
      );
      return runAt - asked.getTime();
    };
    const afterTenMinutes = await untilNextPoll(10 * MINUTE);
    expect(afterTenMinutes).toBeGreaterThanOrEqual(MINUTE);
    expect(afterTenMinutes).toBeLessThan(2 * MINUTE);
    const afterDays = await untilNextPoll(3 * DAY);
    expect(afterDays).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(afterDays).toBeLessThan(11 * MINUTE);
  });

  it('never waits for the polls of others, however many they are and however long they take', async () => {
    const answered = gate();
    const registrar = registrarStandIn({ status: 'pending' });
    const others = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const sale = await givenSale(runtime, { environment: 'LIVE' });
        await start(sale);
        return sale;
      }),
    );
    work(registrar);
    for (const sale of others) await untilTransferIs(sale, 'pending_registry');
    registrar.answer = async () => {
      await answered.opened;
      return { status: 'pending' };
    };
    const before = registrar.reads.length;
    runtime.clock.advance(DAY);
    // As many polls as the workers take at once hang at the registrar, and the rest wait for them.
    await eventually(() => registrar.reads.length >= before + 8);
    const fresh = await givenSale(runtime, { environment: 'LIVE' });
    await start(fresh);
    await eventually(() => registrar.pushes.at(-1)?.domain === fresh.order.domain);
    expect(registrar.reads.length).toBeLessThan(before + others.length);
    answered.open();
    await untilTransferIs(fresh, 'pending_registry');
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
  // Only what it holds when it is killed is soon free for others.
  const child = spawnProgram([CHILD], { ...runtime.env, jobLockMs: 600 });
  ending.push(() => endProcess(child, 'SIGKILL'));
  return child;
}

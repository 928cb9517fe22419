import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PushState, Registrar } from '../../../shared/domains/registrar/registrar.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { lockOrderById } from '../../../shared/sales/orders/move-order.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { gate } from '../../support/gate.ts';
import { joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { endProcess, spawnProgram } from '../../support/service-process.ts';
import {
  PUSH_MS,
  startTransferScene,
  TRANSFER_QUEUES,
  type TransferScene,
} from '../../support/transfer-scene.ts';
import {
  givenSale,
  registrarStandIn,
  type Sale,
  type Story,
  sandboxPushes,
  storyOf,
} from '../../support/transfers.ts';

const CHILD = fileURLToPath(new URL('../../support/transfer-worker-child.ts', import.meta.url));

let scene: TransferScene;
let runtime: TestRuntime;

beforeEach(async () => {
  scene = await startTransferScene();
  ({ runtime } = scene);
});
afterEach(() => scene.stop());

const work = (registrar?: Registrar) => scene.work(registrar);
const until = (sale: Sale, accept: (story: Story) => boolean) => scene.until(sale, accept);
const untilTransferIs = (sale: Sale, status: string) => scene.untilTransferIs(sale, status);
const start = (sale: Sale) => scene.start(sale);
const retry = (sale: Sale) => scene.retry(sale);
const noJobsLeft = () => scene.noJobsLeft();

describe('a sandbox order under the automatic policy', () => {
  it('completes without manual action', async () => {
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

  it('stays pending at the registry, then completes, for a slow-transfer- name', async () => {
    work();
    const sale = await givenSale(runtime, { domain: 'slow-transfer-1.com' });
    await untilTransferIs(sale, 'pending_registry');
    runtime.clock.advance(PUSH_MS);
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(story.history.filter((type) => type === 'transfer.pending_registry')).toHaveLength(1);
  });

  it('fails for a fail-transfer- name, and fails again with a new push when retried', async () => {
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

  it('does not change a delivery that was confirmed by hand first', async () => {
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
  it('waits for an operator to start and to confirm it', async () => {
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

describe('a push job', () => {
  it('makes one push and reports each step once when two workers run it at the same time', async () => {
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
    const others = startWorkers(
      { ...second, registrars: () => registrar },
      { queues: TRANSFER_QUEUES },
    );
    scene.atEnd(async () => {
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

  it('is completed by another worker when its worker is killed after the request', async () => {
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

  it('retries the same push when the registrar does not answer', async () => {
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

  it('ends with action_required when the registrar stays unreachable', async () => {
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

  it('survives any number of isolated errors between good answers', async () => {
    let errors = 0;
    const registrar = registrarStandIn({ status: 'pending' });
    work(registrar);
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await untilTransferIs(sale, 'pending_registry');
    registrar.answer = async () => {
      if (registrar.polls.length % 2 === 0) return { status: 'pending' };
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

  it('polls less and less often, down to every ten minutes', async () => {
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

  it('polls without locking the order while nothing has changed', async () => {
    const registrar = registrarStandIn({ status: 'pending' });
    work(registrar);
    const sale = await givenSale(runtime, { environment: 'LIVE' });
    await start(sale);
    await untilTransferIs(sale, 'pending_registry');
    await runtime.db.transact(async (uow) => {
      await lockOrderById(uow, sale.order.id);
      const before = registrar.polls.length;
      await eventually(() => {
        runtime.clock.advance(MINUTE);
        return registrar.polls.length > before + 2;
      });
    });
  });

  it('does not wait for slow polls of other transfers', async () => {
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
    const before = registrar.polls.length;
    runtime.clock.advance(DAY);
    // As many polls as the workers take at once hang at the registrar, and the rest wait for them.
    await eventually(() => registrar.polls.length >= before + 8);
    const fresh = await givenSale(runtime, { environment: 'LIVE' });
    await start(fresh);
    await eventually(() => registrar.pushes.at(-1)?.domain === fresh.order.domain);
    expect(registrar.polls.length).toBeLessThan(before + others.length);
    answered.open();
    await untilTransferIs(fresh, 'pending_registry');
  });

  it('continues when the registrar’s required action is done', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    work(registrar);
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'action_required');
    registrar.answer = { status: 'completed' } satisfies PushState;
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    expect(story.history).toContain('transfer.action_required');
    expect(registrar.pushes).toHaveLength(1);
  });

  it('cancels the push before it when it is a retry, before it asks the registrar again', async () => {
    const registrar = registrarStandIn({ status: 'action_required', reason: 'unlock_domain' });
    const asked: string[] = [];
    work({
      ...registrar,
      push: (request) => {
        asked.push(`push ${request.clientReference}`);
        return registrar.push(request);
      },
      cancel: (reference) => {
        asked.push(`cancel ${reference}`);
        return registrar.cancel(reference);
      },
    });
    const sale = await givenSale(runtime);
    await untilTransferIs(sale, 'action_required');
    await retry(sale);
    const isStuckAgain = (attempts: number) => (story: Story) =>
      story.transfer?.status === 'action_required' && story.transfer.attempts === attempts;
    await until(sale, isStuckAgain(2));
    registrar.answer = { status: 'completed' };
    await retry(sale);
    const story = await until(sale, ({ status }) => status === 'TRANSFER_COMPLETED');
    const [first, second, third] = registrar.pushes.map((push) => push.clientReference);
    expect(asked).toEqual([
      `push ${first}`,
      `cancel ${first}`,
      `push ${second}`,
      `cancel ${second}`,
      `cancel ${first}`,
      `push ${third}`,
    ]);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(story.history.filter((type) => type === 'transfer.completed')).toHaveLength(1);
  });

  it('takes the result of the earlier push when a retry is too late to cancel it', async () => {
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
  scene.atEnd(() => endProcess(child, 'SIGKILL'));
  return child;
}

import type { Registrar } from '../../shared/domains/registrar/registrar.ts';
import type { QueueName } from '../../shared/messaging/jobs/job-queues.ts';
import { retryTransfer, startTransfer } from '../../shared/sales/transfers/start-transfer.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { eventually } from './eventually.ts';
import { createTestRuntime, type TestRuntime } from './runtime.ts';
import { type Sale, type Story, storyOf } from './transfers.ts';

/** How long the sandbox registrar takes. */
export const PUSH_MS = 60_000;
export const TRANSFER_QUEUES: QueueName[] = ['transfers', 'transfer-polls'];

/** A runtime with fast transfers, and workers for them on request. */
export interface TransferScene {
  runtime: TestRuntime;
  /** Starts workers for both transfer queues; with a stand-in, every push goes to it. */
  work(registrar?: Registrar): WorkerProcess;
  until(sale: Sale, accept: (story: Story) => boolean): Promise<Story>;
  untilTransferIs(sale: Sale, status: string): Promise<Story>;
  start(sale: Sale): Promise<unknown>;
  retry(sale: Sale): Promise<unknown>;
  noJobsLeft(): Promise<unknown>;
  /** Registers what must end before the runtime, in reverse order. */
  atEnd(end: () => Promise<unknown>): void;
  stop(): Promise<void>;
}

export async function startTransferScene(): Promise<TransferScene> {
  const ending: (() => Promise<unknown>)[] = [];
  const runtime = await createTestRuntime({
    outboxPollMs: 20,
    reconcileMs: 100,
    SHUTDOWN_MS: '200',
    transferPollMs: 30,
    TRANSFER_START_DELAY_MS: '20',
    TRANSFER_CONFIRM_DELAY_MS: '20',
    // A push ends when a test moves the clock, not because a machine is slow.
    sandboxRegistrarDelayMs: PUSH_MS,
    sandboxRegistrarSlowDelayMs: PUSH_MS,
  });
  const until: TransferScene['until'] = (sale, accept) =>
    eventually(() => storyOf(runtime, sale), accept);
  const unfinishedJobs = (): Promise<string[]> =>
    runtime.db
      .knex('outbox')
      .whereIn('queue', TRANSFER_QUEUES)
      .whereNot({ state: 'done' })
      .pluck('name');
  return {
    runtime,
    work(registrar) {
      const scope = registrar ? { ...runtime, registrars: () => registrar } : runtime;
      const fleet = startWorkers(scope, { queues: TRANSFER_QUEUES });
      ending.push(() => fleet.stop());
      return fleet;
    },
    until,
    untilTransferIs: (sale, status) => until(sale, (story) => story.transfer?.status === status),
    start: ({ order }) => runtime.db.transact((uow) => startTransfer(uow, order.id)),
    retry: ({ order }) => runtime.db.transact((uow) => retryTransfer(uow, order.id)),
    noJobsLeft: () => eventually(unfinishedJobs, (names) => names.length === 0),
    atEnd: (end) => ending.push(end),
    async stop() {
      for (const end of ending.reverse()) await end();
      await runtime.stop();
    },
  };
}

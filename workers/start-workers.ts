import { parseArgs } from 'node:util';
import { type Job, MetricsTime, Worker } from 'bullmq';
import { RELAY } from '../shared/messaging/jobs/job.ts';
import { createJobLifecycle } from '../shared/messaging/jobs/job-lifecycle.ts';
import {
  isQueueName,
  isStanding,
  KEPT_JOBS,
  QUEUE_NAMES,
  QUEUES,
  type QueueName,
} from '../shared/messaging/jobs/job-queues.ts';
import { createSharedAbort, unlessLate } from '../shared/platform/concurrency/deadline.ts';
import { listenForWake } from '../shared/platform/database/worker-wake-ups.ts';
import { connectRedis, hashTagPrefix } from '../shared/platform/redis/redis.ts';
import type { WorkerServices } from './compose-workers.ts';
import { REGISTRY } from './job-registry.ts';
import { createDispatcher, startRelay } from './outbox/dispatcher.ts';
import { startReconciler } from './outbox/reconciler.ts';
import { indexEveryJob, indexRegistry, type Registry } from './runtime/job-handler.ts';
import { createLeases } from './runtime/leases.ts';
import { type ConsumeScope, consumeJob } from './runtime/run-job.ts';
import { startStatusProbes } from './scheduled/probe-status.ts';

/** How often a job whose worker died is handed on before the job is considered the cause. */
const MAX_STALLED_COUNT = 20;
/** The maximum lock time of a standing job whose worker died: others wait for the work it stands for. */
const STANDING_LOCK_MS = 5_000;
/** How long jobs that were told to end may take to give their rows back. */
const GIVE_BACK_MS = 3_000;

export interface WorkerProcess {
  /**
   * Stops accepting jobs and waits for the running ones, up to the configured time; jobs still running then are told to
   * end, and their rows are given back for others to take at once.
   */
  stop(): Promise<void>;
}

/**
 * Starts the worker side of one process: a consumer for each queue, a relay and a reconciler. A process that serves
 * `maintenance` also probes the service for its status page.
 */
export function startWorkers(
  runtime: WorkerServices,
  options: { queues?: readonly QueueName[]; registry?: Registry } = {},
): WorkerProcess {
  const { config, log } = runtime;
  const queues = options.queues ?? QUEUE_NAMES;
  const lifecycle = createJobLifecycle(runtime.db, runtime.clock, config.outboxLeaseMs);
  const stopping = createSharedAbort();
  const shutdown = createSharedAbort();

  const dispatcher = createDispatcher(runtime.queues, lifecycle);
  const lookup = options.registry ? indexRegistry(options.registry) : indexEveryJob(REGISTRY);
  const relay = startRelay(runtime, dispatcher);
  const listener = listenForWake(config.databaseDirectUrl, log, (topics) => {
    if (topics.includes(RELAY)) relay.wake();
    runtime.deliveryPool.wake(topics);
  });
  const leases = createLeases(lifecycle, { everyMs: config.outboxLeaseMs / 3, log });
  const signals = { stopping: stopping.signal, shutdown: shutdown.signal };
  const scope: ConsumeScope = { runtime, lifecycle, leases, lookup, ...signals };
  const consumers = queues.map((queue) => startConsumer(scope, queue));
  const reconciler = startReconciler(runtime, dispatcher, lookup.tasks);
  const probes = queues.includes('maintenance') ? startStatusProbes(runtime) : undefined;
  log.info({ queues }, 'workers: started');

  const stop = async () => {
    stopping.abort();
    const drained = Promise.all([
      listener.stop(),
      relay.stop(),
      reconciler.stop(),
      probes?.stop(),
      ...consumers.map((consumer) => consumer.drain()),
    ]);
    if (!(await within(config.shutdownMs, drained))) {
      log.warn('workers: giving running jobs back');
      shutdown.abort(new Error('the worker is stopping'));
      await within(GIVE_BACK_MS, drained);
    }
    for (const consumer of consumers) consumer.disconnect();
    log.info('workers: stopped');
  };
  let stopped: Promise<void> | undefined;
  return {
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function startConsumer(scope: ConsumeScope, queue: QueueName) {
  const { config, log } = scope.runtime;
  const lockMs = isStanding(queue)
    ? Math.min(config.jobLockMs, STANDING_LOCK_MS)
    : config.jobLockMs;
  const connection = connectRedis(config, 'worker', log);
  const running = new Map<string | undefined, Promise<unknown>>();
  const work = (job: Job): Promise<unknown> => {
    // BullMQ hands a job out again when this process was too slow to renew its lock. The job joins its own run: taking
    // it over would lose what the run has done, and on a slow machine no run would ever get to its end.
    const known = running.get(job.id);
    if (known) return known;
    const run = consumeJob(scope, queue, job).finally(() => running.delete(job.id));
    running.set(job.id, run);
    return run;
  };
  const worker = new Worker(queue, work, {
    connection,
    prefix: hashTagPrefix(config.redisPrefix, queue),
    concurrency: QUEUES[queue].concurrency(config),
    lockDuration: lockMs,
    // A dead worker's job is found at the first check after its lock expires.
    stalledInterval: Math.ceil(lockMs / 4),
    maxStalledCount: MAX_STALLED_COUNT,
    // Completed jobs per minute, for the queue dashboard.
    metrics: { maxDataPoints: MetricsTime.ONE_WEEK },
    ...KEPT_JOBS,
  });
  worker.on('error', (error) => {
    // The connection reports its own loss; other errors result from running jobs in a wiped Redis.
    if (connection.status === 'ready') log.warn({ err: error, queue }, 'worker');
  });
  return {
    async drain() {
      // A graceful close waits for Redis without limit; the rows of the jobs do not need it.
      const redisIsAway = connection.status !== 'ready';
      await worker.close(redisIsAway);
      await Promise.allSettled(running.values());
    },
    disconnect: () => connection.disconnect(),
  };
}

/** Returns whether `work` ended in time. @throws what it throws in time */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return (
    (await unlessLate(
      work.then(() => true),
      ms,
    )) === true
  );
}

/** Returns the queues of `--queues a,b`; all of them without the option. @throws Error naming an unknown one */
export function queuesOf(argv: readonly string[]): readonly QueueName[] {
  const { values } = parseArgs({ args: [...argv], options: { queues: { type: 'string' } } });
  if (values.queues === undefined) return QUEUE_NAMES;
  const names = values.queues.split(',').map((name) => name.trim());
  return names.map((name) => {
    if (isQueueName(name)) return name;
    throw new Error(`there is no queue "${name}"; the queues are ${QUEUE_NAMES.join(', ')}`);
  });
}

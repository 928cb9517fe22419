import { createJobLifecycle } from '../../shared/messaging/jobs/job-lifecycle.ts';
import { isStanding } from '../../shared/messaging/jobs/job-queues.ts';
import { DAY } from '../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../shared/settlement/statements/close-statement.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { REGISTRY, SCHEDULED_TASKS } from '../../workers/job-registry.ts';
import { indexEveryJob } from '../../workers/runtime/job-handler.ts';
import { createLeases } from '../../workers/runtime/leases.ts';
import { runJob } from '../../workers/runtime/run-job.ts';
import { countDailyFiguresTask, foldTalliesTask } from '../../workers/scheduled/derived-data.ts';
import type { Scene } from './scene.ts';
import { type Timing, timingOf } from './timer.ts';

/** Jobs per claim, as in the relay. */
const CLAIM = 1_000;
/** The maximum number of claims. */
const CLAIMS = 20;

/** Tasks that call external services, which are skipped, and the services. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'read-registry-messages': 'a registry',
  'await-transfer-requests': 'a registry',
  'check-registrations': 'a registry',
};

/**
 * Settles everything due for each seller: what was delivered at least two weeks ago. Returns the time for the first
 * seller, who has the most trade, with its number of settled orders as `calls`.
 */
export async function timeSettlement({ runtime, sellers, now }: Scene): Promise<Timing[]> {
  const settled = () =>
    runtime.db
      .knex('orders')
      .where({ partner_id: sellers[0]?.partnerId })
      .whereNotNull('settlement_id')
      .count('* as count')
      .first();
  const before = Number((await settled())?.count);
  const times: number[] = [];
  for (const { partnerId } of sellers) {
    const began = performance.now();
    await closePartnerPeriods(runtime, { partnerId, environment: 'LIVE', until: now });
    times.push(performance.now() - began);
  }
  const orders = Number((await settled())?.count) - before;
  return [{ ...timingOf('work', 'close-periods-of-largest', times.slice(0, 1)), calls: orders }];
}

/** Runs the jobs that the calls left in the outbox, one after the other. */
export async function timeJobs(runtime: TestRuntime): Promise<Timing[]> {
  const lifecycle = createJobLifecycle(runtime.db, runtime.clock, runtime.config.outboxLeaseMs);
  const leases = createLeases(lifecycle, {
    everyMs: runtime.config.outboxLeaseMs / 3,
    log: runtime.log,
  });
  const { signal: never } = new AbortController();
  const scope = { runtime, lifecycle, leases, stopping: never, shutdown: never };
  const lookup = indexEveryJob(REGISTRY);
  const times = new Map<string, number[]>();
  const note = (name: string, began: number) =>
    times.set(name, [...(times.get(name) ?? []), performance.now() - began]);
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    const asked = performance.now();
    const jobs = await lifecycle.claimDue(CLAIM);
    note('claim of the relay', asked);
    if (jobs.length === 0) break;
    for (const { id, epoch, queue, name } of jobs) {
      // These run until nothing more is due, so they aren't timed.
      if (isStanding(queue)) continue;
      const handler = lookup.job(queue, name);
      if (!handler) throw new Error(`no handler does ${queue}/${name}`);
      const began = performance.now();
      await runJob(scope, handler, { outboxId: id, epoch });
      note(name, began);
    }
  }
  return [...times].map(([name, each]) => timingOf('job', name, each));
}

/** Brings data that is derived by the minute or day up to date, as if the marketplace had been running all along. */
export async function catchUp(runtime: TestRuntime): Promise<void> {
  const { signal } = new AbortController();
  for (const task of [countDailyFiguresTask, foldTalliesTask]) await task.run({ runtime, signal });
}

/** Tasks that fail here: the service didn't write the history, so the books aren't as it keeps them. */
const FAILING = new Set(['check-ledger', 'check-whole-ledger']);

/** Runs every scheduled task once, a day later, so that sweeps find what has become due in a day. */
export async function timeTasks(runtime: TestRuntime, failures: string[]): Promise<Timing[]> {
  runtime.clock.advance(DAY);
  const timings: Timing[] = [];
  for (const task of SCHEDULED_TASKS) {
    if (task.name in OUTSIDE) continue;
    const signal = AbortSignal.timeout(task.deadlineMs);
    const began = performance.now();
    await task.run({ runtime, signal }).catch((error: Error) => {
      if (!FAILING.has(task.name)) failures.push(`task ${task.name}: ${error.message}`);
    });
    timings.push(timingOf('task', task.name, [performance.now() - began]));
  }
  return timings;
}

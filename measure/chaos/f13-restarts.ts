import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkJob } from '../../shared/domains/bulk/bulk-job.ts';
import { finished, givenBulkJob, givenOwnerOf } from '../../test/support/bulk.ts';
import { WEBHOOK_SECRET } from '../../test/support/running-service.ts';
import { startTcpProxy } from '../../test/support/tcp-proxy.ts';
import { type Market, withMarket } from './market.ts';
import type { Member } from './member.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** Delay in each direction of requests to the receiver, so that one is always under way. */
const SLOW_MS = 80;
/**
 * How long a process drains, as in production. A process that is still there 5 s later exits with 1, so exit code 0
 * means it was in time, however slow the machine is. EXIT_MS catches one that never exits.
 */
const SHUTDOWN_MS = 20_000;
const EXIT_MS = SHUTDOWN_MS + 30_000;

/**
 * Locks and leases as long as in production. A clean exit releases them, so none needs to expire. Short ones would
 * expire while a process waits for CPU on a busy machine, and BullMQ would consider its jobs stalled.
 */
const ENV = {
  bulkChunkSize: 50,
  SHUTDOWN_MS: String(SHUTDOWN_MS),
  jobLockMs: 10_000,
  outboxLeaseMs: 60_000,
};

export const restarts: FaultRun = {
  id: 'F13',
  title: 'Every process is restarted in turn under deliveries and a bulk operation',
  run: (trial) =>
    withMarket(trial, { apis: 2, env: ENV }, async (market) => {
      const slow = await startTcpProxy(market.receiver.url);
      slow.delayMs = () => SLOW_MS;
      try {
        await restartUnderLoad(trial, market, slow.url);
      } finally {
        await slow.close();
      }
    }),
};

async function restartUnderLoad(trial: Trial, market: Market, url: string): Promise<void> {
  const { runtime } = market;
  const orders = trial.amount({ short: 20, normal: 200, long: 2_000 });
  const domains = trial.amount({ short: 300, normal: 1_000, long: 1_000 });
  const rounds = trial.amount({ short: 1, normal: 5, long: 25 });
  const body = { url, secret: WEBHOOK_SECRET };
  await market.ask((client) => client.put('/webhooks', { body }));
  const owner = await givenOwnerOf(runtime, domains);
  const job = await givenBulkJob(runtime, owner, { op: 'renew', params: { years: 1 } });
  const roll = async () => {
    let longest = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const member of [...market.workers, ...market.apis]) {
        await sleep(trial.random.between(200, 1_200));
        longest = Math.max(longest, await restart(trial, member));
      }
    }
    trial.note(`the slowest exit took ${(longest / 1_000).toFixed(1)} s`);
  };
  await Promise.all([roll(), market.sellAll(orders)]);
  const since = performance.now();
  await expectBulkOnce(trial, market, job, owner.domains);
  trial.note(`the bulk was done after ${((performance.now() - since) / 1_000).toFixed(1)} s more`);
  await verifyMarket(market, since);
  const failed = await Promise.all(runtime.queues.all().map((queue) => queue.getFailed()));
  const stalled = failed.flat().filter(({ failedReason }) => failedReason?.includes('stalled'));
  trial.expect(stalled.length === 0, `${stalled.length} jobs failed as stalled`);
  await leaveInSilence(trial, market);
}

/** Stops processes whose Postgres or Redis connections are silently dead; they must exit all the same. */
async function leaveInSilence(trial: Trial, { apis, workers }: Market): Promise<void> {
  const leaving = [...workers, ...apis].map(async (member, at) => {
    const line = at % 2 === 0 ? 'postgres' : 'redis';
    member[line].freeze();
    const began = performance.now();
    const code = await Promise.race([member.stop(), sleep(EXIT_MS, 'late' as const)]);
    const ms = Math.round(performance.now() - began);
    trial.expect(code !== 'late', `with a silent ${line} it had not left after ${ms} ms`);
    trial.note(`silent ${line} ${code} after ${ms} ms`);
  });
  await Promise.all(leaving);
}

/** Stops a process with SIGTERM, and starts a new one and waits for it. Returns how long the old one took to exit. */
async function restart(trial: Trial, member: Member): Promise<number> {
  const began = performance.now();
  const code = await member.stop();
  const ms = performance.now() - began;
  trial.expect(code === 0 && ms < EXIT_MS, `it left with ${code} after ${Math.round(ms)} ms`);
  member.start();
  await member.untilUp();
  return ms;
}

async function expectBulkOnce(
  trial: Trial,
  { runtime }: Market,
  job: BulkJob,
  domains: readonly string[],
): Promise<void> {
  const { status, succeeded } = await finished(runtime, job, 300_000);
  trial.expect(
    status === 'completed' && succeeded === domains.length,
    `the bulk is ${status} with ${succeeded} of ${domains.length}`,
  );
  const changed: string[] = await runtime.db
    .knex('sandbox_registrar_effects')
    .where('client_reference', 'like', `${job.id}:%`)
    .pluck('domain');
  const once = changed.length === domains.length && new Set(changed).size === domains.length;
  trial.expect(once, `the registrar changed ${changed.length} of ${domains.length} domains`);
}

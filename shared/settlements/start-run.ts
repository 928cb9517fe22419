import { enqueue } from '../outbox/enqueue.ts';
import { SETTLEMENT_PERIODS } from '../partners/partner.ts';
import type { Config } from '../platform/config.ts';
import type { Sql, Tx } from '../platform/db.ts';
import type { Runtime } from '../runtime.ts';
import { ENDED_PERIODS, runCutoff } from './periods.ts';
import { closePartnerJob } from './settlement.jobs.ts';
import { settlementDelayMs } from './settlement.ts';
import * as store from './settlement-run.store.ts';
import type { SettlementRun } from './settlement-run.ts';

/**
 * Starts a run: one job for every partner that it has work for, in one transaction with `finish`. A run
 * that was started before is left alone; one without work is completed at once.
 */
export async function startSettlementRun(
  { db, clock, config }: Pick<Runtime, 'db' | 'clock' | 'config'>,
  runId: string,
  finish: (tx: Tx) => Promise<void>,
): Promise<void> {
  await db.transact(async (tx) => {
    const run = await store.lockRun(tx, runId);
    if (run?.status === 'queued') {
      const now = clock.now();
      const partners = await partnersWithWork(tx, config, run);
      if (partners.length === 0) await store.updateRunStatus(tx, runId, 'completed', now);
      else {
        await store.insertRunPartners(tx, runId, partners);
        await store.updateRunStatus(tx, runId, 'running', null);
        const jobs = partners.map((partnerId) => closePartnerJob({ runId, partnerId }, now));
        await enqueue(tx, jobs, now);
      }
    }
    await finish(tx);
  });
}

/** The partners for whom a run would find something to close. */
export async function partnersWithWork(
  sql: Sql,
  config: Config,
  run: Pick<SettlementRun, 'environment' | 'partnerId' | 'period' | 'until'>,
): Promise<string[]> {
  const cuts = SETTLEMENT_PERIODS.map((kind) => [kind, runCutoff(run, kind)]);
  return store.findPartnersWithWork(sql, {
    environment: run.environment,
    partnerId: run.partnerId,
    cuts: Object.fromEntries(cuts) as store.PeriodCutoffs,
    delayMs: settlementDelayMs(config, run.environment),
    skipClosed: run.period === ENDED_PERIODS,
  });
}

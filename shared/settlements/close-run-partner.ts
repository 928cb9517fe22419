import type { Tx } from '../platform/db.ts';
import type { Runtime } from '../runtime.ts';
import { closePartnerPeriodsUpTo } from './close-period.ts';
import { runCutoff } from './periods.ts';
import { findSettlementPeriod } from './settlement.store.ts';
import * as store from './settlement-run.store.ts';

/**
 * Closes what a run covers for one partner and notes the statements in the run; the last partner
 * completes it, in one transaction with `finish`. May be stopped anywhere and started again.
 */
export async function closePartnerInRun(
  scope: Pick<Runtime, 'db' | 'clock' | 'config'>,
  part: { runId: string; partnerId: string },
  hooks: { betweenBatches: () => void; finish: (tx: Tx) => Promise<void> },
): Promise<void> {
  const { db, clock } = scope;
  const run = await store.findRun(db.knex, part.runId);
  const kind = await findSettlementPeriod(db.knex, part.partnerId);
  if (run && kind) {
    const { partnerId } = part;
    await closePartnerPeriodsUpTo(
      scope,
      { partnerId, environment: run.environment, until: runCutoff(run, kind) },
      {
        betweenBatches: hooks.betweenBatches,
        onClosed: (tx, settlementId) => store.addRunStatement(tx, part, settlementId),
      },
    );
  }
  await db.transact(async (tx) => {
    // The run's row is locked first: of two partners that end at once, the second sees the first.
    await store.lockRun(tx, part.runId);
    await store.finishRunPartner(tx, part);
    if (!(await store.hasQueuedPartners(tx, part.runId))) {
      await store.updateRunStatus(tx, part.runId, 'completed', clock.now());
    }
    await hooks.finish(tx);
  });
}

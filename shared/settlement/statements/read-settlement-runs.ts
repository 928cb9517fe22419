import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { Environment } from '../../platform/config/config.ts';
import { fail } from '../../platform/errors.ts';
import { countOpenRuns, findRun, findRunPartners } from './settlement-run.store.ts';
import type { SettlementRun, Statement } from './statement.ts';
import { findStatementsById } from './statement-read.store.ts';

export interface SettlementRunDetail extends SettlementRun {
  partners: { partnerId: string; state: 'queued' | 'done'; statements: Statement[] }[];
}

/** A run with the statements that it closed so far, by partner. @throws not_found */
export async function readSettlementRun(
  { db }: { db: Database },
  runId: string,
): Promise<SettlementRunDetail> {
  const run = await findRun(db.knex, runId);
  if (!run) throw fail('not_found', { message: 'No settlement run has this id.' });
  const parts = await findRunPartners(db.knex, runId);
  const statements = await findStatementsById(
    db.knex,
    parts.flatMap((part) => part.settlementIds),
  );
  const byPartner = new Map<string, Statement[]>();
  for (const statement of statements) {
    const others = byPartner.get(statement.partnerId) ?? [];
    byPartner.set(statement.partnerId, [...others, statement]);
  }
  return {
    ...run,
    partners: parts.map(({ partnerId, state }) => ({
      partnerId,
      state,
      statements: byPartner.get(partnerId) ?? [],
    })),
  };
}

export interface OpenSettlementRuns {
  environment: Environment;
  count: number;
  oldest: Date | null;
}

/** Settlement runs that have not ended, by environment. */
export function countOpenSettlementRuns({ db }: { db: Database }): Promise<OpenSettlementRuns[]> {
  return db.readForMonitoring(countOpenRuns);
}

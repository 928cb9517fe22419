import type { Database } from '../../messaging/unit-of-work/database.ts';
import { fail } from '../../platform/errors.ts';
import {
  countOpenRuns,
  type OpenSettlementRuns,
  selectRun,
  selectRunPartners,
} from './settlement-run.store.ts';
import type { SettlementRun, Statement } from './statement.ts';
import { selectStatementsById } from './statement-read.store.ts';

export type { OpenSettlementRuns };

export interface SettlementRunDetail extends SettlementRun {
  partners: { partnerId: string; state: 'queued' | 'done'; statements: Statement[] }[];
}

/** A run with the statements that it closed so far, by partner. @throws not_found */
export async function readSettlementRun(
  { db }: { db: Database },
  runId: string,
): Promise<SettlementRunDetail> {
  const run = await selectRun.first(db.knex, { id: runId });
  if (!run) throw fail('not_found', { message: 'No settlement run has this id.' });
  const parts = await selectRunPartners.all(db.knex, { runId });
  const statements = await selectStatementsById.all(db.knex, {
    ids: parts.flatMap((part) => part.settlementIds),
  });
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

/** Settlement runs that have not ended, by environment. */
export function countOpenSettlementRuns({ db }: { db: Database }): Promise<OpenSettlementRuns[]> {
  return db.readForMonitoring((sql) => countOpenRuns.all(sql));
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import { fail } from '../../platform/errors.ts';
import { type Page, readPage } from '../../platform/page.ts';
import {
  countOpenRuns,
  type OpenSettlementRuns,
  type RunPartnerRow,
  selectRun,
  selectRunPartners,
} from './settlement-run.store.ts';
import type { SettlementRun, Statement } from './statement.ts';
import { selectStatementsById } from './statement-read.store.ts';

export type { OpenSettlementRuns };

/** A run's results for a partner so far. */
export interface RunPartner {
  partnerId: string;
  state: 'queued' | 'done';
  statements: Statement[];
}

/** A run with a page of its results by partner. */
export interface SettlementRunPage extends Page<RunPartner> {
  run: SettlementRun;
}

/** Returns a run and its progress. @throws not_found */
export async function readSettlementRun(
  { db }: { db: Database },
  id: string,
): Promise<SettlementRun> {
  const run = await selectRun.first(db.knex, { id });
  if (!run) throw fail('not_found', { message: 'No settlement run has this ID.' });
  return run;
}

/** Returns a page of a run's partners, after the last one of the previous page. @throws not_found */
export async function readSettlementRunPage(
  { db }: { db: Database },
  runId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<SettlementRunPage> {
  const run = await readSettlementRun({ db }, runId);
  const { rows, next } = await readPage(
    limit,
    (rows) => selectRunPartners.all(db.knex, { runId, after: after ?? '', limit: rows }),
    ({ partnerId }) => partnerId,
  );
  return { run, rows: await withStatements(db, rows), next };
}

async function withStatements(
  db: Database,
  parts: readonly RunPartnerRow[],
): Promise<RunPartner[]> {
  const statements = await selectStatementsById.all(db.knex, {
    ids: parts.flatMap(({ settlementIds }) => settlementIds),
  });
  const byPartner = new Map<string, Statement[]>(parts.map(({ partnerId }) => [partnerId, []]));
  for (const statement of statements) byPartner.get(statement.partnerId)?.push(statement);
  return parts.map(({ partnerId, state }) => ({
    partnerId,
    state,
    statements: byPartner.get(partnerId) ?? [],
  }));
}

/** Counts unfinished settlement runs by environment. */
export function countOpenSettlementRuns({ db }: { db: Database }): Promise<OpenSettlementRuns[]> {
  return db.readForMonitoring((sql) => countOpenRuns.all(sql));
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import {
  idOf,
  type ListPage,
  type Page,
  readPage,
  type TimePosition,
  timeOf,
} from '../../platform/page.ts';
import * as store from './brokerage-case.store.ts';
import { type BrokerageCase, type CaseOwner, caseNotFound } from './brokerage-case.ts';

export type { CaseDetail } from './brokerage-case.store.ts';

/** Returns a partner's case with its timeline. @throws not_found, also for another partner's case */
export async function getCase(
  { db }: { db: Database },
  owner: CaseOwner,
  id: string,
): Promise<store.CaseDetail> {
  const detail = await store.readCase(db.knex, owner, id);
  if (!detail) throw caseNotFound();
  return detail;
}

/** Returns a case of any partner, for operators and for the holder of its signed link. @throws not_found */
export async function getCaseById({ db }: { db: Database }, id: string): Promise<store.CaseDetail> {
  const detail = await store.readCase(db.knex, null, id);
  if (!detail) throw caseNotFound();
  return detail;
}

/** Lists a page of a partner's cases, newest first. */
export function listCases(
  { db }: { db: Database },
  owner: CaseOwner,
  filter: store.CaseFilter,
): Promise<Page<BrokerageCase, TimePosition>> {
  const read = (limit: number) => store.readCases(db.knex, owner, { ...filter, limit });
  return readPage(filter.limit, read, timeOf);
}

/** Lists the cases of all partners with one status, or all open cases if the status is null. */
export function listCasesForOps(
  { db }: { db: Database },
  filter: store.OpsCaseFilter,
  page: ListPage,
): Promise<Page<BrokerageCase>> {
  const read = (limit: number) => store.readCasesForOps(db.knex, filter, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

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

/** A partner's case with its timeline. @throws not_found, also for another partner's case */
export async function getCase(
  { db }: { db: Database },
  owner: CaseOwner,
  id: string,
): Promise<store.CaseDetail> {
  const detail = await store.readCase(db.knex, owner, id);
  if (!detail) throw caseNotFound();
  return detail;
}

/** A case of any partner, for operators and for the holder of its signed link. @throws not_found */
export async function getCaseById({ db }: { db: Database }, id: string): Promise<store.CaseDetail> {
  const detail = await store.readCase(db.knex, null, id);
  if (!detail) throw caseNotFound();
  return detail;
}

/** A page of a partner's cases, newest first. */
export function listCases(
  { db }: { db: Database },
  owner: CaseOwner,
  filter: store.CaseFilter,
): Promise<Page<BrokerageCase, TimePosition>> {
  const read = (limit: number) => store.readCases(db.knex, owner, { ...filter, limit });
  return readPage(filter.limit, read, timeOf);
}

/** The cases of all partners in one status, or without one all that are open. */
export function listCasesForOps(
  { db }: { db: Database },
  filter: store.OpsCaseFilter,
  page: ListPage,
): Promise<Page<BrokerageCase>> {
  const read = (limit: number) => store.readCasesForOps(db.knex, filter, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { beginningWith, idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { type ConsoleTransferOut, selectTransfersOut } from './console-transfers-out.store.ts';
import type { TransferOutStatus } from './transfer-out.ts';

/** Lists transfers to other registrars; the page's period is of the first code request. */
export function listTransfersOut(
  { db }: { db: Database },
  filter: { status: TransferOutStatus | null; userId: string | null; beginning: string | null },
  page: ListPage,
): Promise<Page<ConsoleTransferOut>> {
  const given = { ...filter, beginning: beginningWith(filter.beginning) };
  const read = (limit: number) =>
    selectTransfersOut[page.sort].all(db.knex, { ...given, ...idPage('transferOut', page, limit) });
  return readPage(page.limit, read, idOf);
}

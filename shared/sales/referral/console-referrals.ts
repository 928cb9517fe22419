import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Environment } from '../../platform/config/config.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import type { CommissionType } from './commission.ts';
import * as store from './console-referrals.store.ts';

type Deps = { db: Database };

/** Lists the referred sales of all affiliates. */
export function listAllReferredSales(
  { db }: Deps,
  filter: { state: CommissionType | null; environment: Environment | null },
  page: ListPage,
): Promise<Page<store.ConsoleReferredSale>> {
  const read = (limit: number) =>
    store.selectReferredSales[page.sort].all(db.knex, {
      ...filter,
      ...idPage('order', page, limit),
    });
  return readPage(page.limit, read, ({ orderId }) => orderId);
}

/** Lists the referral links of all affiliates. */
export function listAllReferralLinks(
  { db }: Deps,
  environment: Environment | null,
  page: ListPage,
): Promise<Page<store.ConsoleReferralLink>> {
  const read = (limit: number) =>
    store.selectReferralLinks[page.sort].all(db.knex, {
      environment,
      ...idPage('referralLink', page, limit),
    });
  return readPage(page.limit, read, idOf);
}

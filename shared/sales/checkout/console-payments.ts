import type { Database } from '../../messaging/unit-of-work/database.ts';
import { PAYMENT_STATUSES, type PaymentStatus } from '../../money/payments/payment.ts';
import type { Environment } from '../../platform/config/config.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import * as store from './console-payments.store.ts';

/** Lists the payments of all partners' checkouts and all owners' renewals. */
export function listAllPayments(
  { db }: { db: Database },
  { status, environment }: { status: PaymentStatus | null; environment: Environment | null },
  page: ListPage,
): Promise<Page<store.ConsolePayment>> {
  const which = status === null && environment === null ? 'all' : 'some';
  const filter: { statuses: readonly PaymentStatus[]; environments: readonly Environment[] } = {
    statuses: status === null ? PAYMENT_STATUSES : [status],
    environments: environment === null ? ['LIVE', 'SANDBOX'] : [environment],
  };
  const read = (limit: number) =>
    store.selectPayments[which][page.sort].all(db.knex, {
      ...filter,
      ...idPage('payment', page, limit),
    });
  return readPage(page.limit, read, idOf);
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { PaymentStatus } from '../../money/payments/payment.ts';
import type { Environment } from '../../platform/config/config.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import * as store from './console-payments.store.ts';

/** Payments of all partners' checkouts and of all owners' renewals. */
export function listAllPayments(
  { db }: { db: Database },
  filter: { status: PaymentStatus | null; environment: Environment | null },
  page: ListPage,
): Promise<Page<store.ConsolePayment>> {
  const read = (limit: number) =>
    store.selectPayments[page.sort].all(db.knex, { ...filter, ...idPage('payment', page, limit) });
  return readPage(page.limit, read, idOf);
}

import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { BulkJobStatus } from '../../domains/bulk/bulk-job.ts';
import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { PaymentStatus } from '../../money/payments/payment.ts';
import type { Environment } from '../../platform/config/config.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import type { CommissionType } from '../../sales/referral/commission.ts';
import * as store from './console-lists.store.ts';

export { LISTING_SORTS } from './console-lists.store.ts';

type Deps = { db: Database };
export type DomainSort = (typeof store.LISTING_SORTS)[number];

const domainOf = ({ domain }: { domain: string }) => domain;

/** A pattern for LIKE of what begins with this text. */
function beginningWith(text: string | null): string {
  return `${(text ?? '').toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}

/** Listings of an inventory by name; `beginning` of the A-label. */
export function listListings(
  { db }: Deps,
  filter: { environment: Environment; status: ListingStatus | null; beginning: string | null },
  { sort, ...page }: ListPage<DomainSort>,
): Promise<Page<store.ConsoleListing>> {
  const given = { ...filter, ...page, beginning: beginningWith(filter.beginning) };
  const read = (limit: number) => store.selectListings[sort].all(db.knex, { ...given, limit });
  return readPage(page.limit, read, domainOf);
}

/** Domains of all owners or of one, by name; the stretch of time is of their expiry. */
export function listAllOwnedDomains(
  { db }: Deps,
  filter: { userId: string | null; beginning: string | null },
  { sort, ...page }: ListPage<DomainSort>,
): Promise<Page<store.ConsoleOwnedDomain>> {
  const given = { ...filter, ...page, beginning: beginningWith(filter.beginning) };
  const read = (limit: number) => store.selectOwnedDomains[sort].all(db.knex, { ...given, limit });
  return readPage(page.limit, read, domainOf);
}

/** Bulk jobs of all owners, or of one. */
export function listBulkJobs(
  { db }: Deps,
  filter: { status: BulkJobStatus | null; userId: string | null },
  page: ListPage,
): Promise<Page<store.ConsoleBulkJob>> {
  const read = (limit: number) =>
    store.selectBulkJobs[page.sort].all(db.knex, { ...filter, ...idPage('bulkJob', page, limit) });
  return readPage(page.limit, read, idOf);
}

/** A bulk job of any owner. @throws not_found */
export async function readBulkJobForOps({ db }: Deps, id: string): Promise<store.ConsoleBulkJob> {
  const job = await store.selectBulkJob.first(db.knex, { id });
  if (!job) throw fail('not_found', { message: 'No bulk job has this id.' });
  return job;
}

/** The domains of a bulk job in their order, after the one at a position. */
export function listBulkItemsForOps(
  { db }: Deps,
  jobId: string,
  page: { after: number | null; limit: number },
): Promise<Page<store.ConsoleBulkItem, number>> {
  const { after } = page;
  const read = (limit: number) => store.selectBulkItems.all(db.knex, { jobId, after, limit });
  return readPage(page.limit, read, ({ position }) => position);
}

/** Payments of all partners' checkouts. */
export function listAllPayments(
  { db }: Deps,
  filter: { status: PaymentStatus | null; environment: Environment | null },
  page: ListPage,
): Promise<Page<store.ConsolePayment>> {
  const read = (limit: number) =>
    store.selectPayments[page.sort].all(db.knex, { ...filter, ...idPage('payment', page, limit) });
  return readPage(page.limit, read, idOf);
}

/** Sales that affiliates referred. */
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

/** Referral links of all affiliates. */
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

import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Caller } from '../../people/partners/credential.ts';
import type { Clock } from '../../platform/clock.ts';
import { DAY } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import * as store from './affiliate-report.store.ts';
import type { CommissionLine } from './commission.ts';
import { type LinkFilter, type LinkStats, selectLinkStats } from './referral-link.store.ts';
import { assertAffiliate } from './referral-link.ts';

export type {
  ClickPeriod,
  FunnelPeriod,
  SaleRow,
} from './affiliate-report.store.ts';
export { INTERVALS } from './affiliate-report.store.ts';
export type { LinkStats } from './referral-link.store.ts';

/** The position of a sale in its list. */
export type SalePosition = Pick<store.SaleRow, 'soldAt' | 'orderId'>;

type Reader = { db: Database };

/** Returns the caller's clicks by interval, of one or all links, oldest first. @throws forbidden (not an affiliate) */
export async function readClicks(
  { db }: Reader,
  caller: Caller,
  {
    linkId = null,
    ...query
  }: store.DateRange & { interval: store.Interval; linkId?: string | null },
): Promise<store.ClickPeriod[]> {
  assertAffiliate(caller);
  const { partnerId, environment } = caller;
  const wanted = { ...query, linkId, partnerId, environment };
  return db.read((sql) => store.selectClicks.all(sql, wanted));
}

/** Lists a page of the caller's referred sales, newest first. @throws forbidden */
export async function listReferredSales(
  { db }: Reader,
  caller: Caller,
  filter: store.SaleFilter,
): Promise<Page<store.SaleRow, SalePosition>> {
  assertAffiliate(caller);
  const read = (limit: number) =>
    db.read((sql) => store.readSales(sql, caller, { ...filter, limit }));
  return readPage(filter.limit, read, ({ soldAt, orderId }) => ({ soldAt, orderId }));
}

/** Lists a page of the caller's commission history, newest first. @throws forbidden */
export async function listCommissionLines(
  { db }: Reader,
  caller: Caller,
  filter: store.LineFilter,
): Promise<Page<CommissionLine, number>> {
  assertAffiliate(caller);
  const read = (limit: number) =>
    db.read((sql) => store.readLines(sql, caller, { ...filter, limit }));
  return readPage(filter.limit, read, ({ position }) => position);
}

/** The range of the funnel if none is requested. */
const DEFAULT_RANGE_MS = 30 * DAY;

/** Returns the caller's funnel: the range that was read, and its intervals, oldest first. @throws forbidden */
export async function readFunnel(
  { db, clock }: { db: Database; clock: Clock },
  caller: Caller,
  query: store.DateRange & { interval: store.Interval; currency: string },
): Promise<{ from: Date; to: Date; series: store.FunnelPeriod[] }> {
  assertAffiliate(caller);
  const now = clock.now();
  const to = query.to ?? (query.from !== null && query.from > now ? query.from : now);
  const from = query.from ?? new Date(Math.max(0, to.getTime() - DEFAULT_RANGE_MS));
  const { partnerId, environment } = caller;
  const series = await db.read((sql) =>
    store.selectFunnel.all(sql, { ...query, from, to, partnerId, environment }),
  );
  return { from, to, series };
}

/** Lists a page of the caller's links with their statistics, newest first. @throws forbidden */
export async function listLinks(
  { db }: { db: Database },
  caller: Caller,
  filter: LinkFilter,
): Promise<Page<LinkStats>> {
  assertAffiliate(caller);
  const { partnerId, environment } = caller;
  const read = (limit: number) =>
    selectLinkStats.all(db.knex, { ...filter, linkId: null, limit, partnerId, environment });
  return readPage(filter.limit, read, idOf);
}

/** Returns one of the caller's links with its statistics. @throws forbidden, not_found */
export async function readLink(
  { db }: { db: Database },
  caller: Caller,
  linkId: string,
): Promise<LinkStats> {
  assertAffiliate(caller);
  const { partnerId, environment } = caller;
  const any = { kind: null, subId: null, before: null, limit: 1 };
  const wanted = { ...any, linkId, partnerId, environment };
  const found = await selectLinkStats.first(db.knex, wanted);
  if (!found) throw fail('not_found', { message: 'No referral link of yours has this ID.' });
  return found;
}

/** Masks `jane@example.com` as `j***@e***.com`: enough to recognize a customer, without revealing the address. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  const suffix = dot > 0 ? domain.slice(dot) : '';
  return `${firstOf(email.slice(0, Math.max(at, 0)))}***@${firstOf(domain)}***${suffix}`;
}

function firstOf(text: string): string {
  return [...text][0] ?? '';
}

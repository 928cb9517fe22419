import type { DocumentSummary, IssuedDocument } from '../../messaging/documents/document.ts';
import { findDocument, listDocuments } from '../../messaging/documents/read-documents.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Payment } from '../../money/payments/payment.ts';
import { findRenewalPayment } from '../../money/payments/payment-lifecycle.ts';
import { findLostDispute } from '../../money/payments/record-dispute.ts';
import type { Clock } from '../../platform/clock.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { BUYER_DOCUMENTS } from '../orders/buyer-documents.ts';
import { findOwnRenewal } from './pay-renewal.ts';
import { readRenewalsOf, selectLastPayer, updateExpired } from './renewal.store.ts';
import { type Renewal, statusAt } from './renewal.ts';
import { RENEWAL_OWNER } from './renewal-documents.ts';
import { findProgress, type UndoneRenewal } from './undone-renewals.ts';

type Deps = { db: Database; clock: Clock };

/** A renewal with everything that its page shows. */
export interface RenewalForPage {
  /** The renewal with its current status. */
  renewal: Renewal;
  /** The payment that did not fail, if any: in progress, succeeded or refunded. */
  payment: Payment | undefined;
  /** The progress while the renewal is paid and not done. */
  progress: UndoneRenewal['state'] | undefined;
  /** Whether the bank has returned the payment after a dispute. */
  returnedByBank: boolean;
  documents: readonly DocumentSummary[];
}

/** Returns a user's renewal for its page. @throws not_found */
export async function readRenewalForPage(
  { db, clock }: Deps,
  userId: string,
  id: string,
): Promise<RenewalForPage> {
  const found = await findOwnRenewal({ db }, userId, id);
  const payment = await findRenewalPayment(db.knex, id);
  const documents = await listDocuments(db.knex, RENEWAL_OWNER, id);
  // A payment that began in time may end after the renewal's expiry.
  const status = payment ? found.status : statusAt(found, clock.now());
  const progress = status === 'paid' ? await findProgress({ db }, id) : undefined;
  const returnedByBank =
    payment?.status === 'refunded' &&
    (await findLostDispute(db.knex, { paymentId: payment.id })) !== undefined;
  return { renewal: { ...found, status }, payment, progress, returnedByBank, documents };
}

/** Returns a document of a user's renewal; undefined if not issued. @throws not_found for another user's renewal */
export async function findRenewalDocument(
  { db }: Pick<Deps, 'db'>,
  userId: string,
  id: string,
  kind: string,
): Promise<IssuedDocument | undefined> {
  const renewal = await findOwnRenewal({ db }, userId, id);
  const known = BUYER_DOCUMENTS.find((each) => each === kind);
  return known && findDocument(db.knex, RENEWAL_OWNER, { kind: known, subject: renewal.id });
}

/** Lists the renewals that a user has paid or has begun to pay. */
export function listRenewals(
  { db, clock }: Deps,
  userId: string,
  page: ListPage,
): Promise<Page<Renewal>> {
  const now = clock.now();
  const read = async (limit: number) => {
    const ofUser = { userId, ...idPage('renewal', page, limit) };
    const renewals = await readRenewalsOf(db.knex, page.sort, ofUser);
    return renewals.map((each) => ({ ...each, status: statusAt(each, now) }));
  };
  return readPage(page.limit, read, idOf);
}

/** Returns the payer of a user's last renewal, to prefill the form. */
export async function findLastPayer({ db }: Pick<Deps, 'db'>, userId: string) {
  const last = await selectLastPayer.first(db.knex, { userId });
  return { name: last?.name ?? '', country: last?.country ?? '' };
}

/** Marks up to `limit` renewals whose price has expired, and returns how many. */
export function expireRenewals({ db, clock }: Deps, limit: number): Promise<number> {
  return updateExpired.run(db.knex, { now: clock.now(), limit });
}

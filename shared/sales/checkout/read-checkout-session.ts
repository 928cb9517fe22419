import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { DocumentSummary } from '../../messaging/documents/document.ts';
import { listDocuments } from '../../messaging/documents/read-documents.ts';
import { type Brand, readBrand } from '../../messaging/mail/mail-settings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { inTimeOf } from '../../messaging/unit-of-work/partner-time.ts';
import type { Payment } from '../../money/payments/payment.ts';
import { findSessionPayment } from '../../money/payments/payment-lifecycle.ts';
import { type Clock, realNow } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import { type Page, readPage, type TimePosition, timeOf } from '../../platform/page.ts';
import type { OrderAction } from '../orders/order.ts';
import { getOrderById } from '../orders/read-orders.ts';
import { laterClick } from '../referral/click-cookie.ts';
import {
  readSessions,
  readWithListing,
  type SessionFilter,
  type SessionWithListing,
  updateReferral,
} from './checkout-session.store.ts';
import {
  type CheckoutSession,
  priceInForce,
  type SessionOwner,
  statusAt,
} from './checkout-session.ts';

/**
 * Returns a partner's session with its current status and price.
 * @throws not_found for a session that is not this partner's
 */
export async function readSession(
  { db, clock }: { db: Database; clock: Clock },
  owner: SessionOwner,
  id: string,
): Promise<CheckoutSession> {
  const found = await readWithListing(db.knex, id, owner, realNow(clock));
  if (!found) throw fail('not_found', { message: 'No checkout session of yours has this ID.' });
  return asOf(found, await findSessionPayment(db.knex, id), clock.now());
}

/** Lists a page of a partner's sessions, newest first, with their current statuses. */
export function listSessions(
  { db, clock }: { db: Database; clock: Clock },
  owner: SessionOwner,
  filter: SessionFilter,
): Promise<Page<CheckoutSession, TimePosition>> {
  const now = clock.now();
  const read = async (limit: number) => {
    const sessions = await readSessions(db.knex, owner, { ...filter, limit }, now);
    return sessions.map((session) => ({ ...session, status: statusAt(session, now) }));
  };
  return readPage(filter.limit, read, timeOf);
}

/** A session with everything that its page shows. */
export interface SessionForPage extends Omit<SessionWithListing, 'session'> {
  /** The session with its current status and price. */
  session: CheckoutSession;
  /** The payment that did not fail, if any: in progress, succeeded or refunded. */
  payment: Payment | undefined;
  /** The partner's current time. Its sandbox may be ahead of real time. */
  now: Date;
  /** How the partner appears to its buyers; `partnerName` is the name that they know. */
  brand: Brand;
  /** What the order of a paid session is waiting for. */
  actionRequired: OrderAction | null;
  /** Whether the order is in review before its domain is transferred. */
  orderInReview: boolean;
  /** The buyer's documents, once the session is paid. */
  documents: readonly DocumentSummary[];
}

/**
 * Returns a session for its page, and stores the click from the buyer's browser if it is the buyer's last one. The
 * caller must have verified the link.
 * @throws not_found
 */
export async function readSessionForPage(
  { db, clock }: { db: Database; clock: Clock },
  id: string,
  referralCode: string | null,
): Promise<SessionForPage> {
  const found = await readWithListing(db.knex, id, null, realNow(clock));
  if (!found) throw fail('not_found');
  const known = found.session.referralCode;
  const code = laterClick(known, referralCode);
  if (code !== known) await updateReferral.run(db.knex, { id, known, code });
  const now = (await inTimeOf({ db, clock }, found.session)).clock.now();
  const payment = await findSessionPayment(db.knex, id);
  const gone =
    found.partnerStatus !== 'active' ||
    sandboxOutcome(found.session.environment, found.session.domain) === 'sold';
  const listing = gone ? { ...found.listing, status: 'sold' as const } : found.listing;
  const { orderId } = found.session;
  const documents = orderId === null ? [] : await listDocuments(db.knex, found.session, orderId);
  const order = orderId === null ? null : await getOrderById({ db }, orderId);
  const actionRequired = order?.actionRequired ?? null;
  const orderInReview = order?.status === 'MANUAL_REVIEW';
  const brand = await readBrand({ db }, found.session.partnerId);
  const partnerName = brand.displayName ?? found.partnerName;
  const session = asOf(found, payment, now);
  return {
    ...found,
    now,
    partnerName,
    brand,
    listing,
    session,
    payment,
    actionRequired,
    orderInReview,
    documents,
  };
}

function asOf(
  { session, listing }: SessionWithListing,
  payment: Payment | undefined,
  now: Date,
): CheckoutSession {
  const status = statusAt(session, now);
  const price = status === 'open' ? priceInForce(session, listing, payment, now) : session.price;
  return { ...session, status, price };
}

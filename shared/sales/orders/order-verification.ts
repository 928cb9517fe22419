import type { DomainRegistrant } from '../../domains/domain-registrants/domain-registrant.ts';
import {
  findRegistrantOfOrder,
  openRegistrant,
} from '../../domains/domain-registrants/registered-for.ts';
import type { VerificationLink } from '../../domains/domain-registrants/verification-link.ts';
import {
  listSameAddress,
  markVerified,
  type OrderOfRegistrant,
  readVerification,
} from '../../domains/domain-registrants/verify-registrant.ts';
import { normalizeAddress } from '../../messaging/mail/mail.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { addTimelineEntry, lockOrderById } from './move-order.ts';

/** Adds the steps of a registrant's verification to the timeline of the order that sold the domain. */
export const ORDER_OF_REGISTRANT: OrderOfRegistrant = {
  lock: lockOrderById,
  tell: (uow, orderId, event) => addTimelineEntry(uow, orderId, { at: uow.now, event, note: null }),
};

/**
 * Marks a registrant's address as verified because its mailed link was opened, also on the other domains where the
 * same person gave that address. Returns undefined for a link that no longer works.
 */
export async function verifyRegistrant(
  { db }: { db: Database },
  link: VerificationLink,
): Promise<DomainRegistrant | undefined> {
  const found = await readVerification({ db }, link);
  if (!found) return undefined;
  for (const { id, orderId } of await listSameAddress({ db }, found.id)) {
    await db.transact((uow) => verifyIn(uow, id, orderId));
  }
  return found;
}

/** Verifies the order's registrant if its address is one of the buyer's `addresses`. The order must be locked. */
export async function verifyRegistrantOfOrder(
  uow: UnitOfWork,
  deps: { secrets: SecretBox },
  orderId: string,
  addresses: readonly string[],
): Promise<void> {
  const found = await findRegistrantOfOrder(uow.sql, orderId);
  if (!found) return;
  const address = normalizeAddress(openRegistrant(deps, found).email);
  if (addresses.some((each) => normalizeAddress(each) === address)) {
    await verifyIn(uow, found.id, orderId);
  }
}

async function verifyIn(uow: UnitOfWork, id: string, orderId: string | null): Promise<void> {
  if (orderId !== null) await ORDER_OF_REGISTRANT.lock(uow, orderId);
  const isNews = await markVerified(uow, id);
  if (isNews && orderId !== null) {
    await ORDER_OF_REGISTRANT.tell(uow, orderId, 'registrant.verified');
  }
}

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

/** Tells the steps of a registrant in the timeline of the order that the domain was sold with. */
export const ORDER_OF_REGISTRANT: OrderOfRegistrant = {
  lock: lockOrderById,
  tell: (uow, orderId, event) => addTimelineEntry(uow, orderId, { at: uow.now, event, note: null }),
};

/**
 * Whoever reads the mail of a registrant has opened its link: the address is verified there, and wherever the same person
 * gave it. Undefined for a link that is no good any more.
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

/** The same for the order's registrant where the buyer reads one of these addresses. The order must be locked. */
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

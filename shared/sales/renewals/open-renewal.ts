import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { assertCarries } from '../../money/payments/payment.ts';
import { findRenewalPayment } from '../../money/payments/payment-lifecycle.ts';
import type { PaymentProviders } from '../../money/payments/payment-provider.ts';
import { addMs } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { type QuoteDeps, quoteRenewal, type RenewalRequest } from './quote-renewal.ts';
import {
  lockOpenRenewal,
  moveRenewal,
  type NewRenewal,
  updateCancelledOf,
  writeRenewal,
} from './renewal.store.ts';
import { notRenewable, PRICE_MS, type Renewal, statusAt } from './renewal.ts';

/**
 * Begins the purchase of a renewal at a price that is valid for {@link PRICE_MS}. A domain has at most one open
 * renewal. Returns the open one if it is the same or a payment for it is in progress, and otherwise replaces it.
 * @throws whatever {@link quoteRenewal} throws, conflict (price_not_payable)
 */
export async function openRenewal(
  deps: QuoteDeps & { payments: PaymentProviders },
  userId: string,
  request: RenewalRequest,
): Promise<Renewal> {
  const quote = await quoteRenewal(deps, userId, request);
  assertCarries(deps.payments(OWNERS_ENVIRONMENT), quote.price);
  return deps.db.transactFor(userId, async (uow) => {
    const open = await lockOpenRenewal(uow.sql, quote.domain);
    if (open && (await staysOpen(uow, open, quote))) {
      if (open.userId === userId) return open;
      throw notRenewable(`Its former owner is paying for ${open.domain}. Try again in an hour.`);
    }
    if (open) await moveRenewal(uow.sql, open.id, 'cancel', uow.now);
    const { now } = uow;
    const fresh = { ...quote, id: newId('renewal', now), expiresAt: addMs(now, PRICE_MS) };
    const written = await writeRenewal(uow.sql, fresh, now);
    // Of two concurrent requests, the second one finds the renewal of the first.
    const renewal = written ?? (await lockOpenRenewal(uow.sql, quote.domain));
    if (renewal?.userId !== userId) throw notRenewable(`${quote.domain} is already being renewed.`);
    return renewal;
  });
}

/** Whether an open renewal is the wanted one, or is paid or being paid. */
async function staysOpen(uow: UnitOfWork, open: Renewal, wanted: NewRenewal): Promise<boolean> {
  if (open.status === 'paid' || (await findRenewalPayment(uow.sql, open.id))) return true;
  return (
    statusAt(open, uow.now) === 'awaiting_payment' &&
    open.userId === wanted.userId &&
    open.kind === wanted.kind &&
    open.years === wanted.years &&
    open.renewsFrom.getTime() === wanted.renewsFrom.getTime() &&
    open.price.equals(wanted.price)
  );
}

/** Cancels the unpaid renewals of a domain that its owner bought with this order. */
export async function cancelRenewalsOf(
  uow: UnitOfWork,
  { id: orderId, domain }: { id: string; domain: string },
): Promise<void> {
  await updateCancelledOf.run(uow.sql, { domain, orderId, now: uow.now });
}

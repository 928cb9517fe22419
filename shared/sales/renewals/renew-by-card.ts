import {
  findOwnedDomains,
  noteRenewalFault,
} from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import { listTlds } from '../../market/tlds/tld-catalogue.ts';
import { type CardOnFile, findCardAt, isGood } from '../../money/payments/kept-cards.ts';
import { type Payment, providerOf } from '../../money/payments/payment.ts';
import { findRenewalPayment, openPayment } from '../../money/payments/payment-lifecycle.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { lockOrderById } from '../orders/move-order.ts';
import { applyRenewalPayment } from './apply-renewal-payment.ts';
import type { PayDeps } from './pay-renewal.ts';
import { quoteRenewal, type RenewalQuote, renewsHere } from './quote-renewal.ts';
import { autoRenewFailedMail, NOT_CHARGED } from './renewal.mails.ts';
import {
  type DueRenewal,
  lockOpenRenewal,
  moveRenewal,
  selectDue,
  selectLastPayer,
  writeRenewal,
} from './renewal.store.ts';
import { PRICE_MS, type Renewal, TRY_DAYS } from './renewal.ts';

const BATCH = 50;

type Deps = PayDeps & { log: Logger };

/**
 * Charges owners' saved cards to renew domains that were bought here and have auto-renew on. Makes one attempt per
 * expiry date and entry of {@link TRY_DAYS}, however often it runs, and mails owners about each failed attempt. Domains
 * on legal hold are renewed without payment by `renewDueDomains`.
 */
export async function renewByCards(
  deps: Deps,
  signal: AbortSignal,
): Promise<{ charged: number; failed: number }> {
  const counts = { charged: 0, failed: 0 };
  if (!renewsHere(deps.config)) return counts;
  let after = { expiresAt: deps.clock.now(), domain: '' };
  while (!signal.aborted) {
    const now = deps.clock.now();
    const until = addMs(now, Math.max(...TRY_DAYS) * DAY);
    const place = { ...after, now, until, days: [...TRY_DAYS], limit: BATCH };
    const due = await selectDue.all(deps.db.knex, place);
    for (const each of due) {
      if (signal.aborted) break;
      try {
        counts[(await renewByCard(deps, each)) ? 'charged' : 'failed'] += 1;
      } catch (error) {
        counts.failed += 1;
        const about = { domain: each.domain, reason: (error as Error).message };
        deps.log.warn(about, 'a domain was not renewed by card: it is tried again');
      }
    }
    const last = due.at(-1);
    if (!last || due.length < BATCH) break;
    after = last;
  }
  return counts;
}

/** Charges the saved card for a domain. Returns false if nothing was charged; the owner was told why if need be. */
async function renewByCard(deps: Deps, due: DueRenewal): Promise<boolean> {
  const provider = deps.payments(OWNERS_ENVIRONMENT).name;
  const card = await findCardAt(deps.db.knex, due.userId, provider);
  if (!isGood(card, deps.clock.now())) {
    return tellFailed(deps, due, card ? 'expired_card' : 'no_card');
  }
  const quote = await quoteOrReason(deps, due);
  if (typeof quote === 'string') return tellFailed(deps, due, 'not_offered', quote);
  if (quote.owned.purchaseFault === 'disputed') return tellFailed(deps, due, 'disputed');
  // A premium name is renewed only at a price that its owner confirmed.
  if (quote.fees.renew) return tellFailed(deps, due, 'premium');
  // The domain was renewed in another way.
  if (quote.renewsFrom.getTime() !== due.expiresAt.getTime()) return false;
  const opened = await openAutomatic(deps, due, quote, card);
  if (!opened) return false;
  const { payment, renewal } = opened;
  const step = await providerOf(deps.payments, payment).charge({
    paymentId: payment.id,
    amount: payment.amount,
    description: renewal.domain,
    card,
  });
  await applyRenewalPayment(deps, payment.id, step);
  return step.status !== 'failed';
}

async function quoteOrReason(
  deps: Deps,
  { userId, domain, tld }: DueRenewal,
): Promise<RenewalQuote | string> {
  const terms = (await listTlds(deps)).find((each) => each.tld === tld);
  try {
    const years = terms?.minYears ?? 1;
    return await quoteRenewal(deps, userId, { domain, kind: 'renewal', years });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 409) return error.message;
    throw error;
  }
}

/**
 * Opens a renewal and its payment in one transaction; undefined if already tried, if the owner is paying by hand, or if
 * the purchase of the domain was refunded or disputed in the meantime.
 */
async function openAutomatic(
  { db }: Deps,
  { userId, orderId, days }: DueRenewal,
  quote: RenewalQuote,
  card: CardOnFile,
): Promise<{ payment: Payment; renewal: Renewal } | undefined> {
  return db.transact(async (uow) => {
    const { now } = uow;
    // A refund or a dispute locks the order first, too.
    await lockOrderById(uow, orderId);
    const owned = (await findOwnedDomains(uow.sql, userId, [quote.domain])).get(quote.domain);
    if (owned?.purchaseFault !== null) return undefined;
    const open = await lockOpenRenewal(uow.sql, quote.domain);
    if (open?.status === 'paid' || (open && (await findRenewalPayment(uow.sql, open.id))))
      return undefined;
    if (open) await moveRenewal(uow.sql, open.id, 'cancel', now);
    const payer = await selectLastPayer.first(uow.sql, { userId });
    const fresh = {
      ...quote,
      id: newId('renewal', now),
      expiresAt: addMs(now, PRICE_MS),
      automaticDays: days,
      payerName: payer?.name ?? null,
      payerCountry: payer?.country ?? null,
    };
    const renewal = await writeRenewal(uow.sql, fresh, now);
    const payment =
      renewal &&
      (await openPayment(uow, {
        renewalId: renewal.id,
        environment: OWNERS_ENVIRONMENT,
        provider: card.provider,
        customer: card.customer,
        amount: renewal.price,
      }));
    return payment && { payment, renewal };
  });
}

async function tellFailed(
  { db }: Deps,
  { domain, email, expiresAt, days }: DueRenewal,
  why: 'no_card' | 'expired_card' | 'disputed' | 'premium' | 'not_offered',
  reason: string | null = null,
): Promise<false> {
  await db.transact(async (uow) => {
    await noteRenewalFault(uow.sql, { domain, expiresAt, reason: reason ?? NOT_CHARGED[why] });
    uow.mails.add(autoRenewFailedMail, {
      to: { email },
      of: null,
      data: { domain, expiresAt: expiresAt.toISOString(), days, why, reason },
    });
  });
  return false;
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { ServiceError } from '../../platform/errors.ts';
import { deleteKeptCard, selectKeptCard, upsertKeptCard } from './kept-card.store.ts';
import { type Payment, providerOf } from './payment.ts';
import type { KeptCard, PaymentProviders } from './payment-provider.ts';
import { hasExpired } from './sandbox-cards.ts';

/** A card that is kept for a user, and where. */
export type CardOnFile = KeptCard & Pick<Payment, 'provider'>;

/** Keeps a card for a user, in place of the one before, in the transaction that records its payment. */
export async function keepCard(uow: UnitOfWork, userId: string, card: CardOnFile): Promise<void> {
  await upsertKeptCard.run(uow.sql, { ...card, userId, now: uow.realNow });
  const entry = { actor: userId, action: 'card:keep', subject: userId };
  await recordAudit(uow, { ...entry, after: { provider: card.provider } });
}

/** The card that is kept for a user. */
export function findKeptCard(sql: Sql, userId: string): Promise<CardOnFile | undefined> {
  return selectKeptCard.first(sql, { userId });
}

/** Whether owners can let us keep a card: not with every provider, and not while none is set up. */
export function canKeepCards(payments: PaymentProviders, environment: Environment): boolean {
  try {
    return payments(environment).keepsCards;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Whether a kept card can still be charged. */
export function isGood(card: CardOnFile | undefined, now: Date): card is CardOnFile {
  return card !== undefined && !hasExpired(card, now);
}

/**
 * Forgets the card of a user here, then at its provider, where without our token nobody can charge it any more. False
 * when none is kept.
 */
export async function forgetCard(
  { db, payments }: { db: Database; payments: PaymentProviders },
  userId: string,
  environment: Environment,
): Promise<boolean> {
  const card = await db.transact(async (uow) => {
    const kept = await deleteKeptCard.first(uow.sql, { userId });
    if (kept) await recordAudit(uow, { actor: userId, action: 'card:forget', subject: userId });
    return kept;
  });
  if (card) await providerOf(payments, { ...card, environment }).forgetCard(card);
  return card !== undefined;
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Environment } from '../../platform/config/config.ts';
import { timingSafeEqualStrings } from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { ServiceError } from '../../platform/errors.ts';
import {
  deleteCardOf,
  deleteKeptCard,
  selectKeptCard,
  updateKeptCard,
  upsertKeptCard,
} from './kept-card.store.ts';
import { forgetCardJob } from './payment.jobs.ts';
import type { Payment } from './payment.ts';
import type { CardNews, KeptCard, PaymentProviders } from './payment-provider.ts';
import { hasExpired } from './sandbox-cards.ts';

/** A card that is kept for a user, and where. */
export type CardOnFile = KeptCard & Pick<Payment, 'provider'>;

/**
 * Keeps a card for a user, in place of the one before, which its provider forgets, in the transaction that records its
 * payment.
 */
export async function keepCard(uow: UnitOfWork, userId: string, card: CardOnFile): Promise<void> {
  const former = await findKeptCard(uow.sql, userId);
  if (former && !timingSafeEqualStrings(card.token, former.token)) haveForgotten(uow, former);
  await upsertKeptCard.run(uow.sql, { ...card, userId, now: uow.realNow });
  const entry = { actor: userId, action: 'card:keep', subject: userId };
  await recordAudit(uow, { ...entry, after: { provider: card.provider } });
}

/** The card that is kept for a user. */
export function findKeptCard(sql: Sql, userId: string): Promise<CardOnFile | undefined> {
  return selectKeptCard.first(sql, { userId });
}

/** The same, if it is kept at this provider; that of another one can't be charged any more. */
export async function findCardAt(
  sql: Sql,
  userId: string,
  provider: Payment['provider'],
): Promise<CardOnFile | undefined> {
  const card = await findKeptCard(sql, userId);
  return card?.provider === provider ? card : undefined;
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

/** Forgets the card of a user here at once, and by a job at its provider. False when none is kept. */
export function forgetCard({ db }: { db: Database }, userId: string): Promise<boolean> {
  return db.transact(async (uow) => {
    const card = await deleteKeptCard.first(uow.sql, { userId });
    if (!card) return false;
    haveForgotten(uow, card);
    await recordAudit(uow, { actor: userId, action: 'card:forget', subject: userId });
    return true;
  });
}

function haveForgotten(uow: UnitOfWork, { provider, token }: CardOnFile): void {
  uow.jobs.add(forgetCardJob, { provider, token });
}

/** Notes what a provider says of a card: its new number or date, or that it is gone. One that is not kept is left alone. */
export async function applyCardNews(
  uow: UnitOfWork,
  provider: Payment['provider'],
  { token, card }: CardNews,
): Promise<void> {
  if (card) {
    await updateKeptCard.run(uow.sql, { provider, token, ...card });
    return;
  }
  const gone = await deleteCardOf.first(uow.sql, { provider, token });
  const subject = gone?.userId ?? null;
  await recordAudit(uow, { actor: `provider:${provider}`, action: 'card:forget', subject });
}

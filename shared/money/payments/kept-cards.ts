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

/** A user's stored card, with its provider. */
export type CardOnFile = KeptCard & Pick<Payment, 'provider'>;

/**
 * Stores a user's card in the transaction that records its payment. Replaces the previous card, which its provider is
 * told to delete.
 */
export async function keepCard(uow: UnitOfWork, userId: string, card: CardOnFile): Promise<void> {
  const former = await findKeptCard(uow.sql, userId);
  if (former && !timingSafeEqualStrings(card.token, former.token)) haveForgotten(uow, former);
  await upsertKeptCard.run(uow.sql, { ...card, userId, now: uow.realNow });
  const entry = { actor: userId, action: 'card:keep', subject: userId };
  await recordAudit(uow, { ...entry, after: { provider: card.provider } });
}

/** Returns a user's stored card. */
export function findKeptCard(sql: Sql, userId: string): Promise<CardOnFile | undefined> {
  return selectKeptCard.first(sql, { userId });
}

/** Returns a user's stored card if it is at this provider; a card at another one can no longer be charged. */
export async function findCardAt(
  sql: Sql,
  userId: string,
  provider: Payment['provider'],
): Promise<CardOnFile | undefined> {
  const card = await findKeptCard(sql, userId);
  return card?.provider === provider ? card : undefined;
}

/** Returns whether owners can store a card: false if the provider does not support it or none is configured. */
export function canKeepCards(payments: PaymentProviders, environment: Environment): boolean {
  try {
    return payments(environment).keepsCards;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Returns whether a stored card can still be charged. */
export function isGood(card: CardOnFile | undefined, now: Date): card is CardOnFile {
  return card !== undefined && !hasExpired(card, now);
}

/** Deletes a user's card here at once, and at its provider by a job. Returns false if there is none. */
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

/** Applies a provider's update or deletion of a card; ignores cards that are not stored. */
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

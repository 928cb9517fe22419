import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import * as store from './account-link.store.ts';

export type { AccountLink } from './account-link.store.ts';

/** How long each kind of mailed link is valid. The mail of the same kind signs it. */
const LIFETIMES = {
  'verify-email': DAY,
  invitation: 7 * DAY,
  'password-reset': 30 * MINUTE,
} as const;

export type LinkKind = keyof typeof LIFETIMES;

/** The maximum number of mails of a kind per hour to one address, since anybody can enter somebody else's address. */
const MOST_AN_HOUR = 3;

export interface LinkRequest {
  kind: LinkKind;
  /** In the form that `canonicalEmail` returns. */
  email: string;
  partnerId?: string | null;
  role?: string | null;
  /** The name of the partner account to open. */
  partnerName?: string | null;
  /** Who requested the link; null for an anonymous visitor. */
  actor?: string | null;
}

/**
 * Creates a link that works once and ends the previous one. Returns its data for the mail, or undefined if the address
 * got too many links within an hour.
 */
export async function createLink(
  uow: UnitOfWork,
  { kind, email, partnerId = null, role = null, partnerName = null, actor = null }: LinkRequest,
): Promise<store.AccountLink | undefined> {
  const { sql, now } = uow;
  // Without the lock, concurrent requests would not count each other's links.
  await store.lockCount.run(sql, { name: `${kind}/${email}` });
  const since = addMs(now, -HOUR);
  const { count } = await store.countRecentLinks.one(sql, { kind, email, since });
  if (count >= MOST_AN_HOUR) return undefined;
  await store.updateOthersUsed.run(sql, { kind, email, partnerId, now });
  const id = newId('accountLink', now);
  const expiresAt = addMs(now, LIFETIMES[kind]);
  const link = { id, kind, email, partnerId, role, partnerName, createdAt: now, expiresAt };
  await store.insertLink.run(sql, { ...link, actor });
  return link;
}

/**
 * Counts the invitations that an account sent within a day, and those to join a partner, before another one is sent.
 * Other invitations by the account or to the partner wait until the transaction ends.
 */
export async function countInvitationsOfToday(
  { sql, now }: UnitOfWork,
  { actor, partnerId }: { actor: string; partnerId: string | null },
): Promise<{ byActor: number; toPartner: number }> {
  await store.lockCount.run(sql, { name: `by/${actor}` });
  if (partnerId !== null) await store.lockCount.run(sql, { name: `to/${partnerId}` });
  return store.countInvitations.one(sql, { actor, partnerId, since: addMs(now, -DAY) });
}

/** Returns the open link of a token. @throws not_found for a link that no longer works */
export async function readLink(
  deps: { db: Database; clock: Clock; tokens: SignedTokens },
  kind: LinkKind,
  token: string,
): Promise<store.AccountLink> {
  const claims = await deps.tokens.verify(kind, token);
  const id = typeof claims === 'object' ? String(claims.sub) : '';
  if (!isId('accountLink', id)) throw deadLink();
  const now = deps.clock.now();
  const link = await store.selectOpenLink.first(deps.db.knex, { id, kind, now });
  if (!link) throw deadLink();
  return link;
}

/** Lists the invitations of a partner that nobody has accepted yet. */
export function listOpenInvitations(
  { db, clock }: { db: Database; clock: Clock },
  partnerId: string,
): Promise<store.AccountLink[]> {
  return store.selectOpenInvitations.all(db.knex, { partnerId, now: clock.now() });
}

/** Uses up a link, in the transaction of its action. @throws not_found when it was used meanwhile */
export async function consumeLink(
  { sql, now }: UnitOfWork,
  { id, kind }: store.AccountLink,
): Promise<void> {
  if (!(await store.updateUsed.first(sql, { id, kind, now }))) throw deadLink();
}

/** Ends the open links of a kind to an address. */
export async function endLinks(
  { sql, now }: UnitOfWork,
  { kind, email, partnerId = null }: LinkRequest,
): Promise<void> {
  await store.updateOthersUsed.run(sql, { kind, email, partnerId, now });
}

/** Creates the error for a link that no longer works, or that is for another page. */
export function deadLink() {
  return fail('not_found', {
    message: 'This link has expired, has already been used, or is incomplete. Ask for a new one.',
  });
}

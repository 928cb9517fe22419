import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db.ts';
import {
  grantExists,
  markGrantRevoked,
  markUserGrantsRevoked,
  selectGrant,
  upsertGrant,
} from './grant.store.ts';

/** What a user agreed to. */
export interface GrantPayload {
  accountId?: string | undefined;
  clientId?: string | undefined;
  [member: string]: unknown;
}

/** Grants, each one consent of one user to one client. They end by revocation only. */
export interface GrantRecords {
  save(id: string, payload: GrantPayload): Promise<void>;
  find(id: string): Promise<GrantPayload | undefined>;
  revoke(id: string): Promise<void>;
  /** Whether a consent of this user to this client is in force. */
  hasConsent(userId: string, clientId: string): Promise<boolean>;
}

/** Ends what a user allowed, to one client or to all (null): every token of it is refused from now on. */
export function revokeGrants(
  tx: Tx,
  of: { userId: string; clientId: string | null },
  now: Date,
): Promise<number> {
  return markUserGrantsRevoked(tx, of, now);
}

export function grantRecords({ db, clock }: { db: Database; clock: Clock }): GrantRecords {
  return {
    async save(id, payload) {
      const { accountId, clientId } = payload;
      if (!accountId || !clientId) throw new Error('a grant needs a user and a client');
      await upsertGrant(db.knex, {
        id,
        userId: accountId,
        clientId,
        payload,
        createdAt: clock.now(),
      });
    },
    find: (id) => selectGrant(db.knex, id),
    revoke: (id) => markGrantRevoked(db.knex, id, clock.now()),
    hasConsent: (userId, clientId) => grantExists(db.knex, userId, clientId),
  };
}

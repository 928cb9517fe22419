import type { Database } from '../platform/db.ts';
import { deleteSession } from './session.store.ts';
import { hashSessionToken } from './session-token.ts';

/** Ends the session of this token; nothing happens when there is none. */
export async function signOut({ db }: { db: Database }, token: string): Promise<void> {
  await deleteSession(db.knex, hashSessionToken(token));
}

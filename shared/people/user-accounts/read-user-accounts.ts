import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import * as store from './read-user-accounts.store.ts';

export type { AuthorizedClient, UserSummary } from './read-user-accounts.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
}

/** Lists a page of the matching accounts, newest first. */
export function listUsers(
  { db, clock }: Deps,
  filter: store.UserFilter & { before: string | null; limit: number },
): Promise<Page<store.UserSummary>> {
  const read = (limit: number) =>
    store.selectUserSummaries.all(db.knex, { ...filter, limit, now: clock.now() });
  return readPage(filter.limit, read, idOf);
}

/** Returns one account. @throws not_found */
export async function readUser({ db, clock }: Deps, id: string): Promise<store.UserSummary> {
  const found = await store.selectUserSummary.first(db.knex, { id, now: clock.now() });
  if (!found) throw fail('not_found', { message: 'No account has this ID.' });
  return found;
}

/** Lists the OAuth clients that can act for a user now. */
export async function listAuthorizedClients(
  { db, clock }: Deps,
  userId: string,
): Promise<store.AuthorizedClient[]> {
  return store.selectAuthorizedClients.all(db.knex, { userId, now: clock.now() });
}

import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import * as store from './people.store.ts';

export type { AllowedClient, PeopleFilter, Person } from './people.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
}

/** A page of the accounts that fit, newest first; `next` goes on below the last of the page. */
export async function listPeople(
  { db, clock }: Deps,
  page: store.PeopleFilter & { before: string | null; limit: number },
): Promise<{ people: store.Person[]; next: string | null }> {
  const wanted = { ...page, limit: page.limit + 1, now: clock.now() };
  const found = await store.selectPeople(db.knex, wanted);
  const people = found.slice(0, page.limit);
  return { people, next: found.length > page.limit ? (people.at(-1)?.id ?? null) : null };
}

/** One account. @throws not_found */
export async function readPerson({ db, clock }: Deps, id: string): Promise<store.Person> {
  const found = await store.selectPerson(db.knex, id, clock.now());
  if (!found) throw fail('not_found', { message: 'No account has this id.' });
  return found;
}

/** The OAuth clients that act for a user now. */
export async function listAllowedClients(
  { db, clock }: Deps,
  userId: string,
): Promise<store.AllowedClient[]> {
  return store.selectAllowedClients(db.knex, userId, clock.now());
}

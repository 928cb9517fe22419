import type { Database } from '../../messaging/unit-of-work/database.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import * as store from './screening.store.ts';

export type HitStatus = store.HitStatus;

type Scope = { db: Database };

/** A loaded list. */
export type ScreeningList = Awaited<ReturnType<typeof store.selectLists.all>>[number];

/** A match of a party with an entry, and the decision about it. */
export type ScreeningHit = NonNullable<Awaited<ReturnType<typeof store.selectHit.first>>>;

/** The kinds of match lists: matches that wait for a decision, and decided ones. */
export const HIT_LISTS = ['waiting', 'released', 'declined'] as const;

export type HitList = (typeof HIT_LISTS)[number];

const STATUSES: Readonly<Record<HitList, readonly store.HitStatus[]>> = {
  waiting: ['open', 'proposed'],
  released: ['released'],
  declined: ['declined'],
};

/** Returns the loaded lists, by name. */
export function listScreeningLists({ db }: Scope): Promise<ScreeningList[]> {
  return store.selectLists.all(db.knex);
}

/** Lists a page of matches. */
export function listHits(
  { db }: Scope,
  which: HitList,
  page: ListPage,
): Promise<Page<ScreeningHit>> {
  const read = (limit: number) =>
    store.selectHits[page.sort].all(db.knex, {
      statuses: STATUSES[which],
      ...idPage('screeningHit', page, limit),
    });
  return readPage(page.limit, read, idOf);
}

/** Returns a match. @throws not_found */
export async function getHit({ db }: Scope, id: string): Promise<ScreeningHit> {
  const hit = await store.selectHit.first(db.knex, { id });
  if (!hit) throw hitNotFound();
  return hit;
}

export function hitNotFound() {
  return fail('not_found', { message: 'No screening hit has this ID.' });
}

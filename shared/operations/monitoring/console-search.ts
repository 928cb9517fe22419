import type { Database } from '../../messaging/unit-of-work/database.ts';
import { LOOK_THROUGH } from '../../platform/page.ts';
import { type ConsoleSearch, readMatches } from './console-search.store.ts';

export type { ConsoleMatches, ConsoleSearch } from './console-search.store.ts';

/**
 * Finds everything whose domain (as A-labels), email address or name contains or begins with this text. If many orders
 * match, only the newest `lookThrough` are searched.
 */
export function searchConsole(
  { db }: { db: Database },
  text: string,
  lookThrough = LOOK_THROUGH,
): Promise<ConsoleSearch> {
  return readMatches(db.knex, text, lookThrough);
}

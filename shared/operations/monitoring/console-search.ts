import type { Database } from '../../messaging/unit-of-work/database.ts';
import { LOOK_THROUGH } from '../../platform/page.ts';
import { type ConsoleSearch, readMatches } from './console-search.store.ts';

export type { ConsoleMatches, ConsoleSearch } from './console-search.store.ts';

/**
 * Whatever has this text in its domain, e-mail address or name, or begins with it; A-labels for domains. Where many
 * orders have it, the newest `lookThrough` are searched.
 */
export function searchConsole(
  { db }: { db: Database },
  text: string,
  lookThrough = LOOK_THROUGH,
): Promise<ConsoleSearch> {
  return readMatches(db.knex, text, lookThrough);
}

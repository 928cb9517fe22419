import type { Database } from '../platform/db.ts';
import { selectTlds } from './tld.store.ts';
import type { Tld } from './tld.ts';

/** Every TLD that is sold, by its A-labels. */
export function listTlds({ db }: { db: Database }): Promise<Tld[]> {
  return db.read(selectTlds);
}

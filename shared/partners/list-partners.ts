import type { Database } from '../platform/db.ts';
import { selectPartners } from './partner.store.ts';
import type { Partner } from './partner.ts';

/** Every partner account, oldest first. */
export async function listPartners({ db }: { db: Database }): Promise<Partner[]> {
  return selectPartners(db.knex);
}

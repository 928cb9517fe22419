import type { Database } from '../../messaging/unit-of-work/database.ts';
import { selectRejections } from './epp-registrar.store.ts';

const MAX_REJECTIONS = 5;

/** Returns when requests of other registrars for a domain (A-labels) were rejected since an instant, newest first. */
export async function listRejectedRequests(
  { db }: { db: Database },
  domain: string,
  since: Date,
): Promise<Date[]> {
  const found = await selectRejections.all(db.knex, { domain, since, limit: MAX_REJECTIONS });
  return found.map(({ at }) => at);
}

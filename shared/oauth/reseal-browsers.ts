import type { Database } from '../platform/db.ts';
import { type Resealed, resealColumn } from '../platform/reseal.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { replacePayloads, selectPayloads } from './browser.store.ts';
import { sealContext } from './browser-records.ts';

/** Seals what is kept of signed-in browsers with the present key. May run twice at once. */
export async function resealBrowsers({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  return resealColumn<Buffer>(secrets, {
    async read(afterId = Buffer.alloc(0), limit) {
      const rows = await selectPayloads(db.knex, afterId, limit);
      return rows.map(({ idHash, payloadSealed }) => ({
        id: idHash,
        sealed: payloadSealed,
        context: sealContext(idHash),
      }));
    },
    replace: (reseals) => replacePayloads(db.knex, reseals),
  });
}

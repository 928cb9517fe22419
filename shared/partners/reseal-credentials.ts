import type { Database } from '../platform/db.ts';
import { type Resealed, resealColumn } from '../platform/reseal.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { replaceSecrets, selectSecrets } from './sealed-secret.store.ts';

/** Seals the secrets of all key pairs with the present key. May run twice at once, and beside rotations. */
export async function resealCredentials({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(afterId = '', limit) {
      const rows = await selectSecrets(db.knex, afterId, limit);
      return rows.map(({ keyId, secret }) => ({ id: keyId, sealed: secret, context: keyId }));
    },
    replace: (reseals) => replaceSecrets(db.knex, reseals),
  });
}

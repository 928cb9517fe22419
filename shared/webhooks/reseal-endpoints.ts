import type { Database } from '../platform/db.ts';
import { type Resealed, resealColumn } from '../platform/reseal.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { replaceSecrets, type SecretColumn, selectSecrets } from './sealed-secret.store.ts';

/** Seals the signing secrets of all endpoints with the present key. May run twice at once. */
export async function resealEndpoints({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  const reseal = (column: SecretColumn) =>
    resealColumn<string>(secrets, {
      async read(afterId = '', limit) {
        const rows = await selectSecrets(db.knex, column, afterId, limit);
        return rows.map((row) => ({ ...row, context: row.id }));
      },
      replace: (reseals) => replaceSecrets(db.knex, column, reseals),
    });
  // In this order: a secret that is replaced meanwhile becomes the previous one, and is met there.
  const present = await reseal('secret_ciphertext');
  const previous = await reseal('previous_secret_ciphertext');
  return {
    resealed: present.resealed + previous.resealed,
    unreadable: present.unreadable + previous.unreadable,
  };
}

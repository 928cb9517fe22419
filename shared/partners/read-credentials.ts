import type { Database } from '../platform/db.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { type StoredCredential, selectCredentials } from './credential.store.ts';

export type SealedCredential = StoredCredential & { secretCiphertext: Buffer };

/** The credentials of a partner, oldest first, with their secrets sealed. */
export async function readCredentials(
  { db }: { db: Database },
  partnerId: string,
): Promise<SealedCredential[]> {
  return selectCredentials(db.knex, partnerId);
}

/** The secret of a demo credential; real ones are shown once, when they are issued. */
export function openSecret(
  { secrets }: { secrets: SecretBox },
  { keyId, secretCiphertext }: SealedCredential,
): string {
  return secrets.open(secretCiphertext, keyId);
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { fail } from '../../platform/errors.ts';
import { type StoredCredential, selectCredential, selectCredentials } from './credential.store.ts';

export type { StoredCredential };

export type SealedCredential = StoredCredential & { secretCiphertext: Buffer };

/** Returns the credentials of a partner, oldest first, with sealed secrets. */
export async function readCredentials(
  { db }: { db: Database },
  partnerId: string,
): Promise<SealedCredential[]> {
  return selectCredentials.all(db.knex, { partnerId });
}

/** Returns one credential, without its secret. @throws not_found */
export async function readCredential(
  { db }: { db: Database },
  keyId: string,
): Promise<StoredCredential> {
  const credential = await selectCredential.first(db.knex, { keyId });
  if (!credential) throw fail('not_found', { message: 'No credential has this key ID.' });
  return credential;
}

/** Returns the secret of a demo credential. Real secrets are shown only once, when they are issued. */
export function revealSecret(
  { secrets }: { secrets: SecretBox },
  { keyId, secretCiphertext }: SealedCredential,
): string {
  return secrets.open(secretCiphertext, keyId);
}

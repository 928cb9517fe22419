import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { fail } from '../../platform/errors.ts';
import {
  type StoredCredential,
  selectCredential,
  selectCredentials,
  selectNewestSecret,
  selectSecrets,
} from './credential.store.ts';

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

/** How many key pairs are tried beside the newest, in case one was made with a wrong key. */
const SAMPLE = 20;

/**
 * Checks at the start of a process that SECRETS_KEY, or a former key, opens secrets of this database. With a wrong key
 * every signed request would fail, and new secrets would be sealed with it.
 * @throws Error if it opens none of them
 */
export async function requireKeyOfDatabase({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<void> {
  const [newest, first] = await Promise.all([
    selectNewestSecret.all(db.knex),
    selectSecrets.all(db.knex, { afterKeyId: '', limit: SAMPLE }),
  ]);
  const tried = [...newest, ...first];
  if (tried.length === 0 || tried.some(({ keyId, secret }) => opens(secrets, keyId, secret))) {
    return;
  }
  throw new Error(
    'SECRETS_KEY is not the key of this database: it opens no key pair. Set the right one, or add the former one to ' +
      'SECRETS_KEY_PREVIOUS. If it is lost, issue a new key pair (credential:create), then start again.',
  );
}

function opens(secrets: SecretBox, keyId: string, secret: Buffer): boolean {
  try {
    secrets.open(secret, keyId);
    return true;
  } catch {
    return false;
  }
}

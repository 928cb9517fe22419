import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts what must be read back (signing secrets); nothing else in the service decrypts. */
export interface SecretBox {
  /** AES-256-GCM; `context` (such as the key id) is authenticated, so a ciphertext can't be moved to another row. */
  seal(plain: string, context: string): Buffer;
  /** @throws Error when the key or the context is not the one it was sealed with. */
  open(sealed: Buffer, context: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A box under `masterKey` (32 bytes, SECRETS_KEY). */
export function createSecretBox(masterKey: Buffer): SecretBox {
  const key = deriveKey(masterKey, 'stored-secrets');
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, body, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
  };
}

/** A 32-byte key for one purpose (HKDF-SHA256, RFC 5869), so that no key serves two. */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}

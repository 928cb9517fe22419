import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Encrypts secrets that must be read back, such as signing secrets. Nothing else in the service decrypts. */
export interface SecretBox {
  /** AES-256-GCM. `context` (such as the key ID) is authenticated, so a ciphertext can't be moved to another row. */
  seal(plain: string, context: string): Buffer;
  /** @throws Error if it was encrypted with an unknown key or another context. */
  open(sealed: Buffer, context: string): string;
  /** Returns whether the current key encrypted it. */
  isCurrent(sealed: Buffer, context: string): boolean;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a box with `masterKey` (32 bytes, SECRETS_KEY). It also decrypts what `previous` master keys encrypted. */
export function createSecretBox(masterKey: Buffer, previous: readonly Buffer[] = []): SecretBox {
  // Derived at first use, since a process without a master key can't encrypt or decrypt.
  let derived: Buffer[] | undefined;
  const keys = () => {
    derived ??= [masterKey, ...previous].map((each) => deriveKey(each, 'stored-secrets'));
    return derived;
  };
  const presentKey = () => keys()[0] as Buffer;
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', presentKey(), nonce);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, body, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      for (const each of keys()) {
        const plain = tryOpen(each, sealed, context);
        if (plain !== undefined) return plain;
      }
      throw new Error('a stored secret was sealed with another key, or belongs to another row');
    },
    isCurrent: (sealed, context) => tryOpen(presentKey(), sealed, context) !== undefined,
  };
}

/** Returns undefined if the tag shows another key or context. */
function tryOpen(key: Buffer, sealed: Buffer, context: string): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Derives a 32-byte key (HKDF-SHA256, RFC 5869), so that each purpose has its own key.
 * @throws Error for the empty master key of SECRETS_KEY=none
 */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  if (masterKey.length === 0) {
    throw new Error(
      'This process runs with SECRETS_KEY=none: it can neither open nor sign anything',
    );
  }
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}

/** Compares two secrets in constant time for a given length. */
export function timingSafeEqualStrings(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A stored secret with its row and context. */
interface SealedRow<Id> {
  id: Id;
  sealed: Buffer;
  context: string;
}

/** A secret to store, re-encrypted with the current key. */
export interface Reseal<Id> {
  id: Id;
  before: Buffer;
  after: Buffer;
}

/** A column of encrypted values. */
export interface SealedColumn<Id> {
  /** Reads up to `limit` rows by ID after `afterId`, or from the beginning if undefined. */
  read(afterId: Id | undefined, limit: number): Promise<SealedRow<Id>[]>;
  /** Stores those whose row has not changed; returns the number stored. */
  replace(reseals: readonly Reseal<Id>[]): Promise<number>;
}

/** How many secrets a pass re-encrypted or could not read. */
export interface Resealed {
  resealed: number;
  /** No configured key decrypts them. */
  unreadable: number;
}

const BATCH = 500;

/** Re-encrypts, with the current key and in batches, every secret of a column that another key encrypted. */
export async function resealColumn<Id>(
  secrets: SecretBox,
  column: SealedColumn<Id>,
): Promise<Resealed> {
  const done: Resealed = { resealed: 0, unreadable: 0 };
  for (let afterId: Id | undefined; ; ) {
    const rows = await column.read(afterId, BATCH);
    const last = rows.at(-1);
    if (!last) return done;
    afterId = last.id;
    const reseals: Reseal<Id>[] = [];
    for (const { id, sealed, context } of rows) {
      if (secrets.isCurrent(sealed, context)) continue;
      const plain = openOrNothing(secrets, sealed, context);
      if (plain === undefined) done.unreadable += 1;
      else reseals.push({ id, before: sealed, after: secrets.seal(plain, context) });
    }
    if (reseals.length > 0) done.resealed += await column.replace(reseals);
  }
}

function openOrNothing(secrets: SecretBox, sealed: Buffer, context: string): string | undefined {
  try {
    return secrets.open(sealed, context);
  } catch {
    return undefined;
  }
}

/** Decrypts values and caches them. */
export type OpenSealed = (sealed: Buffer, context: string) => string;

/** @param most the maximum number of cached values */
export function createOpener(secrets: SecretBox, most = 1_000): OpenSealed {
  const open = new Map<string, string>();
  return (sealed, context) => {
    const key = `${context}:${sealed.toString('latin1')}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    if (open.size >= most) open.clear();
    const plain = secrets.open(sealed, context);
    open.set(key, plain);
    return plain;
  };
}

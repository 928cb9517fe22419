import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Encrypts what must be read back (signing secrets); nothing else in the service decrypts. */
export interface SecretBox {
  /** AES-256-GCM; `context` (such as the key id) is authenticated, so a ciphertext can't be moved to another row. */
  seal(plain: string, context: string): Buffer;
  /** @throws Error when no key of the box, or another context, sealed it. */
  open(sealed: Buffer, context: string): string;
  /** Whether the box's present key sealed it; false for one of a previous key, and for one of none. */
  isCurrent(sealed: Buffer, context: string): boolean;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A box under `masterKey` (32 bytes, SECRETS_KEY), which opens what `previous` master keys sealed as well. */
export function createSecretBox(masterKey: Buffer, previous: readonly Buffer[] = []): SecretBox {
  // Derived at first use: a process may have no master key, and must then open and seal nothing.
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

/** Undefined when another key, or another context, sealed it: the tag tells. */
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
 * A 32-byte key for one purpose (HKDF-SHA256, RFC 5869), so that no key serves two.
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

/** Whether two secrets are the same one; takes the same time for every wrong one of its length. */
export function timingSafeEqualStrings(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A stored secret: which one it is, and what it was sealed for. */
interface SealedRow<Id> {
  id: Id;
  sealed: Buffer;
  context: string;
}

/** A secret that is to be stored under the present key. */
export interface Reseal<Id> {
  id: Id;
  before: Buffer;
  after: Buffer;
}

/** The sealed values of one column. */
export interface SealedColumn<Id> {
  /** Up to `limit` rows by id, after `afterId` (from the beginning when undefined). */
  read(afterId: Id | undefined, limit: number): Promise<SealedRow<Id>[]>;
  /** Stores those that still are what they were; returns how many. */
  replace(reseals: readonly Reseal<Id>[]): Promise<number>;
}

/** What a pass found, in secrets. */
export interface Resealed {
  resealed: number;
  /** No key of the configuration opens them. */
  unreadable: number;
}

const BATCH = 500;

/** Seals every secret of a column that another key sealed anew with the present one, in small statements. */
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

/** Opens sealed values, and keeps some of them open: what is needed again and again is opened once. */
export type OpenSealed = (sealed: Buffer, context: string) => string;

/** @param most values kept open at a time */
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

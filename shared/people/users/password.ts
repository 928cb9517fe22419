import {
  randomBytes,
  type ScryptOptions,
  scrypt as scryptWith,
  timingSafeEqual,
} from 'node:crypto';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { SECOND } from '../../platform/clock.ts';
import { createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import { fail, invalid } from '../../platform/errors.ts';

/** About 50,000 common passwords. The package has no types. */
const commonPasswords: { test(password: string): boolean } = createRequire(import.meta.url)(
  'fxa-common-password-list',
);

const scrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scryptWith);

export const MIN_PASSWORD = 8;
/** Longer passwords only cost time. */
export const MAX_PASSWORD = 256;

interface Cost {
  /** log2 of scrypt's N. */
  ln: number;
  r: number;
  p: number;
}

/** @throws validation_error when the password is too short, too long, or one of the most common ones */
function assertValidPassword(password: string): void {
  const message =
    password.length < MIN_PASSWORD || password.length > MAX_PASSWORD
      ? `must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`
      : isCommon(password) && 'is one of the most common passwords. Choose another';
  if (message) throw invalid([{ path: '/password', message }]);
}

/** The list is in lower case. */
function isCommon(password: string): boolean {
  return commonPasswords.test(password.normalize('NFKC').toLowerCase());
}

/** Checks and hashes a newly chosen password. @throws validation_error, rate_limited */
export async function hashNewPassword(password: string): Promise<string> {
  assertValidPassword(password);
  return hashPassword(password);
}

/** 32 MiB and about a quarter of a second (OWASP Password Storage Cheat Sheet, scrypt). */
const COST: Cost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const MAX_LN = 20;
const STORED =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

/**
 * Hashes a password as `$scrypt$ln=15,r=8,p=3$<salt>$<key>`. The cost is part of the hash, so it can be raised later.
 * @throws rate_limited when too many passwords wait to be hashed
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  const cost = `ln=${COST.ln},r=${COST.r},p=${COST.p}`;
  return `$scrypt$${cost}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/**
 * Returns whether `password` matches a stored hash, in constant time.
 * @throws rate_limited when too many passwords wait to be hashed
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt, key] = STORED.exec(stored) ?? [];
  if (!salt || !key || Number(ln) > MAX_LN) throw new Error('a stored password hash is malformed');
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
}

/** A hash that no password matches, to check against if the user does not exist. */
export const UNMATCHABLE_HASH = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Two concurrent hashes leave half of Node's four threads for file access and DNS. Hashes that wait too long are
 * rejected, so that many concurrent sign-ins cost neither memory nor the process's other requests.
 */
const hashingSlots = createBulkhead({ inside: 2, waiting: 32 });
const MAX_WAIT_MS = 10 * SECOND;
const RETRY_SECONDS = 5;

/** Normalizes (NFKC) first, so that the same characters typed on two machines are the same password. */
async function derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
  if (!(await hashingSlots.enter(AbortSignal.timeout(MAX_WAIT_MS)))) {
    throw fail('rate_limited', {
      message: `Too many people are signing in right now. Retry after ${RETRY_SECONDS} s.`,
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  try {
    return await scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options);
  } finally {
    hashingSlots.leave();
  }
}

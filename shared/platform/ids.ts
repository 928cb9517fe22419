import { createHash, randomBytes, randomFillSync, randomInt } from 'node:crypto';
import { TypeID } from 'typeid-js';

/** Every kind of identifier: a prefix and 26 base-32 characters that sort by time (TypeID over UUIDv7). */
export const ID_PREFIXES = {
  partner: 'ptr',
  user: 'usr',
  order: 'ord',
  renewal: 'rnw',
  offer: 'ofr',
  event: 'evt',
  quote: 'qte',
  transfer: 'trf',
  transferOut: 'tro',
  legalHold: 'lgh',
  refund: 'rfd',
  ledgerEntry: 'txn',
  settlement: 'stl',
  settlementRun: 'run',
  webhookEndpoint: 'whe',
  webhookDelivery: 'dlv',
  webhookReplay: 'rpl',
  affiliate: 'aff',
  checkoutSession: 'cks',
  payment: 'pmt',
  dispute: 'dsp',
  payout: 'pay',
  payoutFile: 'pof',
  brokerageCase: 'brk',
  referralLink: 'lnk',
  commission: 'cmn',
  oauthClient: 'cli',
  bulkJob: 'blk',
  mail: 'eml',
  document: 'doc',
  accountLink: 'acl',
  apiRequest: 'rlg',
  screeningHit: 'sch',
  registrant: 'rgt',
  registrantChange: 'rgc',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Creates an identifier of `kind`, dated `at`. IDs of one millisecond keep their order of creation. */
export function newId(kind: IdKind, at: Date): string {
  return TypeID.fromUUIDBytes(ID_PREFIXES[kind], uuidV7(at)).toString();
}

/** Returns whether `value` is a well-formed identifier of `kind`; does not check that it exists. */
export function isId(kind: IdKind, value: string): boolean {
  return new RegExp(`^${ID_PREFIXES[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(value);
}

/**
 * Returns the identifier of `kind` that always results from `at` and `name`, for objects that need an address before
 * they are stored. Sorts by `at` like any other.
 */
export function derivedId(kind: IdKind, at: Date, name: string): string {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return TypeID.fromUUIDBytes(ID_PREFIXES[kind], bytes).toString();
}

/** The latest time an identifier can encode, in the year 10889; the earliest is the Unix epoch. */
const LAST_MS = 2 ** 48 - 1;

/**
 * Returns the lowest and the highest identifier dated `at`, or the nearest time that an identifier can encode, so that
 * a primary key can serve as an index of time.
 */
export function idRangeAt(kind: IdKind, at: Date): { first: string; last: string } {
  const bound = (rest: number) => {
    const bytes = Buffer.alloc(16, rest);
    bytes.writeUIntBE(Math.min(Math.max(at.getTime(), 0), LAST_MS), 0, 6);
    return TypeID.fromUUIDBytes(ID_PREFIXES[kind], bytes).toString();
  };
  return { first: bound(0x00), last: bound(0xff) };
}

/** Returns the lowest identifier of `kind` dated then. */
export const firstIdOf =
  (kind: IdKind) =>
  (at: Date): string =>
    idRangeAt(kind, at).first;

/** Where the time in number ids starts: 2020, in seconds. */
const FIRST_SECOND = Date.UTC(2020, 0) / 1_000;

/** Returns the lowest id of a moment in a table whose number ids begin with the second of their creation. */
export function firstNumberAt(at: Date): string {
  const second = Math.floor(at.getTime() / 1_000) - FIRST_SECOND;
  return (BigInt(Math.max(0, second)) << 22n).toString();
}

/** Returns when an identifier was created, to the millisecond. @throws Error for an invalid identifier */
export function timeOfId(id: string): Date {
  const bytes = Buffer.from(TypeID.fromString(id).toUUIDBytes());
  return new Date(bytes.readUIntBE(0, 6));
}

let lastMs = 0;
let sequence = 0;

/** UUIDv7 (RFC 9562, method 1 of section 6.2): 12 bits after the time count up within a millisecond. */
function uuidV7(at: Date): Uint8Array {
  const ms = at.getTime();
  if (ms === lastMs) sequence += 1;
  else sequence = randomInt(0x400);
  lastMs = ms;
  const bytes = takeRandom(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | (sequence & 0xfff), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The largest multiple of 62 among the values of a byte: higher ones would make the first characters more likely. */
const UNBIASED = 248;
/** A buffer of random bytes: asking the system for a few bytes per request takes about eight times as long. */
const randomPool = Buffer.alloc(4_096);
let taken = randomPool.length;

/** Returns random bytes from the buffer, each only once. Use them at once: the buffer is refilled in place. */
function takeRandom(count: number): Buffer {
  if (taken + count > randomPool.length) {
    randomFillSync(randomPool);
    taken = 0;
  }
  taken += count;
  return randomPool.subarray(taken - count, taken);
}

/** Returns `length` random characters of `[0-9A-Za-z]`, unbiased. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of takeRandom(length - text.length)) {
      if (byte < UNBIASED) text += BASE62[byte % BASE62.length];
    }
  }
  return text;
}

/** Returns `bytes` random bytes as unpadded base64url. */
export function randomBase64Url(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** Returns a random number in [0, 1), for jitter. */
export function randomFraction(): number {
  return Math.random();
}

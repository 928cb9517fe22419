import { toASCII } from 'tr46';
import { type Static, Type } from 'typebox';
import type { FieldError } from '../../platform/errors.ts';
import type { DsData } from '../epp/epp-objects.ts';

/** The maximum number of DS records per domain. */
export const MAX_SIGNERS = 12;

/**
 * The current signing algorithms, by IANA number (RFC 8624 and RFC 9905). Algorithms with SHA-1, MD5, DSA and the first
 * GOST version are retired.
 */
export const SIGNING_ALGORITHMS: ReadonlyMap<number, string> = new Map([
  [8, 'RSA/SHA-256'],
  [10, 'RSA/SHA-512'],
  [13, 'ECDSA P-256/SHA-256'],
  [14, 'ECDSA P-384/SHA-384'],
  [15, 'Ed25519'],
  [16, 'Ed448'],
]);

/** The current digest types, by IANA number, with their length in bytes; SHA-1 (1) is retired. */
export const DIGEST_TYPES: ReadonlyMap<number, { name: string; bytes: number }> = new Map([
  [2, { name: 'SHA-256', bytes: 32 }],
  [4, { name: 'SHA-384', bytes: 48 }],
]);

const NumberUpTo = (maximum: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description });

/** A delegation signer with the field names of the API (RFC 5910, RFC 4034 section 5). */
export const SignerFields = Type.Object(
  {
    key_tag: NumberUpTo(65_535, 'The tag of the key.'),
    algorithm: NumberUpTo(255, "The key's algorithm, as an IANA number."),
    digest_type: NumberUpTo(255, "The digest's algorithm, as an IANA number."),
    digest: Type.String({ minLength: 1, maxLength: 200, description: 'Hexadecimal.' }),
  },
  { title: 'DelegationSigner', description: 'A DS record.' },
);
export type SignerFields = Static<typeof SignerFields>;

/** Returns a signer in its canonical form for storage and comparison; adds its faults below `path`. */
export function canonicalSigner(
  signer: SignerFields,
  path: string,
  faults: FieldError[],
): SignerFields {
  const { algorithm, digest_type } = signer;
  const digest = signer.digest.replace(/\s/g, '').toUpperCase();
  if (!SIGNING_ALGORITHMS.has(algorithm)) {
    faults.push({ path: `${path}/algorithm`, message: mustBe(SIGNING_ALGORITHMS) });
  }
  const type = DIGEST_TYPES.get(digest_type);
  if (!type) faults.push({ path: `${path}/digest_type`, message: mustBe(DIGEST_TYPES) });
  else if (!new RegExp(`^[0-9A-F]{${2 * type.bytes}}$`).test(digest)) {
    const message = `must be ${2 * type.bytes} hexadecimal digits, as digests of type ${digest_type} (${type.name}) are`;
    faults.push({ path: `${path}/digest`, message });
  }
  return { ...signer, digest };
}

function mustBe(numbers: ReadonlyMap<number, unknown>): string {
  const all = [...numbers.keys()];
  return `must be ${all.slice(0, -1).join(', ')} or ${all.at(-1)}; others are unknown or retired`;
}

/** Converts a signer to the registrar's form. */
export function toDsData({ key_tag, algorithm, digest_type, digest }: SignerFields): DsData {
  return { keyTag: key_tag, alg: algorithm, digestType: digest_type, digest };
}

/** Converts a signer to the API's form. */
export function signerFields({ keyTag, alg, digestType, digest }: DsData): SignerFields {
  return { key_tag: keyTag, algorithm: alg, digest_type: digestType, digest };
}

/** An optional owner, TTL and class, then the four fields of a DS record. */
const DS_RECORD =
  /^(?:(\S+)\s+(?:(?:\d+|IN)\s+){0,2}DS\s+)?(\d{1,5})\s+(\d{1,3})\s+(\d{1,3})\s+([\da-f][\da-f\s]*)$/i;

/**
 * Parses a DS record as DNS providers show it, `example.com. IN DS 12345 13 2 ABC…`, or only its last four fields.
 * Ignores comments and parentheses. Undefined for anything else.
 */
export function readDsRecord(text: string): (SignerFields & { owner: string | null }) | undefined {
  const plain = text
    .replace(/;.*$/gm, '')
    .replace(/[()\n\r\t]/g, ' ')
    .trim();
  const [, owner, keyTag, algorithm, digestType, digest = ''] = DS_RECORD.exec(plain) ?? [];
  if (keyTag === undefined) return undefined;
  return {
    owner: owner === undefined ? null : toASCII(owner.replace(/\.$/, '')) || owner,
    key_tag: Number(keyTag),
    algorithm: Number(algorithm),
    digest_type: Number(digestType),
    digest: digest.replace(/\s/g, ''),
  };
}

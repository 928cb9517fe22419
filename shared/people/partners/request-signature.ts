import { createHash, createHmac } from 'node:crypto';
import { timingSafeEqualStrings } from '../../platform/crypto/secrets.ts';

/** The signed parts of a request, exactly as sent. */
export interface SignedRequest {
  method: string;
  /** The path exactly as in the request line, without the query. */
  path: string;
  /** The raw query, without `?`; empty if there is none. */
  query: string;
  timestamp: string;
  nonce: string;
  body: Buffer;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const NO_BODY = sha256(Buffer.alloc(0));
const SIGNATURE_PREFIX = 'v1=';

/** Thrown for a query that cannot be form-decoded. */
export class MalformedQuery extends Error {}

/** Returns the six lines that both sides sign (partner API documentation, "signing"). */
export function canonicalString(request: SignedRequest): string {
  const bodiless = request.method === 'GET' || request.method === 'HEAD';
  return [
    request.method.toUpperCase(),
    request.path,
    canonicalQuery(request.query),
    request.timestamp,
    request.nonce,
    bodiless ? NO_BODY : sha256(request.body),
  ].join('\n');
}

/**
 * Returns the query in its canonical form: form-decoded pairs, blank values and duplicates kept, sorted by name and
 * then value (UTF-16 code units), percent-encoded, joined with `&`.
 * @throws MalformedQuery for a malformed percent sequence
 */
export function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .filter((part) => part !== '')
    .map(decodePair)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

/** Returns the lowercase hex HMAC-SHA256 of a canonical string. */
export function computeSignature(secret: string, canonical: string): string {
  return createHmac('sha256', secret).update(canonical).digest('hex');
}

/** Returns whether `header` is `v1=` and the right digest, in constant time. */
export function isValidSignature(secret: string, canonical: string, header: string): boolean {
  return timingSafeEqualStrings(header, SIGNATURE_PREFIX + computeSignature(secret, canonical));
}

function decodePair(part: string): [string, string] {
  const cut = part.indexOf('=');
  return cut === -1
    ? [formDecode(part), '']
    : [formDecode(part.slice(0, cut)), formDecode(part.slice(cut + 1))];
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new MalformedQuery();
  }
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

import { createHash, createHmac, randomUUID } from 'node:crypto';

/**
 * Prevents sending a secret that was passed as the key ID.
 * @throws TypeError that contains neither value
 */
export function requireKeyPair({ keyId, secret }: KeyPair): void {
  if (!keyId.startsWith('pk_') || secret.startsWith('pk_')) {
    throw new TypeError(
      'The key ID is the one that starts with pk_, the secret the one that starts with sk_. Nothing was sent.',
    );
  }
}

/** A query as pairs of unencoded names and values. */
export type QueryPairs = readonly (readonly [name: string, value: string])[];

export interface KeyPair {
  keyId: string;
  secret: string;
}

export interface RequestToSign {
  method: string;
  /** The complete path of the request line, including `/api/partner`. */
  path: string;
  query: QueryPairs;
  /** The exact text that is sent. */
  body: string | undefined;
  /** When it is sent, in Unix milliseconds. */
  nowMs: number;
  /** Must be unique per request; generated if omitted. */
  nonce?: string;
}

/** Returns a query sorted by name, then value, and percent-encoded. Send it exactly like this. */
export function canonicalQuery(pairs: QueryPairs): string {
  return [...pairs]
    .sort(([oneName, oneValue], [name, value]) =>
      oneName === name ? compare(oneValue, value) : compare(oneName, name),
    )
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

/** Returns the six lines to sign. */
export function canonicalString(request: RequestToSign & { nonce: string }): string {
  const body = request.method === 'GET' || request.method === 'HEAD' ? '' : (request.body ?? '');
  return [
    request.method,
    request.path,
    canonicalQuery(request.query),
    timestampOf(request),
    request.nonce,
    createHash('sha256').update(body).digest('hex'),
  ].join('\n');
}

/** Returns the four headers of a signed request; use them only once. @throws TypeError for swapped keys */
export function signatureHeaders(keys: KeyPair, request: RequestToSign): Record<string, string> {
  requireKeyPair(keys);
  const nonce = request.nonce ?? randomUUID();
  const canonical = canonicalString({ ...request, nonce });
  return {
    'X-Service-Key-Id': keys.keyId,
    'X-Service-Timestamp': timestampOf(request),
    'X-Service-Nonce': nonce,
    'X-Service-Signature': `v1=${createHmac('sha256', keys.secret).update(canonical).digest('hex')}`,
  };
}

function timestampOf({ nowMs }: RequestToSign): string {
  return String(Math.floor(nowMs / 1_000));
}

/** Encodes by RFC 3986. encodeURIComponent leaves five reserved characters unencoded. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Compares by UTF-16 code units. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

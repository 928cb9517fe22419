import { createHash, createHmac, randomUUID } from 'node:crypto';

/**
 * Keeps a secret that stands in the place of the key id from being sent.
 * @throws TypeError that says nothing of either
 */
export function requireKeyPair({ keyId, secret }: KeyPair): void {
  if (!keyId.startsWith('pk_') || secret.startsWith('pk_')) {
    throw new TypeError(
      'The key id is the one that starts with pk_, the secret the one that starts with sk_. Nothing was sent.',
    );
  }
}

/** A query as names and values, not encoded. */
export type QueryPairs = readonly (readonly [name: string, value: string])[];

export interface KeyPair {
  keyId: string;
  secret: string;
}

export interface RequestToSign {
  method: string;
  /** The whole path of the request line, `/api/partner` included. */
  path: string;
  query: QueryPairs;
  /** The exact text that is sent. */
  body: string | undefined;
  /** When it is sent, in milliseconds of Unix time. */
  nowMs: number;
  /** New for every request; made up when left out. */
  nonce?: string;
}

/** Sorted by name, then value, and percent-encoded; to be sent just so. */
export function canonicalQuery(pairs: QueryPairs): string {
  return [...pairs]
    .sort(([oneName, oneValue], [name, value]) =>
      oneName === name ? compare(oneValue, value) : compare(oneName, name),
    )
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

/** The six lines that are signed. */
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

/** The four headers of a signed request; never use them twice. @throws TypeError for swapped keys */
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

/** RFC 3986: encodeURIComponent leaves five characters more than it may. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** By UTF-16 code units. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

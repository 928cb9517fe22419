import { randomUUID } from 'node:crypto';
import {
  canonicalString,
  computeSignature,
} from '../../shared/people/partners/request-signature.ts';
import type { KeyPair } from '../../test/support/signed-client.ts';

/** One request as it goes over the wire. */
export interface WireRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** A request signed as partners sign theirs; every POST has a key of its own against repetition. */
export function signedRequest(
  { keyId, secret }: KeyPair,
  method: WireRequest['method'],
  path: string,
  {
    query = {},
    sent,
  }: { query?: Readonly<Record<string, string>>; sent?: object | undefined } = {},
): WireRequest {
  const body = sent === undefined ? '' : JSON.stringify(sent);
  const search = new URLSearchParams(query).toString();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const nonce = randomUUID();
  const parts = { method, path, query: search, timestamp, nonce, body: Buffer.from(body) };
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      'x-service-key-id': keyId,
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': `v1=${computeSignature(secret, canonicalString(parts))}`,
      ...(body !== '' && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    },
    ...(body !== '' && { body }),
  };
}

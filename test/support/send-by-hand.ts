import { createHash, createHmac, randomUUID } from 'node:crypto';
import { httpCall } from './http-call.ts';
import type { KeyPair } from './signed-client.ts';

const EMPTY = createHash('sha256').update('').digest('hex');

/** The parts of a request to falsify. */
export interface Forgery {
  path?: string;
  query?: string;
  canonicalQuery?: string;
  method?: string;
  body?: string;
  secret?: string;
  headers?: Record<string, string | undefined>;
  timestamp?: string;
  nonce?: string;
  prefix?: string;
}

/** Sends a request signed by hand, independently of the code under test. */
export async function sendByHand(url: string, partner: KeyPair, f: Forgery = {}) {
  const { path = '/api/partner/v1/availability', query = 'domain=example.com', method = 'GET' } = f;
  const timestamp = f.timestamp ?? String(Math.floor(Date.now() / 1_000));
  const nonce = f.nonce ?? randomUUID();
  const hash = f.body === undefined ? EMPTY : createHash('sha256').update(f.body).digest('hex');
  const canonical = [method, path, f.canonicalQuery ?? query, timestamp, nonce, hash].join('\n');
  const digest = createHmac('sha256', f.secret ?? partner.secret)
    .update(canonical)
    .digest('hex');
  const headers: Record<string, string | undefined> = {
    'X-Service-Key-Id': partner.keyId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': `${f.prefix ?? 'v1='}${digest}`,
    ...(f.body !== undefined && { 'Content-Type': 'application/json' }),
    ...f.headers,
  };
  const answer = await httpCall(url, method, `${path}${query && `?${query}`}`, {
    headers,
    body: f.body,
  });
  return { ...answer, code: answer.body?.error?.code };
}

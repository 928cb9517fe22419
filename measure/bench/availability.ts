import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import {
  canonicalString,
  computeSignature,
} from '../../shared/people/partners/request-signature.ts';
import { givenListing, givenPartner } from '../../test/support/factories.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import type { KeyPair } from '../../test/support/signed-client.ts';
import { type Child, startChild } from '../support/child.ts';
import { alternateServers, type Figure, inParallel, perSecond } from '../support/figures.ts';

const REQUESTS = 8_000;
const CONCURRENCY = 20;
const PATH = '/api/partner/v1/availability';

/** Measures signed `GET /availability` against a bare Express route that returns a constant. */
export async function benchAvailability(): Promise<Figure> {
  const runtime = await createTestRuntime({
    DATABASE_POOL_SIZE: '10',
    RATE_LIMITS: 'on',
    LIMIT_SEARCH: '1000000000',
  });
  const partner = await givenPartner(runtime);
  const domains: string[] = [];
  for (let i = 0; i < 200; i += 1) domains.push((await givenListing(runtime)).domain);
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  const bare = await startChild('measure/bench/support/bare-express-process.ts', {});
  try {
    const side = (child: Child) => ({
      child,
      load: () => load(child.ready.port, signedRequests(partner, domains)),
    });
    const figures = await alternateServers(REQUESTS, side(api), side(bare));
    return {
      name: `Signed GET /availability, ${CONCURRENCY} connections (signature, nonce, rate limit, one SQL statement)`,
      unit: 'requests/s',
      limitName: 'bare Express route answering a constant, same requests',
      goal: { share: 0.5 },
      ...figures,
    };
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
    await runtime.stop();
  }
}

interface PreparedRequest {
  path: string;
  headers: Record<string, string>;
}

/** Signed before the measurement, so that the load generator's work does not count as the server's. */
function signedRequests(keys: KeyPair, domains: readonly string[]): PreparedRequest[] {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return Array.from({ length: REQUESTS }, (_, i) => {
    const query = `domain=${domains[i % domains.length]}`;
    const nonce = randomUUID();
    const canonical = canonicalString({
      method: 'GET',
      path: PATH,
      query,
      timestamp,
      nonce,
      body: Buffer.alloc(0),
    });
    return {
      path: `${PATH}?${query}`,
      headers: {
        'X-Service-Key-Id': keys.keyId,
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Signature': `v1=${computeSignature(keys.secret, canonical)}`,
      },
    };
  });
}

async function load(port: number, requests: readonly PreparedRequest[]): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  try {
    return await perSecond(requests.length, () =>
      inParallel(requests.length, CONCURRENCY, async (index) => {
        const prepared = requests[index];
        if (!prepared) return;
        const { statusCode, body } = await pool.request({ method: 'GET', ...prepared });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text}`);
      }),
    );
  } finally {
    await pool.close();
  }
}

import { Pool } from 'undici';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, inParallel, perSecond } from '../support/figures.ts';

const OPERATIONS = 8_000;
const PER_BATCH = 20;
const CONCURRENCY = 10;
const TLDS = ['com', 'net', 'org', 'de', 'uk', 'io', 'ai', 'dev', 'app', 'ca'];
const UNLIMITED = '1000000000';

/** Measures `POST /batch` of 20 reads against the same reads as single calls, over as many connections. */
export async function benchBatch(): Promise<Figure> {
  const runtime = await createTestRuntime({
    RATE_LIMITS: 'on',
    LIMIT_PUBLIC_READS: UNLIMITED,
    LIMIT_PUBLIC_BATCH: UNLIMITED,
  });
  await seedTlds(runtime);
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  try {
    const figures = await alternate(
      () => inBatches(api.ready.port),
      () => inSingleCalls(api.ready.port),
    );
    return {
      name: `POST /batch of ${PER_BATCH} TLD prices, ${CONCURRENCY} connections (each operation checked and limited by itself)`,
      unit: 'operations/s',
      limitName: 'the same prices as single calls',
      ...figures,
    };
  } finally {
    await api.stop();
    await runtime.stop();
  }
}

const tldOf = (index: number) => TLDS[index % TLDS.length];

async function inBatches(port: number): Promise<number> {
  const operations = Array.from({ length: PER_BATCH }, (_, index) => ({
    op: 'tld_registration_price',
    params: { tld: tldOf(index) },
  }));
  return load(port, OPERATIONS / PER_BATCH, {
    method: 'POST',
    path: () => '/api/batch',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ operations }),
    isGood: (text) => text.endsWith(`"count":${PER_BATCH},"failed":0}`),
  });
}

async function inSingleCalls(port: number): Promise<number> {
  return load(port, OPERATIONS, {
    method: 'GET',
    path: (index) => `/api/pricing/tld?tld=${tldOf(index)}`,
    isGood: (text) => text.includes('"price_cents"'),
  });
}

/** Returns operations per second. */
async function load(
  port: number,
  requests: number,
  request: {
    method: 'GET' | 'POST';
    path: (index: number) => string;
    headers?: Record<string, string>;
    body?: string;
    isGood: (text: string) => boolean;
  },
): Promise<number> {
  const { isGood, path, ...rest } = request;
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  try {
    return await perSecond(OPERATIONS, () =>
      inParallel(requests, CONCURRENCY, async (index) => {
        const { statusCode, body } = await pool.request({ ...rest, path: path(index) });
        const text = await body.text();
        if (statusCode !== 200 || !isGood(text)) throw new Error(`answered ${statusCode}: ${text}`);
      }),
    );
  } finally {
    await pool.close();
  }
}

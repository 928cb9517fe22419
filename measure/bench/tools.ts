import { type Dispatcher, Pool } from 'undici';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { accessTokenFor, givenOwner } from '../../test/support/oauth.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { toolCall } from '../../test/support/tools.ts';
import { startChild } from '../support/child.ts';
import { alternateServers, type Figure, inParallel, perSecond } from '../support/figures.ts';

const REQUESTS = 1_500;
const CONCURRENCY = 8;

/** Measures a tool call against the same read as a plain signed-in request. */
export async function benchTools(): Promise<Figure> {
  const runtime = await createTestRuntime();
  await seedTlds(runtime);
  const { id: userId } = await givenOwner(runtime);
  const token = await accessTokenFor(runtime, { userId });
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-06-18',
  };
  const call = JSON.stringify(toolCall('tld_registration_price', { tld: 'com' }));
  const load = (request: { method: 'GET' | 'POST'; path: string; body?: string }) => ({
    child: api,
    load: () => send(api.ready.port, { ...request, headers }),
  });
  try {
    return {
      name: `Tool call (MCP) of a TLD's price, ${CONCURRENCY} at once`,
      unit: 'calls/s',
      limitName: 'the same price by GET /pricing/tld, signed in alike',
      ...(await alternateServers(
        REQUESTS,
        load({ method: 'POST', path: '/api', body: call }),
        load({ method: 'GET', path: '/api/pricing/tld?tld=com' }),
      )),
    };
  } finally {
    await api.stop();
    await runtime.stop();
  }
}

async function send(port: number, request: Dispatcher.RequestOptions): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  try {
    return await perSecond(REQUESTS, () =>
      inParallel(REQUESTS, CONCURRENCY, async () => {
        const { statusCode, body } = await pool.request(request);
        const text = await body.text();
        if (statusCode !== 200 || !text.includes('price_cents')) {
          throw new Error(`answered ${statusCode}: ${text}`);
        }
      }),
    );
  } finally {
    await pool.close();
  }
}

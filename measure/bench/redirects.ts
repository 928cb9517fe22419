import { Pool } from 'undici';
import { BROWSER, givenAffiliate, givenLink } from '../../test/support/referrals.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { type Child, startChild } from '../support/child.ts';
import { alternateServers, type Figure, inParallel, perSecond } from '../support/figures.ts';

const REQUESTS = 12_000;
const CONCURRENCY = 50;
const LINKS = 50;

/** Measures `GET /r/{code}` with click counting against a bare Express route that redirects to a constant. */
export async function benchRedirects(): Promise<Figure> {
  const runtime = await createTestRuntime();
  const affiliate = await givenAffiliate(runtime);
  const paths: string[] = [];
  for (let i = 0; i < LINKS; i += 1) paths.push(`/r/${(await givenLink(runtime, affiliate)).code}`);
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  const bare = await startChild('measure/bench/support/bare-express-process.ts', {});
  try {
    const side = (child: Child) => ({ child, load: () => load(child.ready.port, paths) });
    const figures = await alternateServers(REQUESTS, side(api), side(bare));
    return {
      name: `GET /r/{code}, ${CONCURRENCY} connections (target, click and visitor counted in Redis)`,
      unit: 'redirects/s',
      limitName: 'bare Express route that redirects to a constant, same requests',
      ...figures,
    };
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
    await runtime.stop();
  }
}

async function load(port: number, paths: readonly string[]): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  try {
    return await perSecond(REQUESTS, () =>
      inParallel(REQUESTS, CONCURRENCY, async (index) => {
        const { statusCode, body } = await pool.request({
          method: 'GET',
          path: paths[index % paths.length] ?? '/',
          headers: { 'User-Agent': `${BROWSER} ${index % 1_000}` },
        });
        await body.dump();
        if (statusCode !== 302) throw new Error(`answered ${statusCode}`);
      }),
    );
  } finally {
    await pool.close();
  }
}

import { randomUUID } from 'node:crypto';
import { OWNERS_ENVIRONMENT } from '../../shared/domains/owned-domains/owned-domain.ts';
import { givenOwnerOf, type Owner } from '../../test/support/bulk.ts';
import { eventually } from '../../test/support/eventually.ts';
import { accessTokenFor } from '../../test/support/oauth.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, inParallel, perSecond, times } from '../support/figures.ts';

const DOMAINS = 1_000;
/** In sequence, so that both sides take about a second. */
const OPERATIONS = 8;

/** Measures a bulk operation from its request to its last result, against the registrar calls alone. */
export async function benchBulk(): Promise<Figure> {
  const runtime = await createTestRuntime();
  const { bulkConcurrency, bulkParallelCalls } = runtime.config;
  const concurrency = bulkConcurrency * bulkParallelCalls;
  const owner = await givenOwnerOf(runtime, DOMAINS);
  const token = await accessTokenFor(runtime, {
    userId: owner.userId,
    scopes: ['domains:manage'],
  });
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  const worker = await startChild('measure/bench/support/worker-process.ts', {
    ...runtime.env,
    BENCH_QUEUE: 'bulk-domains',
  });
  try {
    const url = `http://127.0.0.1:${api.ready.port}/api/domains/bulk/privacy`;
    const figures = await alternate(
      () => throughTheService(runtime, owner, { url, token }),
      () => callsAlone(runtime, owner, concurrency),
    );
    return {
      name: `Bulk operation on ${DOMAINS.toLocaleString('en-US')} domains, one worker process (request, chunks, calls, results)`,
      unit: 'domains/s',
      limitName: `bare loop of calls to the same registrar, ${concurrency} at once`,
      goal: { share: 0.67 },
      ...figures,
    };
  } finally {
    await worker.stop();
    await api.stop();
    await runtime.stop();
  }
}

let enabled = false;

async function throughTheService(
  { db }: TestRuntime,
  { domains }: Owner,
  { url, token }: { url: string; token: string },
): Promise<number> {
  return perSecond(OPERATIONS * DOMAINS, () =>
    times(OPERATIONS, async () => {
      enabled = !enabled;
      const answer = await fetch(url, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ domains, params: { enabled } }),
      });
      const { id } = (await answer.json()) as { id: string };
      const { succeeded } = await eventually(
        () => db.knex('bulk_jobs').where({ id }).first('succeeded', 'finished_at'),
        (job) => job?.finished_at != null,
        { everyMs: 5, withinMs: 60_000 },
      );
      if (succeeded !== DOMAINS) throw new Error(`${succeeded} domains were changed`);
    }),
  );
}

async function callsAlone(
  { registrars }: TestRuntime,
  { domains }: Owner,
  concurrency: number,
): Promise<number> {
  const registrar = registrars(OWNERS_ENVIRONMENT);
  return perSecond(OPERATIONS * DOMAINS, () =>
    times(OPERATIONS, () => {
      enabled = !enabled;
      const run = randomUUID();
      return inParallel(DOMAINS, concurrency, async (at) => {
        await registrar.change({
          clientReference: `${run}:${at}`,
          domain: domains[at] as string,
          change: { kind: 'privacy', enabled },
        });
      });
    }),
  );
}

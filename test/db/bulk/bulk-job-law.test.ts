import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  BULK_JOB_MOVES,
  type BulkItem,
  type BulkJob,
  type ItemResult,
} from '../../../shared/domains/bulk/bulk-job.ts';
import { cancelBulkJob } from '../../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { recordResults, startRegistrarChunk } from '../../../shared/domains/bulk/process-chunk.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { givenBulkJob, givenOwnerOf, itemsNow, jobNow, type Owner } from '../../support/bulk.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const DOMAINS = 8;

type Step =
  | { kind: 'start'; from: number; size: number }
  | { kind: 'record'; results: ItemResult[] }
  | { kind: 'cancel' };

const position = fc.nat({ max: DOMAINS - 1 });
const result: fc.Arbitrary<ItemResult> = fc.oneof(
  position.map((at): ItemResult => ({ position: at, state: 'ok', code: null, message: null })),
  position.map(
    (at): ItemResult => ({ position: at, state: 'error', code: 'conflict', message: 'No.' }),
  ),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      from: position,
      size: fc.integer({ min: 1, max: DOMAINS }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      results: fc.uniqueArray(result, { selector: (each) => each.position, maxLength: DOMAINS }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
);

describe('a bulk job under random worker and owner actions', () => {
  let runtime: TestRuntime;
  let owner: Owner;
  beforeAll(async () => {
    runtime = await createTestRuntime();
    owner = await givenOwnerOf(runtime, DOMAINS);
  });
  afterAll(() => runtime.stop());

  async function take(job: BulkJob, step: Step): Promise<void> {
    if (step.kind === 'start') {
      const { from, size } = step;
      await startRegistrarChunk(runtime, job, {
        jobId: job.id,
        from,
        to: Math.min(DOMAINS, from + size),
      });
    } else if (step.kind === 'record') {
      const told = { results: step.results, facts: [] };
      await runtime.db.transact((uow) => recordResults(uow, job.id, told));
    } else {
      await runtime.db
        .transact((uow) => cancelBulkJob(uow, job))
        .catch((error) => {
          if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
        });
    }
  }

  const having = (items: readonly BulkItem[], ...states: BulkItem['state'][]) =>
    items.filter(({ state }) => states.includes(state)).length;

  function expectLaws(
    before: { job: BulkJob; items: BulkItem[] },
    job: BulkJob,
    items: BulkItem[],
  ) {
    expect([job.succeeded, job.failed, job.cancelled]).toEqual([
      having(items, 'ok'),
      having(items, 'error'),
      having(items, 'cancelled'),
    ]);
    expect(job.finishedAt === null).toBe(having(items, 'pending', 'started') > 0);
    expect(['completed', 'completed_with_errors'].includes(job.status)).toBe(
      job.finishedAt !== null && job.status !== 'cancelled',
    );
    if (job.status === 'completed') expect(job.failed).toBe(0);
    if (job.status === 'cancelled') expect(having(items, 'pending')).toBe(0);
    if (job.status === 'queued') expect(having(items, 'pending')).toBe(DOMAINS);
    if (job.status !== before.job.status) {
      expect(reachable(before.job.status)).toContain(job.status);
    }
    for (const [at, was] of before.items.entries()) {
      if (['ok', 'error', 'cancelled'].includes(was.state)) expect(items[at]).toEqual(was);
      else if (was.state === 'started') expect(items[at]?.state).not.toBe('pending');
    }
  }

  function reachable(from: string): string[] {
    return Object.values(BULK_JOB_MOVES)
      .filter((move) => (move.from as readonly string[]).includes(from))
      .map(({ to }) => to);
  }

  it('counts each domain once, finishes when all domains do, and keeps every result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const job = await givenBulkJob(runtime, owner, { op: 'lock', params: { enabled: true } });
        let before = { job, items: await itemsNow(runtime, job) };
        for (const each of steps) {
          await take(job, each);
          const [now, items] = [await jobNow(runtime, job), await itemsNow(runtime, job)];
          expectLaws(before, now, items);
          before = { job: now, items };
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps its counts consistent when the actions run concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), async (steps) => {
        const job = await givenBulkJob(runtime, owner, { op: 'lock', params: { enabled: true } });
        await Promise.all(steps.map((each) => take(job, each)));
        const [now, items] = [await jobNow(runtime, job), await itemsNow(runtime, job)];
        expect([now.succeeded, now.failed, now.cancelled]).toEqual([
          having(items, 'ok'),
          having(items, 'error'),
          having(items, 'cancelled'),
        ]);
        expect(now.finishedAt === null).toBe(having(items, 'pending', 'started') > 0);
      }),
      { numRuns: 40 },
    );
  });
});

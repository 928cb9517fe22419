import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { failDeadChunks, startRegistrarChunk } from '../../../shared/domains/bulk/process-chunk.ts';
import { HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { givenBulkJob, givenOwnerOf, itemsNow, jobNow } from '../../support/bulk.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const LOCK = { op: 'lock', params: { enabled: true } } as const;

describe('a bulk job with a dead chunk', () => {
  let runtime: TestRuntime;
  beforeEach(async () => {
    runtime = await createTestRuntime({ bulkChunkSize: 2 });
  });
  afterEach(() => runtime.stop());

  /** Marks the chunk at this position as dead, as the last failed attempt does. */
  const bury = (jobId: string, from: number) =>
    runtime.db
      .knex('outbox')
      .where({ dedupe_key: `bulk:${jobId}:${from}` })
      .update({ state: 'dead' });

  it('finishes and reports an error for each domain in the chunk', async () => {
    const owner = await givenOwnerOf(runtime, 2);
    const job = await givenBulkJob(runtime, owner, LOCK);
    await startRegistrarChunk(runtime, job, { jobId: job.id, from: 0, to: 2 });
    await bury(job.id, 0);
    runtime.clock.advance(HOUR);
    expect(await failDeadChunks(runtime, 10)).toBe(2);
    expect(await jobNow(runtime, job)).toMatchObject({
      status: 'completed_with_errors',
      failed: 2,
      finishedAt: expect.any(Date),
    });
    for (const item of await itemsNow(runtime, job)) {
      expect(item).toMatchObject({ state: 'error', code: 'internal_error' });
    }
    expect(await failDeadChunks(runtime, 10)).toBe(0);
  });

  it('finishes even if no chunk was started', async () => {
    const owner = await givenOwnerOf(runtime, 1);
    const job = await givenBulkJob(runtime, owner, LOCK);
    await bury(job.id, 0);
    runtime.clock.advance(HOUR);
    expect(await failDeadChunks(runtime, 10)).toBe(1);
    expect((await jobNow(runtime, job)).status).toBe('completed_with_errors');
  });

  it('waits for its other chunks and does not affect other jobs', async () => {
    const owner = await givenOwnerOf(runtime, 4);
    const [job, other] = [
      await givenBulkJob(runtime, owner, LOCK),
      await givenBulkJob(runtime, owner, LOCK),
    ];
    await bury(job.id, 2);
    runtime.clock.advance(HOUR);
    expect(await failDeadChunks(runtime, 10)).toBe(2);
    expect(await jobNow(runtime, job)).toMatchObject({
      status: 'running',
      failed: 2,
      finishedAt: null,
    });
    expect((await itemsNow(runtime, job)).map(({ state }) => state)).toEqual([
      'pending',
      'pending',
      'error',
      'error',
    ]);
    expect(await jobNow(runtime, other)).toMatchObject({ status: 'queued', failed: 0 });
  });

  it('is left alone for the first ten minutes', async () => {
    const owner = await givenOwnerOf(runtime, 1);
    const job = await givenBulkJob(runtime, owner, LOCK);
    await bury(job.id, 0);
    runtime.clock.advance(9 * MINUTE);
    expect(await failDeadChunks(runtime, 10)).toBe(0);
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cancelBulkJob } from '../../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { deleteExpired } from '../../../shared/operations/retention/delete-expired.ts';
import { DAY } from '../../../shared/platform/clock.ts';
import { givenBulkJob, givenOwnerOf } from '../../support/bulk.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

it('deletes bulk jobs and results some time after they finish, but never open ones', async () => {
  const owner = await givenOwnerOf(runtime, 2);
  const over = await givenBulkJob(runtime, owner, { op: 'unlist', params: {} });
  await runtime.db.transact((uow) => cancelBulkJob(uow, over));
  const open = await givenBulkJob(runtime, owner, { op: 'unlist', params: {} });
  runtime.clock.advance(89 * DAY);
  expect(await deleteExpired(runtime)).toEqual({});
  runtime.clock.advance(2 * DAY);
  expect(await deleteExpired(runtime)).toMatchObject({ bulk_jobs: 1 });
  expect(await runtime.db.knex('bulk_jobs').pluck('id')).toEqual([open.id]);
  expect(await runtime.db.knex('bulk_items').distinct('job_id').pluck('job_id')).toEqual([open.id]);
});

import { expect, it } from '@jest/globals';
import { REGISTRY, SCHEDULED_TASKS } from '../../workers/job-registry.ts';
import { indexEveryJob, indexRegistry } from '../../workers/runtime/job-handler.ts';

it('the job registry has a handler for every job that can be enqueued', () => {
  expect(() => indexEveryJob(REGISTRY)).not.toThrow();
  expect(() => indexEveryJob(SCHEDULED_TASKS)).toThrow(/no handler does the job \w+\//);
});

it('the job registry rejects two entries for the same job', () => {
  const twice = [...SCHEDULED_TASKS, ...SCHEDULED_TASKS.slice(0, 1)];
  expect(() => indexRegistry(twice)).toThrow(/two entries of the job registry claim/);
});

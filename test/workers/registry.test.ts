import { expect, it } from '@jest/globals';
import { REGISTRY, SCHEDULED_TASKS } from '../../workers/job-registry.ts';
import { indexEveryJob, indexRegistry } from '../../workers/runtime/job-handler.ts';

it('the registry of the fleet has a handler for each job that can be asked for', () => {
  expect(() => indexEveryJob(REGISTRY)).not.toThrow();
  expect(() => indexEveryJob(SCHEDULED_TASKS)).toThrow(/no handler does the job \w+\//);
});

it('a registry in which two entries claim the same work is refused', () => {
  const twice = [...SCHEDULED_TASKS, ...SCHEDULED_TASKS.slice(0, 1)];
  expect(() => indexRegistry(twice)).toThrow(/two entries of the job registry claim/);
});

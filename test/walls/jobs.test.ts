import { describe, expect, it } from '@jest/globals';
import { REGISTRY } from '../../workers/job-registry.ts';
import { readSources } from '../support/sources.ts';

describe('the jobs of the outbox', () => {
  it('each have a row in workers/job-registry.ts, and no row is for a job that nobody asks for', () => {
    const asked = readSources()
      .filter(({ file }) => file.startsWith('shared/') && file.endsWith('.jobs.ts'))
      .flatMap(({ text }) => [...text.matchAll(/\bqueue: '([\w-]+)',\s*name: '([\w-]+)'/g)])
      .map(([, queue, name]) => `${queue} ${name}`);
    const served = REGISTRY.filter((row) => 'processor' in row).map(
      ({ queue, name }) => `${queue} ${name}`,
    );
    expect(served.sort()).toEqual([...new Set(asked)].sort());
  });
});

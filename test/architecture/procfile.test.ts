import { describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '../../shared/messaging/jobs/job-queues.ts';
import { readProjectFile } from '../support/sources.ts';

describe('Procfile', () => {
  const processes = [...readProjectFile('Procfile').matchAll(/^([\w-]+): (.+)$/gm)].map(
    ([, name = '', command = '']) => ({ name, command }),
  );

  it('has one worker process per queue', () => {
    const served = processes
      .map(({ name, command }) => [name, /--queues (\S+)/.exec(command)?.[1]] as const)
      .filter(([, queue]) => queue !== undefined);
    expect(served.sort()).toEqual(
      QUEUE_NAMES.map((queue) => [`worker-${queue}`, queue] as const).toSorted(),
    );
  });

  it('starts existing files', () => {
    for (const { command } of processes) {
      const file = /\S+\.(ts|sh)/.exec(command)?.[0] ?? '';
      expect(readProjectFile(file)).not.toBe('');
    }
  });
});

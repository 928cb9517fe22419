import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const { keepService } = await import(String('../../../scripts/lib/keep-service.mjs'));

interface Ended {
  code: number | null;
  signal: string | null;
}

let folder: string;
let log: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dm-test-services-'));
  log = join(folder, 'service.log');
});
afterEach(() => rm(folder, { recursive: true }));

/** A service that fails to start as often as said, after the first time, and a way to end it. */
function scriptedService(failures: number) {
  const started: ((result: Ended) => void)[] = [];
  const start = async () => {
    if (started.length > 0 && failures > 0) {
      failures -= 1;
      throw new Error('No space left on device');
    }
    const exited = new Promise<Ended>((resolve) => started.push(resolve));
    return { exited, log, stop: async () => started.at(-1)?.({ code: 0, signal: null }) };
  };
  return { start, end: (result: Ended) => started.at(-1)?.(result) };
}

describe('a service of a start that dies', () => {
  it('is started again until it starts, and its log is shown', async () => {
    const steps: (() => Promise<void>)[] = [];
    const told: string[] = [];
    let isBack = () => {};
    const back = new Promise<void>((resolve) => {
      isBack = resolve;
    });
    const tell = (text: string) => {
      told.push(text);
      if (text.endsWith('running again.')) isBack();
    };
    const shutdown = { add: (step: () => Promise<void>) => steps.push(step) };
    const service = scriptedService(2);
    await keepService(shutdown, 'Postgres', service.start, {
      restart: true,
      tell,
      firstDelayMs: 1,
    });

    writeFileSync(log, 'LOG:  ready\nPANIC:  could not write to file\n');
    service.end({ code: null, signal: 'SIGABRT' });
    await back;
    expect(told).toEqual([
      'Postgres stopped unexpectedly (signal SIGABRT); starting it again. Its log ended with:\n' +
        'LOG:  ready\nPANIC:  could not write to file',
      'Postgres cannot be started again yet; trying on. No space left on device',
      'Postgres is running again.',
    ]);

    for (const step of steps) await step();
    expect(told).toHaveLength(3);
  });
});

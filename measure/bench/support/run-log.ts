import { openSync, readFileSync, writeSync } from 'node:fs';

const file = process.env.BENCH_RUN_LOG;
const descriptor = file ? openSync(file, 'a') : undefined;

/** Records at once that this job ran, so that a killed process has logged everything it did. */
export function logRun(n: number): void {
  if (descriptor !== undefined) writeSync(descriptor, `${n} ${Date.now()}\n`);
}

/** Returns what ran and when, in milliseconds since 1970, in order of time. */
export function readRuns(path: string): { n: string; at: number }[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [n = '', at] = line.split(' ');
      return { n, at: Number(at) };
    });
}

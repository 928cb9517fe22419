import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type Logger } from '../../shared/platform/observability/logger.ts';
import type { Redis } from '../../shared/platform/redis/redis.ts';
import { readKey } from './redis-values.ts';

/** Where `npm run test:secrets` has everything kept that a run leaves behind; no other run keeps it. */
const FOLDER = process.env.TEST_LEAVINGS;

/** The file for one kind of leavings of this process; undefined when nothing is kept. */
export function leavingsFile(kind: 'log' | 'redis'): string | undefined {
  return FOLDER && join(FOLDER, `${kind}-${process.pid}.txt`);
}

/** A logger that says all that it can into that file; undefined when nothing is kept. */
export function leavingsLog(): Logger | undefined {
  const file = leavingsFile('log');
  if (file === undefined) return undefined;
  return createLogger(
    { level: 'trace', name: 'test' },
    { write: (line) => appendFileSync(file, line) },
  );
}

/** Keeps what stands in Redis under these keys: jobs, counters, markers. */
export async function keepKeys(redis: Redis, keys: readonly string[]): Promise<void> {
  const file = leavingsFile('redis');
  if (file === undefined) return;
  for (const key of keys) {
    const value = await readKey(redis, key).catch(String);
    appendFileSync(file, `${JSON.stringify({ key, value })}\n`);
  }
}

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type Logger } from '../../shared/platform/observability/logger.ts';
import type { Redis } from '../../shared/platform/redis/redis.ts';
import { readKey } from './redis-values.ts';

/** The folder in which `npm run test:secrets` stores everything that a run leaves behind; other runs store nothing. */
const FOLDER = process.env.TEST_LEAVINGS;

/** Returns the file for one kind of this process's leavings; undefined if nothing is stored. */
export function leavingsFile(kind: 'log' | 'redis'): string | undefined {
  return FOLDER && join(FOLDER, `${kind}-${process.pid}.txt`);
}

/** Returns a logger that logs everything to that file; undefined if nothing is stored. */
export function leavingsLog(): Logger | undefined {
  const file = leavingsFile('log');
  if (file === undefined) return undefined;
  return createLogger(
    { level: 'trace', name: 'test' },
    { write: (line) => appendFileSync(file, line) },
  );
}

/** Stores the values of these Redis keys: jobs, counters, markers. */
export async function keepKeys(redis: Redis, keys: readonly string[]): Promise<void> {
  const file = leavingsFile('redis');
  if (file === undefined) return;
  for (const key of keys) {
    const value = await readKey(redis, key).catch(String);
    appendFileSync(file, `${JSON.stringify({ key, value })}\n`);
  }
}

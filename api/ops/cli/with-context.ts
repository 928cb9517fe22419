import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../shared/platform/config.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { createLogger } from '../../../shared/platform/logger.ts';
import { untilReady } from '../../../shared/platform/redis.ts';
import { createRuntime } from '../../../shared/runtime.ts';
import type { OpsAction, OpsContext } from '../action.ts';

/** An announcement that can't be made in this time is left to the caches' own expiry. */
const ANNOUNCE_MS = 1_000;
const ASK_MS = 3_000;
const STOP_MS = 2_000;

/** Runs `work` with a runtime of its own. Postgres must answer; Redis only as far as the action needs it. */
export async function withContext<T>(
  env: NodeJS.ProcessEnv | undefined,
  redisNeed: OpsAction['redis'],
  work: (context: OpsContext) => Promise<T>,
): Promise<T> {
  const log = createLogger({ level: 'silent', name: 'ops' });
  const runtime = createRuntime(loadConfig(env, { makesKey: false }), { process: 'ops', log });
  try {
    if (redisNeed === 'announces') await untilReady(runtime.redis, ANNOUNCE_MS).catch(() => {});
    if (redisNeed === 'asks' && !(await within(ASK_MS, runtime.ready()))) {
      throw fail('service_unavailable', { message: 'Redis does not answer.' });
    }
    return await work({ ...runtime, actor: actorOfShell() });
  } finally {
    // Without Redis some connections never finish closing; the process ends anyway.
    await within(STOP_MS, runtime.stop());
  }
}

/** Whether `work` came to a good end in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => false,
      ),
      sleep(ms, false, { signal: over.signal }),
    ]);
  } finally {
    over.abort();
  }
}

function actorOfShell(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return 'cli';
  }
}

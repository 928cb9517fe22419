import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { type ApiServices, composeApi } from '../../api/compose-api.ts';
import { openInfrastructure } from '../../shared/operations/infrastructure.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { type Config, loadConfig } from '../../shared/platform/config/config.ts';
import { TUNING } from '../../shared/platform/config/tuning.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import { composeWorkers, type WorkerServices } from '../../workers/compose-workers.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { createTestDatabase } from './database.ts';
import { keepKeys, leavingsLog } from './leavings.ts';
import { secretsKey } from './secrets-key.ts';
import { environmentOf, type TestSettings } from './settings.ts';

/** What an API process and a worker process work with, in one. */
export type Runtime = ApiServices & WorkerServices;

/** The runtime of one process; `clock` and `log` can be handed in. */
export function createRuntime(
  config: Config,
  options: { process: string; clock?: Clock; log?: Logger },
): Runtime {
  const infrastructure = openInfrastructure(config, options);
  return { ...composeWorkers(infrastructure), ...composeApi(infrastructure) };
}

export interface TestRuntime extends Runtime {
  clock: TestClock;
  /** What another process would need to join: a second runtime, a spawned worker. */
  env: Record<string, string>;
}

const SECRETS_KEY = secretsKey().toString('base64');

/**
 * A runtime on a database and a Redis prefix of its own. `settings` override what tests use.
 * `stop()` drops the database and the keys. `postgres` is a server other than the run's own.
 */
export async function createTestRuntime(
  settings: TestSettings = {},
  postgres?: string,
): Promise<TestRuntime> {
  const database = await createTestDatabase(postgres);
  const redisPrefix = `t${randomBytes(6).toString('hex')}`;
  const full = environmentOf({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    REDIS_URL: process.env.TEST_REDIS_URL ?? '',
    REDIS_PREFIX: redisPrefix,
    SECRETS_KEY,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    DATA_DIR: tmpdir(),
    DATABASE_POOL_SIZE: '10',
    RATE_LIMITS: 'off',
    SEARCH_ENCODER: 'off',
    MAIL: 'off',
    PORT: '0',
    BASE_URL: 'http://localhost:3000',
    ...patienceFor(settings),
    ...settings,
  });
  const clock = createTestClock();
  const log = leavingsLog();
  const runtime = createRuntime(loadConfig(full), { process: 'test', clock, ...(log && { log }) });
  await runtime.ready();
  return {
    ...runtime,
    clock,
    env: full,
    async stop() {
      await deleteKeys(runtime, redisPrefix).catch(() => {});
      await runtime.stop();
      await database.drop();
    },
  };
}

/**
 * So that nobody is given up, and no request fails, while the machine holds a process up for seconds. A Redis of the test's
 * own is there to fail: that shows as soon as anywhere. Production takes no such settings, and who measures wants its own.
 */
function patienceFor({ NODE_ENV, REDIS_URL }: TestSettings): TestSettings {
  if (NODE_ENV === 'production' || process.env.JEST_WORKER_ID === undefined) return {};
  const locks = { databaseLockMs: 15_000, callerWaitMs: 15_000 };
  return REDIS_URL === undefined ? { ...locks, redisCommandMs: 20_000 } : locks;
}

/** Another process's view of the same marketplace; stop it before the first one. */
export async function joinRuntime(
  first: TestRuntime,
  settings: TestSettings = {},
): Promise<Runtime> {
  const own = settings.REDIS_URL !== undefined && { redisCommandMs: TUNING.redisCommandMs };
  const config: Config = loadConfig(environmentOf({ ...first.env, ...own, ...settings }));
  const runtime = createRuntime(config, { process: 'test-2', clock: first.clock });
  await runtime.ready();
  return runtime;
}

async function deleteKeys(runtime: Runtime, prefix: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await runtime.redis.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 500);
    await keepKeys(runtime.redis, keys);
    if (keys.length > 0) await runtime.redis.unlink(...keys);
    cursor = next;
  } while (cursor !== '0');
}

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

/** The services of an API process and of a worker process, in one. */
export type Runtime = ApiServices & WorkerServices;

/** Creates the runtime of one process; `clock` and `log` can be passed in. */
export function createRuntime(
  config: Config,
  options: { process: string; clock?: Clock; log?: Logger },
): Runtime {
  const infrastructure = openInfrastructure(config, options);
  return { ...composeWorkers(infrastructure), ...composeApi(infrastructure) };
}

export interface TestRuntime extends Runtime {
  clock: TestClock;
  /** The environment for another process of the same marketplace: a second runtime, a spawned worker. */
  env: Record<string, string>;
}

const SECRETS_KEY = secretsKey().toString('base64');

/**
 * Creates a runtime with its own database and Redis prefix. `settings` override the test defaults. `stop()` drops the
 * database and the keys. `postgres` is a server other than the run's own.
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
 * Returns longer timeouts, so that no job is given up and no request fails while the machine stalls a process. Not for
 * a test's own Redis, whose failures must show quickly, for production settings, or for measurements.
 */
function patienceFor({ NODE_ENV, REDIS_URL }: TestSettings): TestSettings {
  if (NODE_ENV === 'production' || process.env.JEST_WORKER_ID === undefined) return {};
  const locks = { databaseLockMs: 15_000, callerWaitMs: 15_000 };
  return REDIS_URL === undefined ? { ...locks, redisCommandMs: 20_000 } : locks;
}

/** Opens the same marketplace for another process; stop it before the first one. */
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

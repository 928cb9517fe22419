import { type RequestHandler, Router } from 'express';
import { pendingMigrations } from '../../db/migrate.ts';
import { createFleetMetrics } from '../../shared/operations/monitoring/fleet-metrics.ts';
import { SECOND } from '../../shared/platform/clock.ts';
import { inTime } from '../../shared/platform/concurrency/deadline.ts';
import { readEvictionPolicy } from '../../shared/platform/redis/eviction-policy.ts';
import { isRedisUnavailable } from '../../shared/platform/redis/redis.ts';
import { agreesWithRedis } from '../../shared/platform/redis/redis-clock.ts';
import { probeWrites } from '../../shared/platform/redis/write-probe.ts';
import type { ApiServices } from '../compose-api.ts';
import { onlyMethods } from '../http/error-response.ts';

/**
 * Serves `/healthz` (the process is alive) and `/readyz` (it can serve requests); outside production also `/metrics`,
 * those of the process and of the installation. In production, only METRICS_PORT has them.
 */
export function healthRouter(runtime: ApiServices): Router {
  const router = Router();
  const serve = (path: string, handler: RequestHandler) =>
    router
      .route(path)
      .get(handler)
      .all(onlyMethods(['GET']));
  const readiness = createReadiness(runtime);
  serve('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  serve('/readyz', async (_req, res) => {
    const { ready, checks } = await readiness();
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', checks });
  });
  if (runtime.config.nodeEnv !== 'production') {
    const { registry } = runtime.metrics;
    const fleet = createFleetMetrics(runtime);
    serve('/metrics', async (_req, res) => {
      const texts = await Promise.all([registry.metrics(), fleet.read()]);
      res.type(registry.contentType).send(texts.join('\n'));
    });
  }
  return router;
}

/**
 * `read_only`: Postgres or Redis accepts no writes. `evicts`: a full Redis would evict nonces. `clock_off`: the Redis clock
 * differs from the Postgres clock.
 */
type Check = 'ok' | 'failed' | 'read_only' | 'evicts' | 'clock_off';

/** Whether this process can serve requests, with the result of each check. */
interface Readiness {
  ready: boolean;
  checks: { postgres: Check; redis: Check; migrations: Check };
}

const CHECK_MS = 2 * SECOND;
/** How long a result is cached; only one check runs at a time, however many callers ask. */
const FRESH_MS = 1 * SECOND;

/** Checks whether the process can serve requests, at most once a second. Never throws. */
function createReadiness(runtime: ApiServices): () => Promise<Readiness> {
  let reading: Promise<Readiness> | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (!reading || performance.now() - endedAt >= FRESH_MS) {
      endedAt = Number.POSITIVE_INFINITY;
      reading = readReadiness(runtime).finally(() => {
        endedAt = performance.now();
      });
    }
    return reading;
  };
}

async function readReadiness(runtime: ApiServices): Promise<Readiness> {
  const { db } = runtime;
  const [postgres, redisCheck, migrations] = await Promise.all([
    checkInTime(async () => ((await db.isWritable()) ? 'ok' : 'read_only')),
    checkInTime(() => checkRedis(runtime)),
    checkInTime(async () => ((await pendingMigrations(db.knex)).length === 0 ? 'ok' : 'failed')),
  ]);
  const checks = { postgres, redis: redisCheck, migrations };
  return { ready: Object.values(checks).every((check) => check === 'ok'), checks };
}

async function checkRedis({ config, redis, postgresClock, log }: ApiServices): Promise<Check> {
  const [policy, agreed, refusal] = await Promise.all([
    readEvictionPolicy(redis),
    agreesWithRedis(postgresClock, redis),
    probeWrites(redis, config.redisPrefix).then(
      () => undefined,
      (error: Error) => error,
    ),
  ]);
  if (policy === 'evicts') {
    log.error('redis: its maxmemory-policy evicts keys; set it to noeviction');
    return 'evicts';
  }
  if (refusal) {
    if (refusal.name !== 'ReplyError' || !isRedisUnavailable(refusal)) throw refusal;
    log.error({ err: refusal }, 'redis: it refuses writes, so signed requests get 503');
    return 'read_only';
  }
  if (agreed) return 'ok';
  log.error('redis: its clock is minutes away from that of Postgres; synchronize both');
  return 'clock_off';
}

function checkInTime(check: () => Promise<Check>): Promise<Check> {
  return inTime(check(), CHECK_MS).catch(() => 'failed');
}

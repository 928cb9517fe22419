import { Router } from 'express';
import { pendingMigrations } from '../../db/migrate.ts';
import { createFleetMetrics } from '../../shared/monitoring/create-fleet-metrics.ts';
import type { Runtime } from '../../shared/runtime.ts';

const CHECK_MS = 2_000;

/** `/healthz` (the process lives), `/readyz` (it can serve), `/metrics` (Prometheus). */
export function healthRouter(runtime: Runtime): Router {
  const router = Router();
  const fleet = createFleetMetrics(runtime);
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const checks = {
      postgres: await holds(() => runtime.db.knex.raw('select 1')),
      redis: await holds(() => runtime.redis.ping()),
      migrations: await holds(async () => {
        const missing = await pendingMigrations(runtime.db.knex);
        if (missing.length > 0) throw new Error(`not applied: ${missing.join(', ')}`);
      }),
    };
    const ready = Object.values(checks).every((check) => check === 'ok');
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', checks });
  });
  router.get('/metrics', async (_req, res) => {
    const { registry } = runtime.metrics;
    const parts = await Promise.all([registry.metrics(), fleet.read()]);
    res.type(registry.contentType).send(parts.join('\n'));
  });
  return router;
}

async function holds(check: () => Promise<unknown>): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('too slow')), CHECK_MS);
  });
  try {
    await Promise.race([check(), tooLate]);
    return 'ok';
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}

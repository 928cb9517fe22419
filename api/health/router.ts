import { Router } from 'express';
import type { Runtime } from '../../shared/runtime.ts';
import { createReadiness } from './readiness.ts';

/** `/healthz` (the process lives) and `/readyz` (it can serve). */
export function healthRouter(runtime: Runtime): Router {
  const router = Router();
  const readiness = createReadiness(runtime);
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const { ready, checks } = await readiness();
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', checks });
  });
  return router;
}

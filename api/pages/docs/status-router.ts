import { Router } from 'express';
import { createServiceStatus, STATUS_CACHE_MS } from '../../../shared/monitoring/service-status.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { anonymousCaller } from '../../public/caller.ts';
import { type PublicLimits, rateLimitHeaders, requireWithinLimit } from '../../public/limits.ts';
import { setPortalHeaders } from './page-headers.ts';
import { statusPage } from './status.view.ts';

const SECONDS = STATUS_CACHE_MS / SECOND;

/** `GET /status.json`, open to the pages of every origin, and `/docs/status`, which shows it. */
export function statusRouter(runtime: Runtime, limits: PublicLimits): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const read = createServiceStatus(runtime);
  router.get('/status.json', async (req, res) => {
    res.locals.route = '/status.json';
    res.set({
      'Access-Control-Allow-Origin': '*',
      // Helmet keeps other origins from reading what it does not know to be open.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    const slot = await limits.take('reads', anonymousCaller(req));
    res.set(rateLimitHeaders(slot));
    requireWithinLimit(slot);
    const { status, areas, checkedAt } = await read();
    res.set('Cache-Control', `public, max-age=${SECONDS}`);
    res.json({ status, areas, checked_at: checkedAt.toISOString() });
  });
  router.get('/docs/status', async (req, res) => {
    res.locals.route = '/docs/status';
    requireWithinLimit(await limits.take('reads', anonymousCaller(req)));
    const page = statusPage(await read());
    setPortalHeaders(res, '/docs/status', 'ourselves', SECONDS);
    res.send(page);
  });
  return router;
}

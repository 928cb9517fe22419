import { Router } from 'express';
import helmet from 'helmet';
import type { Runtime } from '../../shared/runtime.ts';
import { lazyHandler } from '../http/on-first-use.ts';
import { sameOriginOnly } from '../http/same-origin.ts';
import { opsApiRouter } from './api-router.ts';
import { consoleRouter } from './console/router.ts';
import { consolePages } from './console/routes.ts';
import { opsRoutes } from './routes.ts';
import { requireOperator } from './session.ts';
import { signInRouter } from './sign-in.ts';

const QUEUES_PATH = '/ops/queues';

/** Everything under `/ops`: sign-in, the ops API, the board of the queues, and the console. */
export function opsRouter(runtime: Runtime): Router {
  const router = Router();
  router.use((_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  router.use(contentPolicy({}), sameOriginOnly(runtime.config));
  router.use(signInRouter(runtime));
  router.use('/api', opsApiRouter(runtime, opsRoutes));
  // The board brings scripts and inline styles of its own; its web fonts stay where they are.
  const boardPolicy = contentPolicy({
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    connectSrc: ["'self'"],
    fontSrc: ["'self'"],
    baseUri: ["'self'"],
  });
  const board = lazyHandler(async () => {
    const { queueDashboard } = await import('./queue-board.ts');
    return queueDashboard(runtime, QUEUES_PATH);
  });
  router.use('/queues', boardPolicy, requireOperator(runtime), board);
  router.use(consoleRouter(runtime, consolePages));
  return router;
}

/** Our own pages need a style sheet and a form, and nothing from anywhere else. */
function contentPolicy(more: Record<string, string[]>) {
  return helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      ...more,
    },
  });
}

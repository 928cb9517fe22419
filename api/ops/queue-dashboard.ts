import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { type RequestHandler, Router } from 'express';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import { html } from '../../shared/platform/html.ts';
import { REDACTED_FIELDS } from '../../shared/platform/observability/logger.ts';
import type { ApiServices } from '../compose-api.ts';
import { assetPath } from '../pages/kit/assets.ts';

const REDACTED = new Set<string>(REDACTED_FIELDS);
/** The lengths of its parts are limited, so that a long text without an address is matched in linear time. */
const E_MAIL = /[^\s"@<>]{1,64}@[^\s"@<>.]{1,63}(?:\.[^\s"@<>.]{1,63}){1,8}/g;
const MAX_DEPTH = 8;

/** Serves Bull Board for every queue. Callers check who may see it; changes are recorded. */
export function queueDashboard(runtime: ApiServices, basePath: string): Router {
  const server = new ExpressAdapter();
  server.setBasePath(basePath);
  createBullBoard({
    queues: runtime.queues.all().map(redactedAdapter),
    serverAdapter: server,
    options: { uiConfig: { boardTitle: 'Marketplace queues', hideDocsLink: true } },
  });
  const board = server.getRouter();
  board.disable('x-powered-by');

  const router = Router();
  router.use(auditChanges(runtime), ownPage, board);
  return router;
}

/** Another site's style sheet in the library's page; our content security policy blocks it. */
const FOREIGN_FONTS = /<link href="https:\/\/fonts\.[^>]*>/;

/** Changes the library's page before it is sent: removes the foreign fonts, and adds what screen readers need. */
const ownPage: RequestHandler = (_req, res, next) => {
  const send = res.send.bind(res);
  res.send = (body) => {
    if (typeof body !== 'string' || !body.includes('</body>')) return send(body);
    const script = html`<script type="module" src="${assetPath('queue-board.js')}"></script>`
      .markup;
    return send(body.replace(FOREIGN_FONTS, '').replace('</body>', `${script}</body>`));
  };
  next();
};

/**
 * Completed jobs can't be retried: their row says done, so another run would do nothing. The library's type lacks it.
 */
const ADAPTER = { allowRetries: true, allowCompletedRetries: false };

function redactedAdapter(queue: ConstructorParameters<typeof BullMQAdapter>[0]): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, ADAPTER);
  adapter.setFormatter('data', redact);
  adapter.setFormatter('returnValue', redact);
  adapter.setFormatter('progress', redact);
  adapter.setFormatter('name', titleOf);
  return adapter;
}

/** Returns a job's title; a job that delivers to an endpoint names it, so that a list of them is readable. */
function titleOf({ name, data }: { name: string; data: unknown }): string {
  const { about } = (data ?? {}) as { about?: { endpoint?: unknown } };
  return typeof about?.endpoint === 'string' ? `${name} ${about.endpoint}` : name;
}

/** Redacts personal data: jobs carry only ids, but should one ever carry more, it is not shown here. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(E_MAIL, '[redacted]');
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '[redacted]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      REDACTED.has(name) ? '[redacted]' : redact(child, depth + 1),
    ]),
  );
}

/** Records pausing, retrying and cleaning in the audit trail, like every other operator action. */
function auditChanges({ db }: ApiServices): RequestHandler {
  return async (req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next();
    const { actor } = res.locals;
    const subject = `${req.method} ${req.path}`.slice(0, 500);
    await db.transact((uow) => recordAudit(uow, { actor, action: 'queues:change', subject }));
    next();
  };
}

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
/** Its parts have an end, so that a long text without an address costs no more than its length. */
const E_MAIL = /[^\s"@<>]{1,64}@[^\s"@<>.]{1,63}(?:\.[^\s"@<>.]{1,63}){1,8}/g;
const MAX_DEPTH = 8;

/** Bull Board over every queue. Who may see it is decided before it; what is changed in it is recorded. */
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

/** A style sheet of another site in the library's page; our content security policy blocks it. */
const FOREIGN_FONTS = /<link href="https:\/\/fonts\.[^>]*>/;

/** Changes the library's page on its way out: no fonts of another site, and what those need who hear it. */
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

/** What is done is done, as its row says: another run would find nothing to do. The library's type does not name it. */
const ADAPTER = { allowRetries: true, allowCompletedRetries: false };

function redactedAdapter(queue: ConstructorParameters<typeof BullMQAdapter>[0]): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, ADAPTER);
  adapter.setFormatter('data', redact);
  adapter.setFormatter('returnValue', redact);
  adapter.setFormatter('progress', redact);
  adapter.setFormatter('name', titleOf);
  return adapter;
}

/** A job that delivers to an endpoint says to which, so that a list of them can be read. */
function titleOf({ name, data }: { name: string; data: unknown }): string {
  const { about } = (data ?? {}) as { about?: { endpoint?: unknown } };
  return typeof about?.endpoint === 'string' ? `${name} ${about.endpoint}` : name;
}

/** Jobs carry ids only; should one ever carry more, it does not show here. */
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

/** Pausing, retrying and cleaning are recorded in the audit trail like every other action of operators. */
function auditChanges({ db }: ApiServices): RequestHandler {
  return async (req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next();
    const { actor } = res.locals;
    const subject = `${req.method} ${req.path}`.slice(0, 500);
    await db.transact((uow) => recordAudit(uow, { actor, action: 'queues:change', subject }));
    next();
  };
}

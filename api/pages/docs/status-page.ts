import { Router } from 'express';
import {
  createServiceStatus,
  type ServiceStatus,
  STATUS_CACHE_MS,
} from '../../../shared/operations/monitoring/service-status.ts';
import {
  readStatusHistory,
  type StatusHistory,
} from '../../../shared/operations/status-history/status-history.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { createSharedRead } from '../../../shared/platform/concurrency/shared-read.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { rateLimitHeaders, requireWithinLimit } from '../../http/rate-limit.ts';
import { anonymousCaller } from '../../public/public-caller.ts';
import type { PublicLimits } from '../../public/public-limits.ts';
import { instant } from '../kit/format.ts';
import { setPublicPageHeaders } from '../kit/page-headers.ts';
import { badgeContent, type Tone } from '../kit/page-parts.ts';
import { table } from '../kit/table.ts';
import { portalLayout } from './portal-layout.ts';
import { historyParts } from './status-history-parts.ts';

const AREA_NAMES: Record<ServiceStatus['areas'][number]['area'], string> = {
  partner_api: 'Partner API',
  public_api: 'Public API and sign-in',
  checkout: 'Checkout and payments',
  transfers: 'Domain transfers',
  webhooks: 'Webhooks',
  settlements: 'Settlements and payouts',
  bulk: 'Bulk operations',
  mail: 'Email',
  referrals: 'Referral reports',
};

type Status = ServiceStatus['status'];

const OVERALL: Record<Status, string> = {
  operational: 'All systems operational',
  degraded: 'Some systems are degraded',
};
const WORDS: Record<Status, string> = { operational: 'Operational', degraded: 'Degraded' };
const TONES: Record<Status, Tone> = { operational: 'good', degraded: 'wait' };

/** Returns `/docs/status`: the current status, which `status.js` refreshes, and the history; null if unreadable. */
function statusPage(
  { status, areas, checkedAt }: ServiceStatus,
  history: StatusHistory | null,
): string {
  return portalLayout({
    path: '/docs/status',
    title: 'Status',
    scripts: ['status.js'],
    content: html`<h1>Status</h1>
<p id="overall" class="notice ${TONES[status]}" role="status">${OVERALL[status]}</p>
${table(
  'Areas of the service',
  ['Area', 'Status'],
  areas.map(({ area, status: each }) => [AREA_NAMES[area], areaBadge(area, each)]),
  '',
)}
<p>Last checked <span id="checked">${instant(checkedAt)}</span>. Degraded means that requests fail or that work has been waiting for minutes. Nothing that was accepted is lost. The same as JSON: <a href="/status.json">/status.json</a>, updated every 15 seconds.</p>
<div id="status-words" hidden>${(Object.keys(WORDS) as Status[]).map(
      (each) =>
        html`<span data-status="${each}" data-tone="${TONES[each]}" data-overall="${OVERALL[each]}">${badgeContent(TONES[each], WORDS[each])}</span>`,
    )}</div>
${historyParts(history, checkedAt)}`,
  });
}

function areaBadge(area: string, status: Status): Markup {
  return html`<span data-area="${area}" class="badge ${TONES[status]}">${badgeContent(TONES[status], WORDS[status])}</span>`;
}

const SECONDS = STATUS_CACHE_MS / SECOND;
const HISTORY_WAIT_MS = 3 * SECOND;

function incidentView({ component, startedAt, endedAt }: StatusHistory['incidents'][number]) {
  return {
    component,
    started_at: startedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

/** Serves `GET /status.json`, open to pages of every origin, and `/docs/status`, which shows it. */
export function statusRouter(runtime: ApiServices, limits: PublicLimits): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const read = createServiceStatus(runtime);
  const readHistory = createSharedRead(() => readStatusHistory(runtime), HISTORY_WAIT_MS);
  const history = () => readHistory(STATUS_CACHE_MS).catch(() => null);
  router.get('/status.json', async (req, res) => {
    res.locals.route = '/status.json';
    res.set({
      'Access-Control-Allow-Origin': '*',
      // By default, Helmet keeps other origins from reading a response.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    const slot = await limits.take('reads', anonymousCaller(req));
    res.set(rateLimitHeaders(slot));
    requireWithinLimit(slot);
    const past = history();
    const { status, areas, checkedAt } = await read();
    res.set('Cache-Control', `public, max-age=${SECONDS}`);
    const incidents = (await past)?.incidents.map(incidentView) ?? null;
    res.json({ status, areas, incidents, checked_at: checkedAt.toISOString() });
  });
  router.get('/docs/status', async (req, res) => {
    res.locals.route = '/docs/status';
    requireWithinLimit(await limits.take('reads', anonymousCaller(req)));
    const past = history();
    const page = statusPage(await read(), await past);
    setPublicPageHeaders(res, 'portal-with-requests', SECONDS);
    res.type('html').send(page);
  });
  return router;
}

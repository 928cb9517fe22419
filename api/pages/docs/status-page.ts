import { Router } from 'express';
import {
  createServiceStatus,
  type ServiceStatus,
  STATUS_CACHE_MS,
} from '../../../shared/operations/monitoring/service-status.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import type { ApiServices } from '../../compose-api.ts';
import { anonymousCaller } from '../../public/public-caller.ts';
import {
  type PublicLimits,
  rateLimitHeaders,
  requireWithinLimit,
} from '../../public/public-limits.ts';
import { html } from '../kit/html.ts';
import { setPortalHeaders } from '../kit/page-headers.ts';
import { portalLayout } from './portal-layout.ts';

const AREA_NAMES: Record<ServiceStatus['areas'][number]['area'], string> = {
  partner_api: 'Partner API',
  public_api: 'Public API and sign-in',
  checkout: 'Checkout and payments',
  transfers: 'Transfers of domains',
  webhooks: 'Webhooks',
  settlements: 'Settlements and payouts',
  bulk: 'Bulk operations',
  referrals: 'Referral figures',
};

const OVERALL = {
  operational: 'Everything works.',
  degraded: 'Something is slow or does not work. What is affected is below.',
} as const;
const WORDS = { operational: 'Works', degraded: 'Degraded' } as const;

/** `/docs/status`: what works now; the page asks again by itself. */
export function statusPage({ status, areas, checkedAt }: ServiceStatus): string {
  const checked = checkedAt.toISOString();
  return portalLayout({
    path: '/docs/status',
    title: 'Status',
    scripts: ['status.js'],
    content: html`<h1>Status</h1>
<p id="overall" class="overall ${status}" role="status" data-operational="${OVERALL.operational}" data-degraded="${OVERALL.degraded}">${OVERALL[status]}</p>
<div class="scroll" role="group" aria-label="Table" tabindex="0"><table id="areas" data-operational="${WORDS.operational}" data-degraded="${WORDS.degraded}">
<thead><tr><th scope="col">Area</th><th scope="col">Now</th></tr></thead>
<tbody>
${areas.map(
  ({ area, status: word }) =>
    html`<tr><th scope="row">${AREA_NAMES[area]}</th><td data-area="${area}" class="${word}">${WORDS[word]}</td></tr>\n`,
)}</tbody>
</table></div>
<p>Looked at <time id="checked" datetime="${checked}">${checked}</time>. Degraded means that answers fail or that work has waited for minutes; nothing that was accepted is lost meanwhile. The same for machines: <a href="/status.json">/status.json</a>, at most every 15 seconds.</p>`,
  });
}

const SECONDS = STATUS_CACHE_MS / SECOND;

/** `GET /status.json`, open to the pages of every origin, and `/docs/status`, which shows it. */
export function statusRouter(runtime: ApiServices, limits: PublicLimits): Router {
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

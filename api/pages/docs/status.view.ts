import type { ServiceStatus } from '../../../shared/monitoring/service-status.ts';
import { html } from '../html.ts';
import { portalLayout } from './layout.ts';

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

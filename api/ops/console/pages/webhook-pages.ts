import { Type } from 'typebox';
import { DELIVERY_STATUSES, type Delivery } from '../../../../shared/delivery/webhooks/delivery.ts';
import type { DisabledReason } from '../../../../shared/delivery/webhooks/endpoint.ts';
import { listDeliveries } from '../../../../shared/delivery/webhooks/read-deliveries.ts';
import {
  COUNT_UP_TO,
  listEndpoints,
  type OpsEndpoint,
  readEndpointForOps,
} from '../../../../shared/operations/webhook-overview/webhook-overview.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { isId } from '../../../../shared/platform/ids.ts';
import { filterForm, selectFilter } from '../../../pages/kit/form.ts';
import { humanize, pathWith, timestamp } from '../../../pages/kit/format.ts';
import { descriptionList, emptyValue, link, section, tabs } from '../../../pages/kit/page-parts.ts';
import { ACTIONS, numberColumn, pager, table } from '../../../pages/kit/table.ts';
import { actionLink } from '../action-links.ts';
import {
  CursorField,
  choicesOf,
  consolePage,
  IdField,
  PAGE_SIZE,
  requireId,
} from '../console-page.ts';
import { casePath, endpointPath, orderPath, partnerPath } from '../console-paths.ts';
import { environmentTag, statusBadge } from '../status-badge.ts';

/** Endpoints that fail or were disabled because of it; `show=all` lists every one. */
export const webhooksPage = consolePage({
  path: '/webhooks',
  input: Type.Object({
    show: Type.Enum(['failing', 'all'], { default: 'failing' }),
    cursor: CursorField,
  }),
  async show(context, { show, cursor = null }) {
    const failing = show === 'failing';
    const page = { failing, after: cursor, limit: PAGE_SIZE };
    const { rows: endpoints, next } = await listEndpoints(context, page);
    const { now } = context;
    return {
      title: 'Webhook endpoints',
      section: 'webhooks',
      content: html`${tabs('Endpoints', [
        { text: 'Failing', href: '/ops/webhooks', current: failing },
        { text: 'All', href: '/ops/webhooks?show=all', current: !failing },
      ])}
${table(
  failing ? 'Failing endpoints, the longest failing first' : 'All endpoints',
  ['Partner', 'State', 'Failing since', 'Last success', numberColumn('Waiting'), 'Address'],
  endpoints.map((endpoint) => [
    html`${link(endpointPath(endpoint), endpoint.partnerName)} ${environmentTag(endpoint.environment)}`,
    stateOf(endpoint),
    endpoint.failingSince ? timestamp(endpoint.failingSince, now) : emptyValue(),
    timestamp(endpoint.lastSuccessAt, now),
    waiting(endpoint),
    html`<span class="id">${endpoint.url}</span>`,
  ]),
  failing ? 'All endpoints are healthy.' : 'No partner has registered an endpoint.',
)}
${pager('/ops/webhooks', { show, cursor: next }, 'More endpoints', cursor === null)}`,
    };
  },
});

/** One endpoint with its delivery log. */
export const endpointPage = consolePage({
  path: '/webhooks/:environment/:partner',
  input: Type.Object({
    environment: Type.Enum(['LIVE', 'SANDBOX']),
    partner: IdField,
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
    cursor: CursorField,
  }),
  async show(context, { environment, partner, status = null, cursor = null }) {
    requireId('partner', partner, 'No partner has this id.');
    const owner = { partnerId: partner, environment };
    const [endpoint, { rows: deliveries, next }] = await Promise.all([
      readEndpointForOps(context, owner),
      listDeliveries(context, owner, { eventId: null, status, before: cursor, limit: PAGE_SIZE }),
    ]);
    const { now } = context;
    const path = endpointPath(endpoint);
    const back = pathWith(path, { status });
    return {
      title: `Webhooks of ${endpoint.partnerName}`,
      section: 'webhooks',
      content: html`${endpointFacts(endpoint, now)}
${section(
  'Deliveries',
  html`${filterForm(path, [selectFilter('status', 'State', choicesOf(DELIVERY_STATUSES), status)])}
${table(
  'Deliveries, the newest first',
  ['Event', 'About', 'State', 'Attempts', 'Created', 'Next attempt', ACTIONS],
  deliveries.map((delivery) => [
    html`<code>${delivery.eventType}</code>${delivery.resendOf && html`<span class="sub">resent</span>`}`,
    subjectOf(delivery),
    statusBadge(delivery.status),
    attemptsOf(delivery, now),
    timestamp(delivery.createdAt, now),
    delivery.nextAttemptAt ? timestamp(delivery.nextAttemptAt, now) : emptyValue(),
    endpoint.active
      ? actionLink({
          form: 'webhook-resend',
          about: delivery.eventType,
          given: { delivery: delivery.id },
          back,
        })
      : emptyValue(),
  ]),
  status === null ? 'Nothing has been sent yet.' : 'No deliveries in this state.',
)}
${pager(path, { status, cursor: next }, 'Earlier deliveries', cursor === null)}`,
)}`,
    };
  },
});

function endpointFacts(endpoint: OpsEndpoint, now: Date): Markup {
  return descriptionList([
    ['State', stateOf(endpoint)],
    ['Environment', environmentTag(endpoint.environment)],
    ['Address', html`<span class="id">${endpoint.url}</span>`],
    ['Partner', link(partnerPath(endpoint.partnerId), endpoint.partnerName)],
    ['Failing since', endpoint.failingSince && timestamp(endpoint.failingSince, now)],
    ['Last success', timestamp(endpoint.lastSuccessAt, now)],
    ['Last failure', timestamp(endpoint.lastFailureAt, now)],
    [
      'Paused until',
      endpoint.openUntil && endpoint.openUntil > now && timestamp(endpoint.openUntil, now),
    ],
    ['Waiting', waiting(endpoint)],
    ['Registered', timestamp(endpoint.createdAt, now)],
  ]);
}

/** Why an endpoint gets nothing. */
const DISABLED: Readonly<Record<DisabledReason, string>> = {
  gone: 'It answered 410 Gone',
  failing: 'It failed for days',
  paused: 'Paused by the partner',
  removed: 'Removed by the partner',
};

function stateOf(endpoint: OpsEndpoint): Markup {
  if (!endpoint.active) {
    const why = endpoint.disabledReason && DISABLED[endpoint.disabledReason];
    return html`${statusBadge('off')}<span class="sub">${why}</span>`;
  }
  return endpoint.failingSince ? statusBadge('failing') : statusBadge('active');
}

function waiting({ waiting: count }: OpsEndpoint): string {
  return count >= COUNT_UP_TO ? `${COUNT_UP_TO} or more` : String(count);
}

/** What the event was about, with the way there. */
function subjectOf({ subject }: Delivery): Markup {
  if (subject === null) return emptyValue();
  if (isId('order', subject)) return link(orderPath(subject), 'Order');
  return isId('brokerageCase', subject) ? link(casePath(subject), 'Case') : emptyValue();
}

/** The attempts of one delivery, folded. */
function attemptsOf({ attempts }: Delivery, now: Date): Markup {
  if (attempts.length === 0) return html`<span class="none">none yet</span>`;
  return html`<details><summary>${attempts.length}, last: ${answerOf(attempts.at(-1))}</summary>
<ol class="attempts">${attempts.map(
    (attempt) => html`<li><strong>${answerOf(attempt)}</strong> in ${attempt.elapsedMs} ms,
${timestamp(attempt.startedAt, now)}${attempt.detail && html`<span class="sub">${attempt.detail}</span>`}${
  attempt.responseExcerpt && html`<pre>${attempt.responseExcerpt}</pre>`
}</li>`,
  )}</ol></details>`;
}

function answerOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (!attempt) return '';
  if (attempt.statusCode !== null) return String(attempt.statusCode);
  return humanize(attempt.outcome);
}

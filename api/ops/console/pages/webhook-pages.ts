import { Type } from 'typebox';
import type { DisabledReason } from '../../../../shared/messaging/webhooks/endpoint.ts';
import { listReplays, type Replay } from '../../../../shared/messaging/webhooks/replay.ts';
import {
  COUNT_UP_TO,
  listEndpoints,
  listEndpointsOf,
  type OpsEndpoint,
  readEndpointForOps,
} from '../../../../shared/operations/webhook-overview/webhook-overview.ts';
import { readPartner } from '../../../../shared/people/partners/read-partners.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { eventTypes, replayProgress } from '../../../pages/kit/delivery-parts.ts';
import { humanize, instant, timestamp } from '../../../pages/kit/format.ts';
import {
  CSV_FORMAT,
  type CsvColumns,
  csvFile,
  csvLink,
  PAGE_SIZE,
} from '../../../pages/kit/list.ts';
import { descriptionList, emptyValue, link, section, tabs } from '../../../pages/kit/page-parts.ts';
import type { PageNow } from '../../../pages/kit/page-time.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, table } from '../../../pages/kit/table.ts';
import { actionRow, offeredLinks } from '../action-links.ts';
import {
  consolePage,
  IdField,
  type PageContext,
  type PageView,
  requireId,
} from '../console-page.ts';
import {
  auditPath,
  endpointPath,
  endpointsPath,
  partnerPath,
  replaysPath,
} from '../console-paths.ts';
import { ENDPOINT_FORMS, REPLAY_FORMS } from '../forms/webhook-forms.ts';
import { listInRealTime } from '../list-page.ts';
import { deliveryFile, deliveryLog, LOG_FILTER } from './delivery-log.ts';

const SHOWN = ['failing', 'all'] as const;

/** Endpoints that fail or were disabled for failing; `show=all` lists every endpoint. */
export const webhooksPage = listInRealTime({
  path: '/webhooks',
  title: 'Webhook endpoints',
  section: 'webhooks',
  filters: { show: Type.Enum([...SHOWN], { default: 'failing' }) },
  sorts: ['newest'],
  read: (context, { show }, { after, limit }) =>
    listEndpoints(context, { failing: show === 'failing', after, limit }),
  above: ({ show }) =>
    tabs('Endpoints', [
      { text: 'Failing', href: '/ops/webhooks', current: show === 'failing' },
      { text: 'All', href: '/ops/webhooks?show=all', current: show === 'all' },
    ]),
  form: ({ show }) => ({ fields: [], hidden: { show } }),
  caption: ({ show }) =>
    show === 'failing' ? 'Failing endpoints, the longest failing first' : 'All endpoints',
  columns: () => [
    { title: 'Endpoint', cell: (endpoint: OpsEndpoint) => nameOf(endpoint) },
    {
      title: 'Partner',
      cell: (endpoint) =>
        html`${link(endpointsPath(endpoint), endpoint.partnerName)} ${environmentTag(endpoint.environment)}`,
    },
    { title: 'State', cell: (endpoint, { now }) => stateOf(endpoint, now) },
    {
      title: 'Failing since',
      cell: ({ failingSince }, { now }) =>
        failingSince ? timestamp(failingSince, now) : emptyValue(),
    },
    { title: 'Last success', cell: ({ lastSuccessAt }, { now }) => timestamp(lastSuccessAt, now) },
    { ...numberColumn('Waiting'), cell: (endpoint) => waiting(endpoint) },
    { title: 'Address', cell: ({ url }) => html`<span class="id">${url}</span>` },
  ],
  empty: ({ show }) =>
    show === 'failing' ? 'All endpoints are healthy.' : 'No partner has registered an endpoint.',
  more: 'More endpoints',
  csv: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    partner_id: ({ partnerId }) => partnerId,
    partner: ({ partnerName }) => partnerName,
    environment: ({ environment }) => environment,
    active: ({ active }) => String(active),
    disabled_reason: ({ disabledReason }) => disabledReason,
    failing_since: ({ failingSince }) => failingSince?.toISOString() ?? null,
    last_success_at: ({ lastSuccessAt }) => lastSuccessAt?.toISOString() ?? null,
    waiting: (endpoint) => waiting(endpoint),
    url: ({ url }) => url,
  },
});

/** The endpoints of one partner, and the deliveries to them. */
export const endpointsPage = consolePage({
  path: '/webhooks/:environment/:partner',
  input: Type.Object({
    environment: Type.Enum(['LIVE', 'SANDBOX']),
    partner: IdField,
    endpoint: Type.Optional(IdField),
    ...LOG_FILTER,
  }),
  async show(context, { environment, partner: id, endpoint = null, ...filter }) {
    requireId('partner', id, 'No partner has this ID.');
    const owner = { partnerId: id, environment };
    if (filter.format === 'csv') {
      return deliveryFile(context, { owner, endpointId: endpoint, filter });
    }
    const endpoints = await listEndpointsOf(context, owner);
    const name = endpoints[0]?.partnerName ?? (await readPartner(context, id)).name;
    const { now } = context;
    const log = { owner, endpoints, endpointId: endpoint, path: endpointsPath(owner) };
    return {
      title: `Webhooks of ${name}`,
      section: 'webhooks',
      content: html`${descriptionList([
        ['Partner', link(partnerPath(id), name)],
        ['Environment', environmentTag(environment)],
      ])}
${section(
  'Endpoints',
  table(
    'Endpoints, removed ones last',
    ['Endpoint', 'State', 'Events', 'Last success', numberColumn('Waiting'), 'Address'],
    endpoints.map((each) => [
      nameOf(each),
      stateOf(each, now),
      eventTypes(each),
      timestamp(each.lastSuccessAt, now),
      waiting(each),
      html`<span class="id">${each.url}</span>`,
    ]),
    'This partner has no endpoint in this environment.',
  ),
)}
${section('Deliveries', await deliveryLog(context, { ...log, filter }))}`,
    };
  },
});

/** One endpoint: its settings and health, and the deliveries to it. */
export const endpointPage = consolePage({
  path: '/webhooks/:endpoint',
  input: Type.Object({ endpoint: IdField, ...LOG_FILTER }),
  async show(context, { endpoint: id, ...filter }) {
    const endpoint = await readForPage(context, id);
    if (filter.format === 'csv') {
      return deliveryFile(context, { owner: endpoint, endpointId: id, filter });
    }
    const log = { owner: endpoint, endpoints: [endpoint], endpointId: id, path: endpointPath(id) };
    return viewOf(context, endpoint, {
      path: log.path,
      content: html`${section('Health', health(endpoint, context.now))}
${section('Settings', settings(endpoint, context.now))}
${section('Deliveries', await deliveryLog(context, { ...log, filter }))}`,
    });
  },
});

const REPLAYS_IN_FILE = 10_000;

const REPLAY_COLUMNS: CsvColumns<Replay> = {
  id: ({ id }) => id,
  from: ({ from }) => from.toISOString(),
  to: ({ to }) => to.toISOString(),
  event_types: ({ eventTypes }) => eventTypes?.join(' ') ?? null,
  state: ({ state }) => state,
  delivered: ({ delivered }) => delivered,
  failed: ({ failed }) => failed,
  created_at: ({ createdAt }) => createdAt.toISOString(),
};

/** The replays to one endpoint, with their progress. */
export const replaysPage = consolePage({
  path: '/webhooks/:endpoint/replays',
  input: Type.Object({ endpoint: IdField, format: CSV_FORMAT }),
  async show(context, { endpoint: id, format }) {
    const endpoint = await readForPage(context, id);
    const read = (limit: number) => listReplays(context, endpoint, { endpointId: id, limit });
    if (format === 'csv') {
      return csvFile('replays', REPLAY_COLUMNS, async () => ({
        rows: await read(REPLAYS_IN_FILE),
        next: null,
      }));
    }
    const replays = await read(PAGE_SIZE);
    const path = replaysPath(id);
    const content = html`${replayTable(context, replays, path)}
${replays.length > 0 && csvLink(`${path}?format=csv`)}`;
    return viewOf(context, endpoint, { path, content });
  },
});

async function readForPage(context: PageContext, id: string): Promise<OpsEndpoint> {
  requireId('webhookEndpoint', id, 'No endpoint has this ID.');
  return readEndpointForOps(context, id);
}

/** Returns a page about an endpoint. */
function viewOf(
  context: PageContext,
  endpoint: OpsEndpoint,
  page: { path: string; content: Markup },
): PageView {
  const { id } = endpoint;
  const views = [
    { text: 'Deliveries', href: endpointPath(id) },
    { text: 'Replays', href: replaysPath(id) },
  ];
  const actions = { given: { endpoint: id }, back: page.path };
  return {
    title: `${endpoint.name}, ${endpoint.partnerName}`,
    section: 'webhooks',
    content: html`${tabs(
      'Endpoint',
      views.map((view) => ({ ...view, current: view.href === page.path })),
    )}
${actionRow(offeredLinks(context, ENDPOINT_FORMS, endpoint, actions))}
${page.content}`,
  };
}

function health(endpoint: OpsEndpoint, now: PageNow): Markup {
  return descriptionList([
    ['State', stateOf(endpoint, now)],
    ['Circuit breaker', breakerOf(endpoint, now)],
    ['Failing since', endpoint.failingSince && timestamp(endpoint.failingSince, now)],
    ['Last success', timestamp(endpoint.lastSuccessAt, now)],
    ['Last failure', timestamp(endpoint.lastFailureAt, now)],
    ['Waiting', waiting(endpoint)],
    ['At a time', endpoint.failingSince ? 1 : Math.floor(endpoint.concurrency)],
  ]);
}

function settings(endpoint: OpsEndpoint, now: PageNow): Markup {
  const { headerNames, maxPerSecond, previousSecretUntil } = endpoint;
  return descriptionList([
    ['Partner', link(endpointsPath(endpoint), endpoint.partnerName)],
    ['Environment', environmentTag(endpoint.environment)],
    ['Address', html`<span class="id">${endpoint.url}</span>`],
    ['Events', eventTypes(endpoint)],
    ['Payload', humanize(endpoint.payload)],
    ['Order', ORDERINGS[endpoint.ordering]],
    ['Rate', maxPerSecond === null ? 'No limit' : `At most ${maxPerSecond} per second`],
    ['Custom headers', headerNames.length > 0 && headerNames.join(', ')],
    [
      'Old secret also signs until',
      previousSecretUntil && previousSecretUntil > now && timestamp(previousSecretUntil, now),
    ],
    ['Registered', timestamp(endpoint.createdAt, now)],
    ['Endpoint', html`<a class="id" href="${auditPath(endpoint.id)}">${endpoint.id}</a>`],
  ]);
}

const ORDERINGS: Readonly<Record<OpsEndpoint['ordering'], string>> = {
  none: 'None',
  per_subject: 'One at a time per subject',
};

function nameOf(endpoint: OpsEndpoint): Markup {
  return link(endpointPath(endpoint.id), endpoint.name);
}

/** The reasons why an endpoint gets no events. */
const DISABLED: Readonly<Record<DisabledReason, string>> = {
  gone: 'It returned 410 Gone',
  failing: 'It failed for days',
  paused: 'Paused by the partner',
  removed: 'Removed by the partner',
};

function stateOf(endpoint: OpsEndpoint, now: PageNow): Markup {
  if (!endpoint.active) {
    const why = endpoint.disabledReason && DISABLED[endpoint.disabledReason];
    return html`${statusBadge('off')}<span class="sub">${why}</span>`;
  }
  if (!endpoint.failingSince) return statusBadge('active');
  const open = endpoint.openUntil !== null && endpoint.openUntil > now;
  return html`${statusBadge('failing')}${open && html`<span class="sub">Circuit breaker open</span>`}`;
}

/** Shows the circuit breaker: while open, nothing is sent; while half-open, the next delivery decides. */
function breakerOf({ openUntil }: OpsEndpoint, now: PageNow): Markup | string {
  if (openUntil === null) return 'Closed';
  return openUntil > now ? html`Open until ${timestamp(openUntil, now)}` : 'Half-open';
}

function waiting({ waiting: count }: OpsEndpoint): string {
  return count >= COUNT_UP_TO ? `${COUNT_UP_TO} or more` : String(count);
}

function replayTable(context: PageContext, replays: readonly Replay[], path: string) {
  const running = replays.some(({ state }) => state === 'queued' || state === 'running');
  return html`${table(
    'Replays, the newest first',
    [
      'Period',
      'Events',
      'Status',
      'Progress',
      numberColumn('Delivered'),
      numberColumn('Failed'),
      'Started',
      ACTIONS,
    ],
    replays.map((replay) => [
      html`${instant(replay.from)} to ${instant(replay.to)}`,
      eventTypes(replay),
      statusBadge(replay.state),
      replayProgress(replay),
      replay.delivered,
      replay.failed,
      timestamp(replay.createdAt, context.now),
      offeredLinks(context, REPLAY_FORMS, replay.state, {
        given: { replay: replay.id },
        back: path,
      }),
    ]),
    'No replays yet. A replay sends the events of a period again.',
  )}
${running && html`<p>Still running. <a href="${path}">Refresh</a></p>`}`;
}

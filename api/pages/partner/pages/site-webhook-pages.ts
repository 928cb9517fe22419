import { Type } from 'typebox';
import { ORDERINGS, PAYLOADS } from '../../../../shared/messaging/webhooks/endpoint.ts';
import {
  EVENT_PATTERNS,
  MAX_HEADER_LENGTH,
  MAX_HEADERS,
  MAX_PER_SECOND,
} from '../../../../shared/messaging/webhooks/endpoint-settings.ts';
import {
  listEndpoints,
  type NamedEndpoint,
  readEndpoint,
} from '../../../../shared/messaging/webhooks/manage-endpoint.ts';
import { listReplays, type Replay } from '../../../../shared/messaging/webhooks/replay.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { eventTypes, replayProgress } from '../../kit/delivery-parts.ts';
import {
  checkboxes,
  choicesOf,
  confirmButton,
  type FormValues,
  inputField,
  selectField,
} from '../../kit/form.ts';
import { humanize, instant, timestamp } from '../../kit/format.ts';
import { descriptionList, emptyValue, link, section } from '../../kit/page-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { ACTIONS, numberColumn, table } from '../../kit/table.ts';
import { mayRun } from '../site-command.ts';
import { commandButton } from '../site-form.ts';
import { type SiteContext, type SiteView, sitePage } from '../site-page.ts';

/** One page that holds all of a partner's endpoints. */
const ALL = { before: null, limit: 50 };
const RECENT_REPLAYS = 20;
const EndpointInput = Type.Object({ endpoint: Type.String({ maxLength: 64 }) });

/** The partner's endpoints and their health. */
export const webhooksPage = sitePage({
  path: '/webhooks',
  time: 'real',
  input: Type.Object({}),
  async show(context) {
    const { owner, base, now } = context;
    const { rows } = await listEndpoints(context, owner, ALL);
    return {
      title: 'Webhooks',
      section: 'webhooks',
      content: html`<p class="acts">${
        mayRun('endpoint-create', context) &&
        html`<a class="button primary" href="${base}/webhooks/new">Add endpoint</a>`
      }<a class="button" href="${base}/webhooks/deliveries">Delivery log</a></p>
${table(
  'Endpoints, newest first',
  ['Endpoint', 'State', 'Events', 'Failing since', 'Last success', 'Address'],
  rows.map((endpoint) => [
    link(`${base}/webhooks/${endpoint.id}`, endpoint.name),
    stateOf(endpoint),
    eventTypes(endpoint),
    endpoint.failingSince ? timestamp(endpoint.failingSince, now) : emptyValue(),
    timestamp(endpoint.lastSuccessAt, now),
    html`<span class="id">${endpoint.url}</span>`,
  ]),
  'No endpoint yet. Add one to get orders, transfers and brokerage cases as they happen.',
)}`,
    };
  },
});

/** The form of a new endpoint. */
export const newEndpointPage = sitePage({
  path: '/webhooks/new',
  time: 'real',
  input: Type.Object({}),
  async show(context) {
    return {
      title: 'Add endpoint',
      section: 'webhooks',
      content: endpointForm(context, {
        action: `${context.base}/webhooks/new`,
        button: 'Add endpoint',
      }),
    };
  },
});

/** One endpoint: its health, settings, actions and replays. */
export const endpointPage = sitePage({
  path: '/webhooks/:endpoint',
  time: 'real',
  input: EndpointInput,
  async show(context, { endpoint: id }) {
    const { owner, base, now } = context;
    const endpoint = await readEndpoint(context, owner, id);
    const path = `${base}/webhooks/${endpoint.id}`;
    const wanted = { endpointId: endpoint.id, limit: RECENT_REPLAYS };
    const replays = await listReplays(context, owner, wanted);
    return {
      title: endpoint.name,
      section: 'webhooks',
      content: html`<div class="acts"><a class="button" href="${base}/webhooks/deliveries?endpoint=${endpoint.id}">Delivery log</a>
${
  mayRun('endpoint-change', context) &&
  html`<a class="button" href="${path}/edit">Edit</a>
${endpoint.active && commandButton(`${path}/test`, 'Send test event')}
${endpoint.active ? commandButton(`${path}/pause`, 'Pause') : commandButton(`${path}/activate`, 'Activate')}`
}</div>
${descriptionList([
  ['State', stateOf(endpoint)],
  ['Failing since', endpoint.failingSince && timestamp(endpoint.failingSince, now)],
  ['Nothing is sent until', endpoint.openUntil && timestamp(endpoint.openUntil, now)],
  ['Last success', timestamp(endpoint.lastSuccessAt, now)],
  ['Last failure', timestamp(endpoint.lastFailureAt, now)],
  ['Address', html`<span class="id">${endpoint.url}</span>`],
  ['Events', eventTypes(endpoint)],
  ['Payload', humanize(endpoint.payload)],
  ['Order', ORDER_WORDS[endpoint.ordering]],
  [
    'Rate',
    endpoint.maxPerSecond === null ? 'No limit' : `At most ${endpoint.maxPerSecond} per second`,
  ],
  ['Custom headers', endpoint.headerNames.join(', ')],
  [
    'Old secret also signs until',
    endpoint.previousSecretUntil && timestamp(endpoint.previousSecretUntil, now),
  ],
  ['Endpoint', html`<span class="id">${endpoint.id}</span>`],
])}
${section('Replays', replayTable(context, path, replays))}
${mayRun('replay-start', context) && endpoint.active && replayForm(path, context)}
${
  mayRun('endpoint-rotate', context) &&
  html`${section(
    'Signing secret',
    html`<form class="ask" method="post" action="${path}/rotate">
${inputField({ name: 'overlap_hours', label: 'Hours during which the old secret also signs', type: 'number', value: 24, attributes: { min: 0, max: 168 } })}
<p class="acts"><button type="submit">Rotate secret</button></p></form>`,
  )}
${section(
  'Remove',
  confirmButton({
    action: `${path}/remove`,
    text: 'Remove endpoint',
    question: 'Pending deliveries are canceled. This cannot be undone.',
  }),
)}`
}`,
    };
  },
});

/** The settings of an endpoint as a form. */
export const editEndpointPage = sitePage({
  path: '/webhooks/:endpoint/edit',
  time: 'real',
  input: EndpointInput,
  async show(context, { endpoint: id }) {
    const endpoint = await readEndpoint(context, context.owner, id);
    const action = `${context.base}/webhooks/${endpoint.id}/edit`;
    return {
      title: `Edit ${endpoint.name}`,
      section: 'webhooks',
      content: endpointForm(context, { action, button: 'Save', endpoint }),
    };
  },
});

/** Returns the page that shows a secret, the only one that may. */
export function secretView(
  { base }: SiteContext,
  endpoint: NamedEndpoint,
  secret: string,
): SiteView {
  return {
    title: `Secret of ${endpoint.name}`,
    section: 'webhooks',
    content: html`<div class="notice wait" tabindex="-1" autofocus><p><strong>Copy the secret now.</strong> It is shown only this once.</p>
<p><code>${secret}</code></p></div>
<p class="acts"><a class="button primary" href="${base}/webhooks/${endpoint.id}">I saved the secret</a></p>`,
  };
}

const ORDER_WORDS: Readonly<Record<NamedEndpoint['ordering'], string>> = {
  none: 'None',
  per_subject: 'One at a time per order or case',
};

function stateOf({ active, disabledReason, failingSince }: NamedEndpoint): Markup {
  if (active) return statusBadge(failingSince ? 'failing' : 'active');
  return html`${statusBadge('off')}${disabledReason && html`<span class="sub">${DISABLED[disabledReason]}</span>`}`;
}

/** The reasons why an endpoint gets no events. */
const DISABLED: Readonly<Record<NonNullable<NamedEndpoint['disabledReason']>, string>> = {
  gone: 'It returned 410 Gone',
  failing: 'It failed for days',
  paused: 'Paused',
  removed: 'Removed',
};

function endpointForm(
  { refused }: SiteContext,
  form: { action: string; button: string; endpoint?: NamedEndpoint },
): Markup {
  const { action, button, endpoint } = form;
  const typed = refused?.values;
  const text = (name: string, known: unknown) => (typed ? (typed[name] ?? '') : (known ?? ''));
  const chosen = typed ? [typed.event_types ?? []].flat() : (endpoint?.eventTypes ?? []);
  return html`<form class="ask" method="post" action="${action}">
${inputField({ name: 'url', label: 'Address', type: 'url', required: true, value: text('url', endpoint?.url), hint: 'An https address, reachable from the internet.', describedBy: typed && 'error' })}
${inputField({ name: 'name', label: 'Name', optional: true, value: text('name', endpoint?.name), attributes: { maxlength: 64 } })}
${checkboxes({ name: 'event_types', label: 'Events (leave all unchecked to get every event)', choices: EVENT_PATTERNS.map((value) => ({ value, text: value })), chosen })}
${selectField({ name: 'payload', label: 'Payload', choices: choicesOf(PAYLOADS), chosen: String(text('payload', endpoint?.payload ?? 'full')) })}
${selectField({ name: 'ordering', label: 'Order', choices: ORDERINGS.map((value) => ({ value, text: ORDER_WORDS[value] })), chosen: String(text('ordering', endpoint?.ordering ?? 'none')) })}
${inputField({ name: 'max_per_second', label: 'Maximum requests per second', type: 'number', optional: true, value: text('max_per_second', endpoint?.maxPerSecond), attributes: { min: 1, max: MAX_PER_SECOND } })}
${headerFields(endpoint, typed)}
<p class="acts"><button class="primary" type="submit">${button}</button></p>
</form>`;
}

/** Returns a row for each header that an endpoint can have. Values are sealed: they are never shown again. */
function headerFields(endpoint: NamedEndpoint | undefined, typed?: FormValues): Markup {
  const names = typed ? [typed.header_names ?? []].flat() : (endpoint?.headerNames ?? []);
  const rows = Array.from({ length: MAX_HEADERS }, (_, at) => names[at] ?? '');
  return html`<details${names.some((name) => name !== '') && html` open`}><summary>Custom headers</summary>
<p class="hint">Sent with every request, such as a token that your gateway asks for. Values are never shown again; an empty value does not change. Clear a name to remove its header.</p>
${rows.map(
  (name, at) => html`<div class="pair">
${inputField({ name: 'header_names', id: `header-name-${at}`, label: `Header ${at + 1}`, value: name, attributes: { maxlength: 100, autocomplete: 'off' } })}
${inputField({ name: 'header_values', id: `header-value-${at}`, label: `Value ${at + 1}`, attributes: { maxlength: MAX_HEADER_LENGTH, autocomplete: 'off', placeholder: name !== '' && endpoint?.headerNames.includes(name) && 'Unchanged' } })}
</div>`,
)}</details>`;
}

function replayForm(path: string, { refused }: SiteContext): Markup {
  const day = (name: string) => String(refused?.values[name] ?? '');
  return html`<form class="filter" method="post" action="${path}/replay">
${inputField({ name: 'from', label: 'Replay from', type: 'date', required: true, value: day('from') })}
${inputField({ name: 'to', label: 'To', type: 'date', required: true, value: day('to') })}
<button type="submit">Replay events</button>
</form>`;
}

function replayTable(context: SiteContext, path: string, replays: readonly Replay[]): Markup {
  const { now, base } = context;
  const isOpen = ({ state }: Replay) => state === 'queued' || state === 'running';
  return html`${table(
    'Replays, the newest first',
    [
      'Period',
      'Status',
      'Progress',
      numberColumn('Delivered'),
      numberColumn('Failed'),
      'Started',
      ACTIONS,
    ],
    replays.map((replay) => [
      html`${instant(replay.from)} to ${instant(replay.to)}`,
      statusBadge(replay.state),
      replayProgress(replay),
      replay.delivered,
      replay.failed,
      timestamp(replay.createdAt, now),
      mayRun('replay-cancel', context) && isOpen(replay)
        ? commandButton(`${base}/webhooks/replays/${replay.id}/cancel`, 'Cancel')
        : '',
    ]),
    'No replays yet. A replay sends the events of a period again.',
  )}
${replays.some(isOpen) && html`<p>Still running. <a href="${path}">Refresh</a></p>`}`;
}

import { type Static, Type } from 'typebox';
import { sendPing } from '../../../shared/messaging/events/pings.ts';
import { ORDERINGS, PAYLOADS } from '../../../shared/messaging/webhooks/endpoint.ts';
import {
  EVENT_PATTERNS,
  MAX_HEADER_LENGTH,
  MAX_HEADERS,
  MAX_PER_SECOND,
  MAX_URL_LENGTH,
  NAME_PATTERN,
} from '../../../shared/messaging/webhooks/endpoint-settings.ts';
import {
  createEndpoint,
  endpointSnapshot,
  readEndpoint,
  removeEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import { cancelReplay, startReplay } from '../../../shared/messaging/webhooks/replay.ts';
import {
  resendDelivery,
  resendEvent,
} from '../../../shared/messaging/webhooks/requested-deliveries.ts';
import { type Snapshot, withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { deliveriesPage, eventsPage } from './pages/site-delivery-pages.ts';
import {
  editEndpointPage,
  endpointPage,
  newEndpointPage,
  secretView,
  webhooksPage,
} from './pages/site-webhook-pages.ts';
import { type SiteCommand, siteCommand } from './site-command.ts';
import type { SiteContext } from './site-page.ts';

const Id = Type.String({ maxLength: 64 });
/** The same field of each row, in order. */
const Headers = Type.Optional(
  Type.Array(Type.String({ maxLength: MAX_HEADER_LENGTH }), { maxItems: MAX_HEADERS }),
);
const SETTINGS = {
  url: Type.String({ minLength: 1, maxLength: MAX_URL_LENGTH }),
  name: Type.Optional(Type.String({ pattern: NAME_PATTERN })),
  event_types: Type.Optional(Type.Array(Type.Enum([...EVENT_PATTERNS]), { minItems: 1 })),
  payload: Type.Enum([...PAYLOADS]),
  ordering: Type.Enum([...ORDERINGS]),
  max_per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PER_SECOND })),
  header_names: Headers,
  header_values: Headers,
};
const Settings = Type.Object(SETTINGS);
const OfEndpoint = Type.Object({ endpoint: Id });

/** Reads the settings; missing fields mean everything: all events, no limit. */
function settingsOf(input: Static<typeof Settings>) {
  const { url, name, event_types = null, payload, ordering, max_per_second = null } = input;
  const chosen = { url, payload, ordering, eventTypes: event_types, maxPerSecond: max_per_second };
  return { ...chosen, ...headersOf(input), ...(name !== undefined && { name }) };
}

/** Reads the headers. A header without a value keeps its current one; without the fields, nothing changes. */
function headersOf({ header_names: names, header_values: values = [] }: Static<typeof Settings>) {
  if (!names) return {};
  const pairs = names.map((name, at) => [name.trim(), values[at] || null] as const);
  return { headers: Object.fromEntries(pairs.filter(([name]) => name !== '')) };
}

/**
 * Returns the context of a command that is recorded in its partner's audit trail: with the endpoint before and after,
 * or with what was sent.
 */
function audited(
  context: SiteContext,
  action: string,
  about: { endpoint: string } | { after: Snapshot },
): SiteContext {
  const { user, owner, secrets } = context;
  const entry = { actor: user.id, action, subject: owner.partnerId };
  const { environment } = owner;
  const db = withAuditTrail(
    context,
    'after' in about
      ? { ...entry, after: { environment, ...about.after } }
      : { ...entry, snapshot: (uow) => endpointSnapshot(uow, secrets, owner, about.endpoint) },
  );
  return { ...context, db };
}

const create = siteCommand({
  name: 'endpoint-create',
  path: '/webhooks/new',
  input: Settings,
  page: newEndpointPage,
  async run(context, input) {
    const id = newId('webhookEndpoint', context.now);
    const recorded = audited(context, 'endpoint:create', { endpoint: id });
    const made = await createEndpoint(recorded, context.owner, settingsOf(input), id);
    return secretView(context, made.endpoint, made.secret);
  },
});

const change = siteCommand({
  name: 'endpoint-change',
  path: '/webhooks/:endpoint/edit',
  input: Type.Object({ ...SETTINGS, endpoint: Id }),
  page: editEndpointPage,
  async run(context, { endpoint, ...input }) {
    const recorded = audited(context, 'endpoint:change', { endpoint });
    const changed = await updateEndpoint(recorded, context.owner, endpoint, settingsOf(input));
    return { to: `${context.base}/webhooks/${changed.id}`, done: 'The endpoint is saved.' };
  },
});

/** Returns the command that activates or pauses an endpoint. */
function serviceCommand(verb: 'activate' | 'pause', done: string): SiteCommand {
  return siteCommand({
    name: `endpoint-${verb}`,
    path: `/webhooks/:endpoint/${verb}`,
    input: OfEndpoint,
    page: endpointPage,
    async run(context, { endpoint }) {
      const { owner, base } = context;
      const active = verb === 'activate';
      const recorded = audited(context, `endpoint:${verb}`, { endpoint });
      const { id } = await updateEndpoint(recorded, owner, endpoint, { active });
      return { to: `${base}/webhooks/${id}`, done };
    },
  });
}

const rotate = siteCommand({
  name: 'endpoint-rotate',
  path: '/webhooks/:endpoint/rotate',
  input: Type.Object({
    endpoint: Id,
    overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168 })),
  }),
  page: endpointPage,
  async run(context, { endpoint, overlap_hours }) {
    const rotation = { overlapHours: overlap_hours };
    const recorded = audited(context, 'endpoint:rotate', { endpoint });
    const made = await rotateSecret(recorded, context.owner, endpoint, rotation);
    return secretView(context, made.endpoint, made.secret);
  },
});

const test = siteCommand({
  name: 'endpoint-test',
  path: '/webhooks/:endpoint/test',
  input: OfEndpoint,
  page: endpointPage,
  async run(context, { endpoint }) {
    const { owner, base } = context;
    const { id } = await readEndpoint(context, owner, endpoint);
    const recorded = audited(context, 'endpoint:test', { after: { endpoint: id } });
    await sendPing(recorded, owner, id);
    return {
      to: `${base}/webhooks/deliveries?endpoint=${id}`,
      done: 'A signed webhook.ping is on its way.',
    };
  },
});

const remove = siteCommand({
  name: 'endpoint-remove',
  path: '/webhooks/:endpoint/remove',
  input: OfEndpoint,
  page: endpointPage,
  async run(context, { endpoint }) {
    const recorded = audited(context, 'endpoint:remove', { endpoint });
    await removeEndpoint(recorded, context.owner, endpoint);
    return { to: `${context.base}/webhooks`, done: 'The endpoint is removed.' };
  },
});

const resend = siteCommand({
  name: 'delivery-resend',
  path: '/webhooks/deliveries/:delivery/resend',
  input: Type.Object({ delivery: Id }),
  page: deliveriesPage,
  async run(context, { delivery }) {
    const recorded = audited(context, 'delivery:resend', { after: { delivery } });
    await resendDelivery(recorded, context.owner, delivery);
    return { to: `${context.base}/webhooks/deliveries`, done: 'The event is being sent again.' };
  },
});

const resendToAll = siteCommand({
  name: 'event-resend',
  path: '/events/:event/resend',
  input: Type.Object({ event: Id }),
  page: eventsPage,
  async run(context, { event }) {
    const recorded = audited(context, 'event:resend', { after: { event } });
    await resendEvent(recorded, context.owner, event);
    const to = `${context.base}/webhooks/deliveries?event=${encodeURIComponent(event)}`;
    return { to, done: 'The event is being sent again.' };
  },
});

const replay = siteCommand({
  name: 'replay-start',
  path: '/webhooks/:endpoint/replay',
  input: Type.Object({
    endpoint: Id,
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
  }),
  page: endpointPage,
  async run(context, { endpoint, from, to }) {
    const { owner, base } = context;
    const period = { from: new Date(from), to: addMs(new Date(to), DAY), eventTypes: null };
    const recorded = audited(context, 'replay:start', { after: { endpoint, from, to } });
    const { endpointId } = await startReplay(recorded, owner, endpoint, period);
    return { to: `${base}/webhooks/${endpointId}`, done: 'The replay has started.' };
  },
});

const cancel = siteCommand({
  name: 'replay-cancel',
  path: '/webhooks/replays/:replay/cancel',
  input: Type.Object({ replay: Id }),
  page: webhooksPage,
  async run(context, { replay }) {
    const recorded = audited(context, 'replay:cancel', { after: { replay } });
    const { endpointId } = await cancelReplay(recorded, context.owner, replay);
    return { to: `${context.base}/webhooks/${endpointId}`, done: 'The replay is canceled.' };
  },
});

/** The webhook commands of members. */
export const webhookCommands: readonly SiteCommand[] = [
  create,
  change,
  serviceCommand('activate', 'The endpoint is active.'),
  serviceCommand('pause', 'The endpoint is paused.'),
  rotate,
  test,
  remove,
  resend,
  resendToAll,
  replay,
  cancel,
];

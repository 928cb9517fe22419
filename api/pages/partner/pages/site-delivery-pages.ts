import { Type } from 'typebox';
import { listNewestEvents } from '../../../../shared/messaging/events/read-events.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
} from '../../../../shared/messaging/webhooks/delivery.ts';
import { EVENT_PATTERNS } from '../../../../shared/messaging/webhooks/endpoint-settings.ts';
import { listDeliveries } from '../../../../shared/messaging/webhooks/read-deliveries.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { isId } from '../../../../shared/platform/ids.ts';
import { deliveryAttempts, sentAgain } from '../../kit/delivery-parts.ts';
import { selectFilter, statusFilter } from '../../kit/form.ts';
import { timestamp } from '../../kit/format.ts';
import { emptyValue, link } from '../../kit/page-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { ACTIONS } from '../../kit/table.ts';
import { mayRun } from '../site-command.ts';
import { commandButton } from '../site-form.ts';
import { siteList } from '../site-page.ts';

/** Lists deliveries to the partner's endpoints, with every attempt. */
export const deliveriesPage = siteList({
  path: '/webhooks/deliveries',
  time: 'real',
  title: 'Delivery log',
  section: 'webhooks',
  filters: {
    endpoint: Type.Optional(Type.String({ maxLength: 64 })),
    event: Type.Optional(Type.String({ maxLength: 64 })),
    type: Type.Optional(Type.Enum([...EVENT_PATTERNS])),
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
  },
  sorts: ['newest'],
  read: (context, { endpoint, event, type, status }, { from, to, after, limit }) =>
    listDeliveries(context, context.owner, {
      endpointId: endpoint ?? null,
      eventId: event ?? null,
      eventType: type ?? null,
      status: status ?? null,
      from,
      to,
      before: after,
      limit,
    }),
  form: ({ type = null, status = null, endpoint = null, event = null }) => ({
    fields: [
      selectFilter(
        'type',
        'Event',
        EVENT_PATTERNS.map((value) => ({ value, text: value })),
        type,
      ),
      statusFilter(DELIVERY_STATUSES, status),
    ],
    hidden: { endpoint, event },
  }),
  dates: 'Created',
  caption: 'Deliveries, newest first',
  columns: (_filters, _here, context) => [
    {
      title: 'Event',
      cell: (delivery: Delivery) => html`<code>${delivery.eventType}</code>${sentAgain(delivery)}`,
    },
    { title: 'About', cell: ({ subject }) => subjectLink(context.base, subject) },
    { title: 'State', cell: ({ status }) => statusBadge(status) },
    { title: 'Attempts', cell: (delivery) => deliveryAttempts(delivery, context.now) },
    { title: 'Created', cell: ({ createdAt }) => timestamp(createdAt, context.now) },
    {
      title: 'Next attempt',
      cell: ({ nextAttemptAt }) =>
        nextAttemptAt ? timestamp(nextAttemptAt, context.now) : emptyValue(),
    },
    {
      ...ACTIONS,
      cell: ({ id, eventType }) =>
        mayRun('delivery-resend', context) &&
        commandButton(`${context.base}/webhooks/deliveries/${id}/resend`, 'Resend', eventType),
    },
  ],
  empty: 'Nothing was sent yet, or nothing matches.',
  more: 'Earlier deliveries',
  csv: {
    id: ({ id }) => id,
    endpoint_id: ({ endpointId }) => endpointId,
    event_id: ({ eventId }) => eventId,
    event_type: ({ eventType }) => eventType,
    status: ({ status }) => status,
    attempts: ({ attempts }) => attempts.length,
    last_status_code: ({ attempts }) => attempts.at(-1)?.statusCode ?? null,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** The partner's history of events. */
export const eventsPage = siteList({
  path: '/events',
  time: 'own',
  title: 'Events',
  section: 'events',
  filters: {},
  sorts: ['newest'],
  read: (context, _filters, { after, limit }) =>
    listNewestEvents(context, context.owner, { before: after, limit }),
  cursor: {
    write: String,
    /** Reads an invalid position as 0, so the page is empty. */
    read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : 0),
  },
  form: () => ({ fields: [] }),
  caption: 'Events, newest first',
  columns: (_filters, _here, context) => [
    { title: 'Event', cell: ({ type }) => html`<code>${type}</code>` },
    { title: 'About', cell: ({ subject }) => subjectLink(context.base, subject) },
    { title: 'When', cell: ({ createdAt }) => timestamp(createdAt, context.now) },
    {
      title: 'Content',
      cell: ({ id, type, body }) =>
        html`<details><summary>Show<span class="unseen"> ${type}</span></summary><pre tabindex="0" aria-label="Event ${id}">${JSON.stringify(JSON.parse(body), null, 2)}</pre></details>`,
    },
    {
      title: 'Sent',
      cell: ({ id }) => link(`${context.base}/webhooks/deliveries?event=${id}`, 'Deliveries'),
    },
    {
      ...ACTIONS,
      cell: ({ id, type }) =>
        mayRun('event-resend', context) &&
        commandButton(`${context.base}/events/${id}/resend`, 'Resend', type),
    },
  ],
  empty: 'No events yet. Orders, transfers and brokerage cases leave one at each step.',
  more: 'Earlier events',
  csv: {
    id: ({ id }) => id,
    type: ({ type }) => type,
    subject: ({ subject }) => subject,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** Returns a link to the subject of an event. */
function subjectLink(base: string, subject: string | null): Markup {
  if (subject === null) return emptyValue();
  if (isId('order', subject)) return link(`${base}/orders/${subject}`, 'Order');
  if (isId('brokerageCase', subject)) return link(`${base}/brokerage/${subject}`, 'Case');
  if (isId('webhookEndpoint', subject)) return link(`${base}/webhooks/${subject}`, 'Endpoint');
  return html`<span class="id">${subject}</span>`;
}

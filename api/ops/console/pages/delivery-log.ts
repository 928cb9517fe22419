import { Type } from 'typebox';
import {
  DELIVERY_STATUSES,
  type Delivery,
} from '../../../../shared/messaging/webhooks/delivery.ts';
import type { EndpointOwner } from '../../../../shared/messaging/webhooks/endpoint.ts';
import { EVENT_PATTERNS } from '../../../../shared/messaging/webhooks/endpoint-settings.ts';
import { listDeliveries } from '../../../../shared/messaging/webhooks/read-deliveries.ts';
import type { OpsEndpoint } from '../../../../shared/operations/webhook-overview/webhook-overview.ts';
import { addMs, DAY } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { isId } from '../../../../shared/platform/ids.ts';
import { deliveryAttempts, sentAgain } from '../../../pages/kit/delivery-parts.ts';
import { choicesOf, filterForm, inputField, selectFilter } from '../../../pages/kit/form.ts';
import { pathWith, timestamp } from '../../../pages/kit/format.ts';
import {
  CSV_FORMAT,
  type CsvColumns,
  csvFile,
  csvLink,
  PAGE_SIZE,
} from '../../../pages/kit/list.ts';
import type { CsvFile } from '../../../pages/kit/page-group.ts';
import { emptyValue, link } from '../../../pages/kit/page-parts.ts';
import { statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, pager, table } from '../../../pages/kit/table.ts';
import { actionLink } from '../action-links.ts';
import { CursorField, type PageContext } from '../console-page.ts';
import { casePath, endpointPath, orderPath } from '../console-paths.ts';

const DayField = Type.Optional(Type.String({ format: 'date' }));

/** The query parameters of a page with a delivery log. */
export const LOG_FILTER = {
  type: Type.Optional(Type.Enum([...EVENT_PATTERNS])),
  status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
  from: DayField,
  to: DayField,
  cursor: CursorField,
  format: CSV_FORMAT,
};

/** The filter in the query. Days are in UTC; `to` is the last day. */
interface LogFilter {
  type?: string | undefined;
  status?: (typeof DELIVERY_STATUSES)[number] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
  format?: 'csv' | undefined;
}

export interface DeliveryLog {
  owner: EndpointOwner;
  /** The endpoints to filter by; with only one there is no filter. */
  endpoints: readonly OpsEndpoint[];
  /** The endpoint of the log; null for all. */
  endpointId: string | null;
  /** The path of the page. */
  path: string;
  filter: LogFilter;
}

function wantedOf({ endpointId, filter }: Pick<DeliveryLog, 'endpointId' | 'filter'>) {
  const { type = null, status = null, from, to } = filter;
  return {
    endpointId,
    eventType: type,
    status,
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : addMs(new Date(to), DAY),
  };
}

const COLUMNS: CsvColumns<Delivery> = {
  id: ({ id }) => id,
  endpoint_id: ({ endpointId }) => endpointId,
  event_id: ({ eventId }) => eventId,
  event_type: ({ eventType }) => eventType,
  subject: ({ subject }) => subject,
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts.length,
  last_status_code: ({ attempts }) => attempts.at(-1)?.statusCode ?? null,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  next_attempt_at: ({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? null,
};

/** Returns the log as a CSV file. */
export function deliveryFile(
  context: PageContext,
  log: Pick<DeliveryLog, 'owner' | 'endpointId' | 'filter'>,
): CsvFile {
  const wanted = wantedOf(log);
  return csvFile('deliveries', COLUMNS, (before: string | null, limit) =>
    listDeliveries(context, log.owner, { ...wanted, before, limit }),
  );
}

/** Shows deliveries with every attempt, newest first, and the filters. */
export async function deliveryLog(context: PageContext, log: DeliveryLog): Promise<Markup> {
  const { owner, endpoints, endpointId, path } = log;
  const { type = null, status = null, from = null, to = null, cursor = null } = log.filter;
  const { rows: deliveries, next } = await listDeliveries(context, owner, {
    ...wantedOf(log),
    before: cursor,
    limit: PAGE_SIZE,
  });
  const { now } = context;
  const among = path !== endpointPath(endpointId ?? '');
  const query = { endpoint: among ? endpointId : null, type, status, from, to };
  const narrowed = Object.values(query).some((value) => value !== null);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  // The successor of a removed endpoint may have the same name.
  const inService = new Set(endpoints.filter(({ active }) => active).map(({ name }) => name));
  const endpointChoices = endpoints.map(({ id, name }) => ({ value: id, text: name }));
  const typeChoices = EVENT_PATTERNS.map((value) => ({ value, text: value }));
  return html`${filterForm(path, [
    among ? selectFilter('endpoint', 'Endpoint', endpointChoices, endpointId) : html``,
    selectFilter('type', 'Event', typeChoices, type),
    selectFilter('status', 'State', choicesOf(DELIVERY_STATUSES), status),
    dayFilter('from', 'From', from),
    dayFilter('to', 'To', to),
  ])}
${table(
  'Deliveries, the newest first',
  [
    'Event',
    ...(among ? ['Endpoint'] : []),
    'About',
    'State',
    'Attempts',
    'Created',
    'Next attempt',
    ACTIONS,
  ],
  deliveries.map((delivery) => [
    html`<code>${delivery.eventType}</code>${sentAgain(delivery)}`,
    ...(among ? [endpointOf(delivery, byId)] : []),
    subjectOf(delivery),
    statusBadge(delivery.status),
    deliveryAttempts(delivery, now),
    timestamp(delivery.createdAt, now),
    delivery.nextAttemptAt ? timestamp(delivery.nextAttemptAt, now) : emptyValue(),
    inService.has(byId.get(delivery.endpointId)?.name ?? '')
      ? actionLink(context, {
          form: 'webhook-resend',
          about: delivery.eventType,
          given: { delivery: delivery.id },
          back: pathWith(path, query),
        })
      : emptyValue(),
  ]),
  narrowed ? 'No deliveries match.' : 'Nothing has been sent yet.',
)}
${pager(path, { ...query, cursor: next }, 'Earlier deliveries', cursor === null)}
${deliveries.length > 0 && csvLink(pathWith(path, { ...query, format: 'csv' }))}`;
}

function dayFilter(name: string, label: string, value: string | null): Markup {
  return inputField({ id: `filter-${name}`, name, label, type: 'date', value });
}

function endpointOf({ endpointId }: Delivery, byId: ReadonlyMap<string, OpsEndpoint>): Markup {
  return link(endpointPath(endpointId), byId.get(endpointId)?.name ?? endpointId);
}

/** Returns a link to the event's subject. */
function subjectOf({ subject }: Delivery): Markup {
  if (subject === null) return emptyValue();
  if (isId('order', subject)) return link(orderPath(subject), 'Order');
  return isId('brokerageCase', subject) ? link(casePath(subject), 'Case') : emptyValue();
}

/** Shows the attempts of one delivery, collapsed. */

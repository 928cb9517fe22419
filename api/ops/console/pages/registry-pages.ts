import { listRefusedHolds } from '../../../../shared/domains/domain-registrants/verify-registrant.ts';
import { listUnreadMessages } from '../../../../shared/domains/registrar/unread-messages.ts';
import { html } from '../../../../shared/platform/html.ts';
import { timestamp } from '../../../pages/kit/format.ts';
import { domainCell, domainLink, emptyValue } from '../../../pages/kit/page-parts.ts';
import { ACTIONS } from '../../../pages/kit/table.ts';
import { rawText } from '../../actions/registry-actions.ts';
import { actionLink } from '../action-links.ts';
import { orderPath } from '../console-paths.ts';
import { listInRealTime } from '../list-page.ts';

/** Messages from the registry that staff must read. */
export const registryMessagesPage = listInRealTime({
  path: '/registry-messages',
  title: 'Registry messages to read',
  section: 'transfers',
  filters: {},
  sorts: ['oldest', 'newest'],
  read: (context, _filters, page) => listUnreadMessages(context, page),
  form: () => ({ fields: [] }),
  dates: 'Received',
  intro: () =>
    'These messages need a person: they announce changes or maintenance, concern our login or something done for a refunded owner, or could not be read. They are off the registry’s queue. Read each one, do what it asks, then mark it as read.',
  caption: 'Messages to read',
  columns: (_filters, here) => [
    {
      title: 'Message',
      cell: ({ id, text }) =>
        html`<span class="id">${id}</span>${text && html`<span class="sub">${text}</span>`}`,
    },
    {
      title: 'Domain',
      cell: ({ domain }) => (domain === null ? emptyValue() : domainCell(domain)),
    },
    {
      title: 'What it says',
      cell: (message) =>
        html`${message.fault}${message.raw && html`<details><summary>What the registry sent</summary><pre>${rawText(message)}</pre></details>`}`,
    },
    {
      title: 'Received',
      cell: ({ recordedAt }, { now }) => timestamp(recordedAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
    {
      ...ACTIONS,
      cell: ({ id }, context) =>
        actionLink(context, {
          form: 'registry-mark-message-read',
          about: id,
          given: { message: id },
          back: here,
        }),
    },
  ],
  empty: 'No unread messages.',
  more: 'More messages',
  csv: {
    id: ({ id }) => id,
    registry: ({ registry }) => registry,
    domain: ({ domain }) => domain,
    text: ({ text }) => text,
    fault: ({ fault }) => fault,
    raw: rawText,
    queued_at: ({ queuedAt }) => queuedAt?.toISOString() ?? null,
    recorded_at: ({ recordedAt }) => recordedAt.toISOString(),
  },
});

/** Domains that a registry refused to remove from or restore to the DNS, as the registrant's verification requires. */
export const refusedHoldsPage = listInRealTime({
  path: '/refused-holds',
  title: 'Holds that the registry refused',
  section: 'transfers',
  filters: {},
  sorts: ['oldest', 'newest'],
  read: (context, _filters, page) => listRefusedHolds(context, page),
  form: () => ({ fields: [] }),
  dates: 'Registered',
  intro: () =>
    'We take a domain out of the DNS (clientHold) if its registrant’s address is not verified within 15 days, and put it back once it is. The registry refused to do so for these domains. We retry every day for a hold, every hour to lift one. Ask the registry why.',
  caption: 'Refused holds',
  columns: () => [
    {
      title: 'Domain',
      cell: ({ domain, orderId }) =>
        orderId === null ? domainCell(domain) : domainLink(orderPath(orderId), domain),
    },
    {
      title: 'Wanted',
      cell: ({ verification }) =>
        verification === 'pending' ? 'Out of the DNS' : 'Back in the DNS',
    },
    { title: 'Reason', cell: ({ refusal }) => refusal },
    { title: 'Refused since', cell: ({ refusedAt }, { now }) => timestamp(refusedAt, now) },
  ],
  empty: 'No refused holds.',
  more: 'More domains',
  csv: {
    domain: ({ domain }) => domain,
    order_id: ({ orderId }) => orderId,
    wanted: ({ verification }) => (verification === 'pending' ? 'hold' : 'release'),
    reason: ({ refusal }) => refusal,
    refused_at: ({ refusedAt }) => refusedAt.toISOString(),
  },
});

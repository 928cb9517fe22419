import { Type } from 'typebox';
import {
  type ApiRequest,
  listRequests,
  readRequest,
  STATUS_CLASSES,
} from '../../../../shared/people/partners/request-log.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { LOOK_THROUGH } from '../../../../shared/platform/page.ts';
import { inputFilter, selectFilter } from '../../kit/form.ts';
import { timestamp } from '../../kit/format.ts';
import { badge, descriptionList, emptyValue, link, section } from '../../kit/page-parts.ts';
import { numberColumn } from '../../kit/table.ts';
import { siteList, sitePage } from '../site-page.ts';

const STATUS_WORDS: Readonly<Record<(typeof STATUS_CLASSES)[number], string>> = {
  '2xx': '2xx, succeeded',
  '3xx': '3xx, redirected',
  '4xx': '4xx, refused',
  '5xx': '5xx, failed',
};

/** The recent API requests of the partner's programs. */
export const requestsPage = siteList({
  path: '/requests',
  time: 'real',
  title: 'API requests',
  section: 'requests',
  filters: {
    status: Type.Optional(Type.Enum([...STATUS_CLASSES])),
    path: Type.Optional(Type.String({ maxLength: 300 })),
    key: Type.Optional(Type.String({ maxLength: 64 })),
    request_id: Type.Optional(Type.String({ maxLength: 128 })),
  },
  sorts: ['newest'],
  read: (context, { status, path, key, request_id }, { from, to, after, limit }) =>
    listRequests(context, context.owner, {
      statusClass: status ?? null,
      path: path ?? null,
      keyId: key ?? null,
      requestId: request_id ?? null,
      from,
      to,
      before: after,
      limit,
    }),
  form: ({ status = null, path = null, key = null, request_id = null }) => ({
    fields: [
      selectFilter(
        'status',
        'Status',
        STATUS_CLASSES.map((value) => ({ value, text: STATUS_WORDS[value] })),
        status,
      ),
      inputFilter('path', 'Path contains', path, 300),
      inputFilter('key', 'Key ID', key, 64),
      inputFilter('request_id', 'Request ID', request_id, 128),
    ],
  }),
  dates: 'Sent',
  caption: 'Requests, newest first',
  columns: (_filters, _here, { base, now }) => [
    {
      title: 'Request',
      cell: ({ id, method, path }: ApiRequest) =>
        html`<a href="${base}/requests/${id}"><code>${method} ${path}</code></a>`,
    },
    { title: 'Status', cell: ({ status }) => answerBadge(status) },
    {
      title: 'Error',
      cell: ({ errorCode }) =>
        errorCode === null ? emptyValue() : html`<code>${errorCode}</code>`,
    },
    { ...numberColumn('Took'), cell: ({ elapsedMs }) => latency(elapsedMs) },
    { title: 'When', cell: ({ createdAt }) => timestamp(createdAt, now) },
    { title: 'Key', cell: ({ keyId }) => html`<span class="id">${keyId}</span>` },
    { title: 'Request ID', cell: ({ requestId }) => html`<span class="id">${requestId}</span>` },
  ],
  empty: 'No requests match. Requests with one of your keys appear here within seconds.',
  emptySoFar: `No match among ${LOOK_THROUGH.toLocaleString('en-US')} requests. There are earlier ones.`,
  more: 'Earlier requests',
  csv: {
    id: ({ id }) => id,
    created_at: ({ createdAt }) => createdAt.toISOString(),
    method: ({ method }) => method,
    path: ({ path }) => path,
    status: ({ status }) => status,
    error_code: ({ errorCode }) => errorCode,
    elapsed_ms: ({ elapsedMs }) => elapsedMs,
    request_id: ({ requestId }) => requestId,
    key_id: ({ keyId }) => keyId,
  },
});

/** One request, with the expected canonical string if its signature was refused. */
export const requestPage = sitePage({
  path: '/requests/:request',
  time: 'real',
  input: Type.Object({ request: Type.String({ maxLength: 64 }) }),
  async show(context, { request: id }) {
    const { owner, base, now } = context;
    const request = await readRequest(context, owner, id);
    const { method, path, status, errorCode, elapsedMs, keyId, requestId } = request;
    return {
      title: `${method} ${path}`,
      section: 'requests',
      content: html`<p>${link(`${base}/requests`, 'All requests')}</p>
${descriptionList([
  ['Status', answerBadge(status)],
  ['Error', errorCode && html`<code>${errorCode}</code> ${link('/docs/errors', 'What it means')}`],
  ['Sent', timestamp(request.createdAt, now)],
  ['Took', latency(elapsedMs)],
  [
    'Key',
    html`<a href="/partner/${owner.partnerId}/keys/${keyId}"><span class="id">${keyId}</span></a>`,
  ],
  ['Request ID', html`<span class="id">${requestId}</span>`],
])}
${request.canonicalString !== null && expectedString(request.canonicalString)}`,
    };
  },
});

function expectedString(canonical: string): Markup {
  return section(
    'Canonical string',
    html`<pre tabindex="0" aria-label="Canonical string">${canonical}</pre>
<p class="hint">The last line is the SHA-256 of the body as it arrived. If every line is the same as yours, the secret is wrong. ${link('/docs/signing', 'How to sign')}</p>`,
    'The server expected a signature of these lines. Compare them with what your code signs.',
  );
}

function answerBadge(status: number): Markup {
  return badge(status < 400 ? 'good' : status < 500 ? 'wait' : 'bad', status);
}

function latency(ms: number): string {
  return `${ms.toLocaleString('en-US')} ms`;
}

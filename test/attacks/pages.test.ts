import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../api/ops/console/console-router.ts';
import { actionForms } from '../../api/ops/console/forms/action-forms.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { API_REFERENCES } from '../../api/pages/docs/api-reference/reference-pages.ts';
import { GUIDES } from '../../api/pages/docs/guides.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import type { TestApp } from '../support/app.ts';
import { fetchPage, givenSession, sendForm } from '../support/checkout.ts';
import { type ConsoleVisitor, hiddenFields } from '../support/console.ts';
import {
  type ConsoleMarket,
  filledPath,
  formSubjects,
  startConsoleScene,
} from '../support/console-market.ts';
import type { PartnerFixture } from '../support/factories.ts';
import type { SignedClient } from '../support/signed-client.ts';

let app: TestApp;
let ops: ConsoleVisitor;
let market: ConsoleMarket;
let partner: PartnerFixture & { client: SignedClient };

beforeAll(async () => {
  ({ app, ops, market } = await startConsoleScene());
  partner = await app.partner();
});
afterAll(() => app?.stop());

/** How a browser says that another site sent what it sends. */
const FOREIGN: readonly Record<string, string>[] = [
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
  { 'Sec-Fetch-Site': 'same-site', Origin: 'https://shop.localhost' },
  { 'Sec-Fetch-Site': 'cross-site', Authorization: 'Bearer nonsense' },
  { Origin: 'https://evil.example', Authorization: 'Basic bm9ib2R5Og==' },
];

describe('cross-site requests with an ops cookie (CSRF)', () => {
  const changes = [
    ...[...actionForms().keys()].map((form) => `/do/${form}`),
    ...opsRoutes.filter(({ method }) => method === 'POST').map(({ path }) => `/api${path}`),
    '/sign-out',
    '/sign-in',
    '/queues/api/queues/webhooks/empty',
  ];

  it.each(changes)('do nothing at %s', async (path) => {
    const count = async () => Number((await app.runtime.db.knex('audit_log').count())[0]?.count);
    const before = await count();
    for (const headers of FOREIGN) {
      const answer = await ops.post(
        filledPath(market, path),
        { ...formSubjects(market), once: 'A'.repeat(22) },
        headers,
      );
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect(await count()).toBe(before);
    expect((await ops.visit('/')).status).toBe(200);
  });

  it('change nothing through any GET request', async () => {
    const audited = async () => app.runtime.db.knex('audit_log').orderBy('id').pluck('id');
    const statuses = async () => app.runtime.db.knex('orders').orderBy('id').pluck('status');
    const before = [await audited(), await statuses()];
    for (const { path } of opsRoutes) await ops.visit(filledPath(market, `/api${path}`));
    for (const form of actionForms().keys()) {
      await ops.visit(`/do/${form}?${new URLSearchParams(formSubjects(market))}`);
    }
    for (const { path } of consolePages) await ops.visit(filledPath(market, path));
    for (const path of ['/sign-out', '/queues/api/queues/webhooks/pause']) await ops.visit(path);
    expect([await audited(), await statuses()]).toEqual(before);
    expect((await ops.visit('/')).status).toBe(200);
  });

  it('cannot submit a form without its one-time value', async () => {
    const given = { order: market.held };
    const page = await ops.visit(`/do/order-clear?${new URLSearchParams(given)}`);
    const fields = hiddenFields(page.text);
    expect((await ops.post('/do/order-clear', { ...fields, once: '' })).status).toBe(409);
    expect((await ops.post('/do/order-clear', { ...fields, once: '../../x' })).status).toBe(409);
  });

  it('acts once on a form that is sent many times at once', async () => {
    const page = await ops.visit(`/do/order-start-transfer?order=${market.toPush}`);
    const fields = hiddenFields(page.text);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ops.post('/do/order-start-transfer', fields)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(409)]);
    const audited = app.runtime.db.knex('audit_log').where({ subject: market.toPush });
    expect(await audited.pluck('action')).toEqual(['order:start-transfer']);
  });

  it('cannot submit any form with a one-time value that another form has used', async () => {
    const { once = '' } = hiddenFields((await ops.visit('/do/ledger-check')).text);
    expect((await ops.post('/do/ledger-check', { once })).status).toBe(303);
    const audited = async () => app.runtime.db.knex('audit_log').orderBy('id').pluck('id');
    const before = await audited();
    const reused = new Map<string, string>();
    for (const form of actionForms().keys()) {
      const { status, text } = await ops.post(`/do/${form}`, { ...formSubjects(market), once });
      // A form that lacks a field is refused before its value is looked at.
      expect([form, [400, 404, 409].includes(status)]).toEqual([form, true]);
      if (status === 409) reused.set(form, text);
    }
    expect(reused.size).toBeGreaterThan(20);
    for (const [form, text] of reused) {
      expect([form, text]).toEqual([form, expect.stringContaining('was already sent')]);
    }
    expect(await audited()).toEqual(before);
  });
});

describe('every page', () => {
  it('forbids framing and cross-origin reads', async () => {
    const session = await givenSession(app, partner.client);
    const progress = new URL(await progressUrl(app.runtime, market.caseId));
    const pages = [
      ...consolePages.map(({ path }) => `/ops${filledPath(market, path)}`),
      ...[...actionForms().keys()].map(
        (form) => `/ops/do/${form}?${new URLSearchParams(formSubjects(market))}`,
      ),
      '/ops/sign-in',
      '/account/sign-in',
      '/account/sign-up',
      '/account/reset',
      '/account/verify?t=x',
      '/account/invitation?t=x',
      '/account/new-password?t=x',
      '/ops/queues/',
      '/ops/nowhere',
      '/',
      ...[
        '/',
        '/docs',
        '/docs/search?q=x',
        '/docs/status',
        '/docs/inspector',
        '/docs/oauth2-redirect',
        '/docs/nowhere',
      ],
      ...GUIDES.map(({ slug }) => `/docs/${slug}`),
      ...API_REFERENCES.map(({ path }) => path),
      '/oauth/authorize',
      '/oauth/interaction/x',
      session.url.slice(app.url.length),
      '/checkout/x?pt=x',
      progress.pathname + progress.search,
      '/brokerage/x?pt=x',
      '/registrant/x',
    ];
    for (const path of pages) {
      const inside = path.startsWith('/ops');
      const answer = inside
        ? await ops.visit(path.slice('/ops'.length))
        : await fetchPage(app.url + path, { headers: { Origin: 'https://evil.example' } });
      const header = (name: string) => answer.headers.get(name);
      expect([path, header('Content-Security-Policy')]).toEqual([
        path,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
      expect([path, header('Content-Security-Policy')]).not.toEqual([
        path,
        expect.stringMatching(/script-src[^;]*('unsafe|\*|https?:)|default-src (?!'none')/),
      ]);
      expect([path, header('X-Content-Type-Options')]).toEqual([path, 'nosniff']);
      expect([path, header('Access-Control-Allow-Origin')]).toEqual([path, null]);
      expect([path, header('Access-Control-Allow-Credentials')]).toEqual([path, null]);
      if (inside) expect([path, header('Cache-Control')]).toEqual([path, 'no-store']);
    }
  });
});

describe('redirect targets', () => {
  const AWAY = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/ops/../../evil.example',
    '/ops/%2e%2e/evil.example',
    '/ops/x/.%2E/../evil.example',
    '/ops@evil.example',
    '/ops.evil.example',
    'javascript:alert(1)',
    '/ops/\r\nSet-Cookie: a=b',
    '/ops/%0d%0aSet-Cookie:a=b',
    '/%09/evil.example',
    '/ops/\t//evil.example',
    '///evil.example',
    'ops',
  ];

  it.each(AWAY)('sign-in and ops forms do not redirect to %j', async (next) => {
    const { email, password } = ops;
    const entered = await ops.post('/sign-in', { email, password, next });
    const target = new URL(entered.headers.get('Location') ?? '', app.url);
    expect([target.origin, target.pathname.replace(/(?<=^\/ops)\/.*/, '')]).toEqual([
      app.url,
      '/ops',
    ]);
    expect(entered.headers.get('Set-Cookie')).toMatch(/^ops_session=[^;]+; Path=\/;/);
    const page = await ops.visit(`/sign-in?next=${encodeURIComponent(next)}`);
    expect(page.text).not.toContain('evil.example"');
    const asked = await ops.visit(`/do/ledger-check?back=${encodeURIComponent(next)}`);
    expect(asked.text).not.toMatch(/href="[^"]*evil\.example/);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '/relative',
    'https:evil.example',
    'https://partner.example/\r\nSet-Cookie: a=b',
    'https://partner.example/\u0000',
    'ftp://partner.example/',
    `https://partner.example/${'a'.repeat(2_048)}`,
    '',
  ])('a partner cannot send buyers to %j', async (url) => {
    const { domain } = await givenSession(app, partner.client);
    for (const field of ['return_url', 'cancel_url']) {
      const { status } = await partner.client.post('/v1/checkout-session', {
        body: { domain, [field]: url },
      });
      expect([field, status]).toEqual([field, 400]);
    }
  });

  it('a referral link always leads to our own site', async () => {
    const { client } = await app.partner({ affiliate: true });
    for (const product of [
      '//evil.example',
      'https://evil.example',
      '../../x',
      '\\evil.example',
      '@evil.example',
      'x\r\nSet-Cookie: a=b',
    ]) {
      const { status, body } = await client.post('/v1/links', {
        body: { kind: 'product', product },
      });
      if (status !== 201) continue;
      const answer = await fetchPage(
        `${app.url}${new URL(body.url).pathname}?url=https://evil.example`,
      );
      expect(new URL(answer.location).origin).toBe(app.runtime.config.baseUrl);
    }
  });
});

describe('response headers', () => {
  const exchange = (head: string) =>
    new Promise<string>((resolve, reject) => {
      const { port } = new URL(app.url);
      let answer = '';
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`${head}Host: 127.0.0.1\r\nConnection: close\r\n\r\n`, 'latin1'),
      );
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
    });

  it.each([
    ['a request ID', 'GET /healthz HTTP/1.1\r\nX-Request-Id: a%0d%0aSet-Cookie:x=y\r\n'],
    [
      'a request ID with high bytes',
      'GET /healthz HTTP/1.1\r\nX-Request-Id: a\u008d\u008aSet-Cookie:x=y\r\n',
    ],
    ['a path', 'GET /ops/%0d%0aSet-Cookie:x=y HTTP/1.1\r\nAccept: text/html\r\n'],
    ['a query', 'GET /ops/?a=%0d%0aSet-Cookie:x=y HTTP/1.1\r\nAccept: text/html\r\n'],
    ['a URL with another host', 'GET http://evil.example/ops/ HTTP/1.1\r\nAccept: text/html\r\n'],
    ['a URL without a scheme', 'GET //evil.example/ops/ HTTP/1.1\r\nAccept: text/html\r\n'],
    ['a referral code', 'GET /r/%0d%0aSet-Cookie:x=y HTTP/1.1\r\n'],
    [
      'a forwarded host',
      'GET /ops/ HTTP/1.1\r\nAccept: text/html\r\nX-Forwarded-Host: evil.example\r\n',
    ],
  ])('cannot be injected through %s', async (_what, head) => {
    const answer = await exchange(head);
    const [headers = ''] = answer.split('\r\n\r\n');
    expect(headers).not.toMatch(/^Set-Cookie:/im);
    const location = /^Location: (.*)$/im.exec(headers)?.[1];
    if (location !== undefined) expect(new URL(location, app.url).origin).toBe(app.url);
  });

  it('cannot be injected through stored checkout URLs', async () => {
    const session = await givenSession(app, partner.client);
    await app.runtime.db
      .knex('checkout_sessions')
      .where({ id: session.id })
      .update({
        cancel_url: 'https://partner.example/?a=\r\nSet-Cookie: x=y',
        expires_at: addMs(app.runtime.clock.now(), DAY),
      });
    const answer = await sendForm(session.url, 'cancel');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('Set-Cookie')).toBeNull();
  });
});

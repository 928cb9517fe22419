import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../../../api/ops/console/console-router.ts';
import { createUser } from '../../../../shared/people/users/user-account.ts';
import { signIn } from '../../../../shared/people/users/user-session.ts';
import { newId } from '../../../../shared/platform/ids.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../../support/console.ts';

let app: TestApp;
let ops: ConsoleVisitor;

beforeAll(async () => {
  app = await startTestApp();
  ops = await givenVisitor(app);
});
afterAll(() => app?.stop());

const unknown = (path: string) =>
  path
    .replace(':order', newId('order', new Date()))
    .replace(':case', newId('brokerageCase', new Date()))
    .replace(':offer', newId('offer', new Date()))
    .replace(':job', newId('bulkJob', new Date()))
    .replace(':run', newId('settlementRun', new Date()))
    .replace(':id', newId('settlement', new Date()))
    .replace(':environment', 'LIVE')
    .replace(':partner', newId('partner', new Date()));

const ofLists = consolePages.filter(({ path }) => !path.includes(':'));
const ofOne = consolePages.filter(({ path }) => path.includes(':'));

describe('the console of an empty marketplace', () => {
  it.each(ofLists.map(({ path }) => path))('%s loads without data', async (path) => {
    const { status, headers, text } = await ops.visit(path);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(text).toMatch(/<html lang="en">/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text.match(/<main /g)).toHaveLength(1);
    expect(text).not.toContain('<script');
    expect(text).not.toMatch(/ style="| on\w+="/);
    expect(text).not.toMatch(/undefined|\[object|NaN/);
  });

  it.each(ofOne.map(({ path }) => path))('%s returns a 404 page', async (path) => {
    for (const wanted of [unknown(path), path.replace(/:(?!environment)\w+/g, 'nonsense')]) {
      const { status, text } = await ops.visit(wanted.replace(':environment', 'LIVE'));
      expect(status).toBe(404);
      expect(readable(text)).toMatch(/No .* (id|environment)|not_found/);
      expect(text).toContain('<nav');
    }
  });

  it('returns an error page for invalid input', async () => {
    for (const path of [
      '/transfers?stage=nowhere',
      '/orders?status=STOLEN',
      '/orders?environment=PROD&environment=LIVE',
      '/audit?cursor=-1',
      '/webhooks/PROD/ptr_x',
      `/search?q=${'x'.repeat(300)}`,
      '/search?q=%00',
      '/market-search?environment=PROD',
      `/market-search?q=${'x'.repeat(501)}`,
    ]) {
      const { status, text } = await ops.visit(path);
      expect([path, status]).toEqual([path, 400]);
      expect(readable(text)).toContain('validation_error');
    }
    expect((await ops.visit('/settlements/%E0%A4%A')).status).toBe(400);
    expect((await ops.visit('/nowhere')).status).toBe(404);
    expect((await ops.visit('/do/order-steal')).status).toBe(404);
  });
});

describe('the console without a staff session', () => {
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${app.url}/ops${path}`, { redirect: 'manual', ...init });

  it('redirects browsers to sign-in and returns 401 to scripts', async () => {
    for (const path of [...consolePages.map((page) => unknown(page.path)), '/do/order-clear']) {
      const page = await call(path, { headers: { Accept: 'text/html' } });
      expect([path, page.status]).toEqual([path, 303]);
      expect(page.headers.get('Location')).toMatch(/^\/ops\/sign-in\?next=/);
      expect((await call(path, { headers: { Accept: 'application/json' } })).status).toBe(401);
    }
    for (const form of ['order-clear', 'partner-create', 'nothing']) {
      const answer = await call(`/do/${form}`, { method: 'POST', body: new URLSearchParams() });
      expect(answer.status).toBe(401);
    }
  });

  it('rejects owner accounts', async () => {
    const account = { email: 'owner@example.com', password: 'a long enough password' };
    await createUser(app.runtime, 'test', { ...account, role: 'owner' });
    const { token } = await signIn(app.runtime, account);
    const headers = { Cookie: `ops_session=${token}`, Accept: 'text/html' };
    for (const page of consolePages) {
      expect((await call(unknown(page.path), { headers })).status).toBe(303);
    }
    const post = { method: 'POST', headers, body: new URLSearchParams({ name: 'Mine' }) };
    expect((await call('/do/partner-create', post)).status).toBe(403);
  });

  it('rejects forms sent from other sites', async () => {
    const evil = { 'Sec-Fetch-Site': 'cross-site' };
    const answer = await ops.post('/do/partner-create', { name: 'Evil' }, evil);
    expect(answer.status).toBe(403);
    expect(await app.runtime.db.knex('partners').where({ name: 'Evil' })).toEqual([]);
  });
});

describe('the console style sheet', () => {
  it('is cached as immutable under a versioned URL, and needs no sign-in', async () => {
    const page = await fetch(`${app.url}/ops/sign-in`);
    const [, href = ''] = /rel="stylesheet" href="([^"]+)"/.exec(await page.text()) ?? [];
    const style = await fetch(app.url + href);
    expect(style.headers.get('Content-Type')).toMatch(/^text\/css/);
    expect(style.headers.get('Cache-Control')).toContain('immutable');
    expect(await style.text()).toContain('prefers-color-scheme: dark');
  });
});

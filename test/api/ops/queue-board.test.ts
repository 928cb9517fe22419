import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { redact } from '../../../api/ops/queue-dashboard.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';

let app: TestApp;
let ops: OpsClient;

beforeAll(async () => {
  app = await startTestApp();
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

const board = (path: string, init: RequestInit = {}, token = ops.token) =>
  fetch(`${app.url}/ops/queues${path}`, {
    redirect: 'manual',
    ...init,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...init.headers },
  });

describe('the queue dashboard', () => {
  it('requires sign-in for the page, its API and its files', async () => {
    for (const path of ['/', '/api/queues', '/static/favicon-32x32.png', '/queue/webhooks']) {
      const answer = await board(path, {}, '');
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: { code: 'invalid_token' } });
    }
    const pause = await board('/api/queues/webhooks/pause', { method: 'PUT' }, '');
    expect(pause.status).toBe(401);
  });

  it('loads its own scripts and styles, and nothing from other hosts', async () => {
    const answer = await board('/');
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain('<base href="/ops/queues/"');
    expect(answer.headers.get('X-Powered-By')).toBeNull();
    const policy = answer.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("font-src 'self'");
    expect(policy).not.toContain('http');
    expect(page).not.toMatch(/<(link|script)[^>]*https?:/);
    expect(page).toMatch(/src="\/assets\/queue-board-[^"]*\.js"/);
    const scripts = [...page.matchAll(/<script defer src="([^"]+)"/g)].map((match) => match[1]);
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect((await board(`/${script}`)).status).toBe(200);
  });

  it('shows every queue, and the ids in a job but no secrets or email addresses', async () => {
    const queue = app.runtime.queues.get('transfers');
    await queue.add('probe', {
      outboxId: 41,
      epoch: 1,
      secret: 'whsec_hidden',
      deep: { note: 'for ada@example.com', buyer: { name: 'Ada' } },
    });
    const answer = await board('/api/queues?activeQueue=transfers&status=waiting&page=1');
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const { queues } = JSON.parse(text);
    expect(queues.map(({ name }: { name: string }) => name).sort()).toEqual(
      app.runtime.queues
        .all()
        .map(({ name }) => name)
        .sort(),
    );
    expect(text).toContain('"outboxId":41');
    for (const hidden of ['whsec_hidden', 'ada@example.com', 'Ada']) {
      expect(text).not.toContain(hidden);
    }
  });

  it('pauses a queue and records who did it', async () => {
    const queue = app.runtime.queues.get('maintenance');
    const pause = await board('/api/queues/maintenance/pause', { method: 'PUT' });
    expect(pause.status).toBe(200);
    await eventually(() => queue.isPaused());
    await board('/api/queues/maintenance/resume', { method: 'PUT' });
    await eventually(async () => !(await queue.isPaused()));
    const trail = await app.runtime.db.knex('audit_log').where({ action: 'queues:change' });
    expect(trail[0]).toMatchObject({
      actor: expect.stringMatching(/^usr_/),
      subject: 'PUT /api/queues/maintenance/pause',
    });
  });

  it('rejects requests from other sites', async () => {
    const signIn = await fetch(`${app.url}/ops/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email: ops.email, password: ops.password }),
    });
    const Cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const pause = (headers: Record<string, string>) =>
      board('/api/queues/webhooks/pause', { method: 'PUT', headers: { Cookie, ...headers } }, '');
    expect((await pause({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await pause({ Origin: 'https://evil.example' })).status).toBe(403);
    expect(await app.runtime.queues.get('webhooks').isPaused()).toBe(false);
    expect((await board('/api/queues', { headers: { Cookie } }, '')).status).toBe(200);
  });
});

describe('redaction of job data', () => {
  it('keeps ids and structure, and hides secret fields at any depth', () => {
    expect(
      redact({ orderId: 'ord_1', list: [{ token: 'x', n: 1 }], email: null, at: 'a@b.example' }),
    ).toEqual({
      orderId: 'ord_1',
      list: [{ token: '[redacted]', n: 1 }],
      email: '[redacted]',
      at: '[redacted]',
    });
    let deep: unknown = { token: 'x' };
    for (let level = 0; level < 20; level += 1) deep = { deep };
    expect(JSON.stringify(redact(deep))).not.toContain('"x"');
  });
});

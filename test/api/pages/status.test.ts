import { afterEach, describe, expect, it } from '@jest/globals';
import { addMs, DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

/** Figures must not be missing because the machine is slow. */
const PATIENT = { figureWaitMs: MINUTE };

let app: TestApp;
afterEach(() => app?.stop());

const read = async () => {
  const answer = await fetch(`${app.url}/status.json`);
  const { status, areas, ...rest } = (await answer.json()) as {
    status: string;
    areas: { area: string; status: string }[];
    checked_at: string;
  };
  const degraded = areas.filter((each) => each.status !== 'operational').map(({ area }) => area);
  return { answer, status, areas, degraded, rest };
};

describe('GET /status.json', () => {
  it('reports that everything is operational', async () => {
    app = await startTestApp(PATIENT);
    const { answer, status, areas, degraded, rest } = await read();
    expect([answer.status, status, degraded]).toEqual([200, 'operational', []]);
    expect(areas.map(({ area }) => area)).toEqual([
      'partner_api',
      'public_api',
      'checkout',
      'transfers',
      'webhooks',
      'settlements',
      'bulk',
      'mail',
      'referrals',
    ]);
    expect(rest).toEqual({ checked_at: expect.stringMatching(/^\d{4}-.*Z$/), incidents: [] });
    expect(answer.headers.get('Cache-Control')).toBe('public, max-age=15');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const page = await (await fetch(`${app.url}/docs/status`)).text();
    expect(page).toContain('All systems operational');
  });

  it('reports an area as degraded when its work has waited more than five minutes', async () => {
    app = await startTestApp(PATIENT);
    const now = app.runtime.clock.now();
    const due = (queue: string, minutes: number) => ({
      queue,
      name: 'test',
      payload: {},
      run_at: addMs(now, -minutes * MINUTE),
      created_at: now,
    });
    await app.runtime.db.knex('outbox').insert([due('transfers', 6), due('settlements', 4)]);
    const { status, degraded } = await read();
    expect([status, degraded]).toEqual(['degraded', ['transfers']]);
    const page = await (await fetch(`${app.url}/docs/status`)).text();
    expect(page).toMatch(/<span data-area="transfers" class="badge wait"><svg.*?<\/svg>Degraded</);
    expect(page).toMatch(
      /<span data-area="settlements" class="badge good"><svg.*?<\/svg>Operational</,
    );
  });

  it('lists the incidents of the last 90 days, newest first', async () => {
    app = await startTestApp(PATIENT);
    const now = app.runtime.clock.now();
    const ago = (days: number) => addMs(now, -days * DAY);
    const incident = (component: string, days: number, lastedMs: number | null) => ({
      component,
      started_at: ago(days),
      ended_at: lastedMs === null ? null : addMs(ago(days), lastedMs),
    });
    await app.runtime.db
      .knex('status_incidents')
      .insert([
        incident('api', 120, HOUR),
        incident('redis', 80, 20 * MINUTE),
        incident('webhooks', 1, null),
      ]);
    const { rest } = await read();
    expect(rest).toMatchObject({
      incidents: [
        { component: 'webhooks', started_at: ago(1).toISOString(), ended_at: null },
        {
          component: 'redis',
          started_at: ago(80).toISOString(),
          ended_at: addMs(ago(80), 20 * MINUTE).toISOString(),
        },
      ],
    });
  });

  it('reports everything as degraded without Redis', async () => {
    app = await startTestApp(PATIENT);
    await app.runtime.queues.get('webhooks').disconnect();
    app.runtime.redis.disconnect();
    const { answer, status } = await read();
    expect([answer.status, status]).toEqual([200, 'degraded']);
  });

  it('is cached and rate limited', async () => {
    app = await startTestApp({ ...PATIENT, RATE_LIMITS: 'on', LIMIT_PUBLIC_READS: '3' });
    const first = await read();
    await app.runtime.db.knex('outbox').insert({
      queue: 'transfers',
      name: 'test',
      payload: {},
      run_at: addMs(app.runtime.clock.now(), -60 * MINUTE),
      created_at: app.runtime.clock.now(),
    });
    const second = await read();
    expect([first.status, second.status]).toEqual(['operational', 'operational']);
    expect(second.answer.headers.get('RateLimit-Remaining')).toBe('1');
    await read();
    const refused = await fetch(`${app.url}/status.json`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect((await fetch(`${app.url}/docs/status`)).status).toBe(429);
  });
});

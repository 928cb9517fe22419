import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import type { PartnerFixture } from '../../support/factories.ts';
import { givenMember } from '../../support/partner-site.ts';
import { startSignInApp, type Visitor } from '../../support/sign-in.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
let workers: WorkerProcess;
let partner: PartnerFixture & { client: SignedClient };
let developer: Visitor;

beforeAll(async () => {
  app = await startSignInApp({ RATE_LIMITS: 'off', outboxPollMs: 20 });
  workers = startWorkers(app.runtime, { queues: ['maintenance'] });
  partner = await app.partner();
  ({ browser: developer } = await givenMember(app, 'developer', partner.partnerId));
});
afterAll(async () => {
  await workers?.stop();
  await app?.stop();
});

const path = (environment = 'sandbox') => `/partner/${partner.partnerId}/${environment}/clock`;
const clock = async () => (await partner.client.get('/v1/sandbox/clock').expect(200)).body;
const arrived = () => eventually(clock, ({ status }) => status === 'ready');

describe('the sandbox clock page', () => {
  it('advances the clock by a duration, to the end of the settlement period, and to a time', async () => {
    const start = Date.parse((await clock()).now);
    const moved = await developer.submit(await developer.open(path()), '\\+1 hour');
    expect(readable(moved.text)).toContain('The clock is moving to');
    expect(Date.parse((await arrived()).now) - start).toBeGreaterThanOrEqual(3_600_000);

    const { settlement_period_ends_at: end } = await clock();
    await developer.submit(await developer.open(path()), 'To the end of the settlement period');
    expect((await arrived()).now >= end).toBe(true);

    const later = new Date(Date.parse(end) + 86_400_000).toISOString();
    await developer.submit(await developer.open(path()), 'Move', { to: later });
    expect((await arrived()).now >= later).toBe(true);
  });

  it('explains why a move was rejected and keeps the input', async () => {
    const form = await developer.open(path());
    const back = await developer.submit(form, 'Move', { to: '2020-01-01T00:00Z' });
    expect(readable(back.text)).toContain('the clock goes forward only');
    expect(back.text).toContain('value="2020-01-01T00:00Z"');
    const words = await developer.submit(form, 'Move', { to: 'tomorrow' });
    expect(readable(words.text)).toContain('must be an instant');
  });

  it('has no buttons for viewers or in LIVE', async () => {
    const { browser: viewer } = await givenMember(app, 'viewer', partner.partnerId);
    const seen = await viewer.open(path());
    expect(seen.text).not.toContain('<button type="submit">+1 hour');
    const live = await developer.open(path('live'));
    expect(readable(live.text)).toContain('LIVE uses real time');
    const before = await clock();
    const form = await developer.open(path());
    const forged = { ...form, text: form.text.replaceAll('/sandbox/clock', '/live/clock') };
    const refused = await developer.submit(forged, '\\+1 hour');
    expect(readable(refused.text)).toContain('LIVE uses real time');
    expect((await clock()).status).toBe('ready');
    expect((await clock()).ahead_seconds).toBe(before.ahead_seconds);
  });
});

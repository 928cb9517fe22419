import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  givenConsoleMarket,
} from '../../support/console-market.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenMember } from '../../support/partner-site.ts';
import { startSignInApp, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;
let market: ConsoleMarket;
let developer: Visitor;

beforeAll(async () => {
  app = await startSignInApp({ ...CONSOLE_ENV, RATE_LIMITS: 'off' });
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
  developer = (await givenMember(app, 'developer', market.partnerId)).browser;
}, 60_000);
afterAll(() => app?.stop());

const base = () => `/partner/${market.partnerId}/sandbox`;
const endpointOf = (id: string) => app.runtime.db.knex('webhook_endpoints').where({ id }).first();
const SETTINGS = {
  url: 'http://127.0.0.1:40999/more',
  name: 'more',
  event_types: 'order.*',
  payload: 'thin',
  ordering: 'none',
};

describe('the webhook endpoints of a partner', () => {
  it('are added, changed, paused, rotated, tested and removed; each secret is shown once', async () => {
    const form = await developer.open(`${base()}/webhooks/new`);
    const made = await developer.submit(form, 'Add endpoint', SETTINGS);
    const [, secret] = /<code>(whsec_[^<]+)</.exec(made.text) ?? [];
    const [, path = ''] = /href="([^"]+)">I saved the secret/.exec(made.text) ?? [];
    const id = path.split('/').at(-1) ?? '';
    expect(await endpointOf(id)).toMatchObject({
      name: 'more',
      partner_id: market.partnerId,
      environment: 'SANDBOX',
      event_types: ['order.*'],
    });
    expect((await developer.open(path)).text).not.toContain(secret);

    const edit = await developer.open(`${path}/edit`);
    const saved = await developer.submit(edit, 'Save', {
      ...SETTINGS,
      name: 'renamed',
      max_per_second: '7',
    });
    expect(readable(saved.text)).toContain('The endpoint is saved.');
    expect(readable(saved.text)).toContain('At most 7 per second');

    const tested = await developer.submit(saved, 'Send test event');
    expect(tested.url.pathname).toBe(`${base()}/webhooks/deliveries`);
    expect(tested.text).toContain('webhook.ping');

    const paused = await developer.submit(await developer.open(path), 'Pause');
    expect((await endpointOf(id)).active).toBe(false);
    await developer.submit(paused, 'Activate');
    expect((await endpointOf(id)).active).toBe(true);

    const page = await developer.open(path);
    const rotated = await developer.submit(page, 'Rotate secret', { overlap_hours: '1' });
    const [, next] = /<code>(whsec_[^<]+)</.exec(rotated.text) ?? [];
    expect([next === undefined, next === secret]).toEqual([false, false]);

    const list = await developer.submit(await developer.open(path), 'Remove endpoint');
    expect(list.url.pathname).toBe(`${base()}/webhooks`);
    expect((await developer.open(path)).status).toBe(404);
  });

  it('say above the form what was wrong with what was filled in', async () => {
    const form = await developer.open(`${base()}/webhooks/new`);
    const refused = await developer.submit(form, 'Add endpoint', { ...SETTINGS, url: 'ftp://x' });
    expect([refused.status, refused.text.includes('value="ftp://x"')]).toEqual([400, true]);
    expect(refused.text).toContain('role="alert"');
  });

  it('replay a period, and the replay can be canceled', async () => {
    const path = `${base()}/webhooks/${market.secondEndpointId}`;
    const today = app.runtime.clock.now().toISOString().slice(0, 10);
    const started = await developer.submit(await developer.open(path), 'Replay events', {
      from: today,
      to: today,
    });
    expect(readable(started.text)).toContain('The replay has started.');
    const canceled = await developer.submit(started, 'Cancel');
    expect(readable(canceled.text)).toContain('The replay is canceled.');
  });

  it('get a delivery or an event again', async () => {
    const { knex } = app.runtime.db;
    const log = await developer.open(`${base()}/webhooks/deliveries?type=order.recorded`);
    await developer.submit(log, 'Resend');
    const resent = await knex('webhook_deliveries').whereNotNull('resend_of');
    expect(resent).toHaveLength(1);
    const events = await developer.open(`${base()}/events`);
    expect(events.text).toContain('&quot;partner_id&quot;');
    const after = await developer.submit(events, 'Resend');
    expect(after.url.pathname).toBe(`${base()}/webhooks/deliveries`);
    const again = await knex('webhook_deliveries').whereNotNull('resend_of');
    expect(again.length).toBeGreaterThan(1);
  });

  it('are changed by admins and developers alone, and only by those of the partner', async () => {
    const path = `${base()}/webhooks/${market.secondEndpointId}`;
    const page = await developer.open(path);
    const other = await givenPartner(app.runtime);
    const stranger = await givenMember(app, 'admin', other.partnerId);
    for (const role of ['viewer', 'finance'] as const) {
      const { browser } = await givenMember(app, role, market.partnerId);
      const seen = await browser.open(path);
      expect([role, seen.status, seen.text.includes('method="post" action="/partner')]).toEqual([
        role,
        200,
        false,
      ]);
      for (const button of ['Pause', 'Rotate secret', 'Remove endpoint', 'Send test event']) {
        expect([role, button, (await browser.submit(page, button)).status]).toEqual([
          role,
          button,
          403,
        ]);
      }
    }
    for (const button of ['Pause', 'Rotate secret', 'Remove endpoint']) {
      expect((await stranger.browser.submit(page, button)).status).toBe(404);
      // Under the partner of the stranger, the endpoint does not exist.
      const moved = page.text.replaceAll(market.partnerId, other.partnerId);
      const own = await stranger.browser.submit({ ...page, text: moved }, button);
      expect([button, own.status]).toEqual([button, 404]);
      const live = page.text.replaceAll('/sandbox/', '/live/');
      expect((await developer.submit({ ...page, text: live }, button)).status).toBe(404);
    }
    const foreign = await developer.submit(page, 'Pause', {}, { Origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect((await endpointOf(market.secondEndpointId)).active).toBe(true);
  });
});

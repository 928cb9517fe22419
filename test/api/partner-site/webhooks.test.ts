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
let developerId: string;

beforeAll(async () => {
  app = await startSignInApp({ ...CONSOLE_ENV, RATE_LIMITS: 'off' });
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
  ({ browser: developer, id: developerId } = await givenMember(app, 'developer', market.partnerId));
});
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

describe('webhook endpoints on the partner site', () => {
  it('can be added, changed, tested, paused, rotated and removed; each secret is shown once', async () => {
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

  it('explain invalid input above the form and keep it', async () => {
    const form = await developer.open(`${base()}/webhooks/new`);
    const refused = await developer.submit(form, 'Add endpoint', { ...SETTINGS, url: 'ftp://x' });
    expect([refused.status, refused.text.includes('value="ftp://x"')]).toEqual([400, true]);
    expect(refused.text).toContain('role="alert"');
  });

  it('can send custom headers, whose values are never shown', async () => {
    const path = `${base()}/webhooks/${market.secondEndpointId}`;
    const stored = async () => {
      const { headers_ciphertext: sealed } = await endpointOf(market.secondEndpointId);
      return sealed && JSON.parse(app.runtime.secrets.open(sealed, market.secondEndpointId));
    };
    const settings = {
      url: 'http://127.0.0.1:40999/hook/fulfilment',
      payload: 'thin',
      ordering: 'per_subject',
    };
    const save = async (fields: Record<string, string>) =>
      developer.submit(await developer.open(`${path}/edit`), 'Save', { ...settings, ...fields });
    const form = await developer.open(`${path}/edit`);
    expect(form.text).toContain('value="x-tenant"');
    expect(form.text).not.toContain('value="northwind"');
    await save({ header_names: 'X-Tenant', header_values: '' });
    expect(await stored()).toEqual({ 'x-tenant': 'northwind' });
    await save({ header_names: 'X-Gateway', header_values: 'let-me-in' });
    expect(await stored()).toEqual({ 'x-gateway': 'let-me-in' });
    const refused = await save({ header_names: 'Host', header_values: 'elsewhere.example' });
    expect([refused.status, readable(refused.text)]).toEqual([
      400,
      expect.stringContaining('Header “Host” is a header that we set.'),
    ]);
    await save({ header_names: ' ' });
    expect(await stored()).toBeNull();
  });

  it('record each change in the audit log, without secrets', async () => {
    const entries = await app.runtime.db
      .knex('audit_log')
      .where({ subject: market.partnerId })
      .whereLike('action', 'endpoint:%')
      .orderBy('id');
    expect(entries.slice(0, 7).map(({ action }) => action)).toEqual([
      'endpoint:create',
      'endpoint:change',
      'endpoint:test',
      'endpoint:pause',
      'endpoint:activate',
      'endpoint:rotate',
      'endpoint:remove',
    ]);
    const [created, changed] = entries;
    expect([created.before, created.after]).toMatchObject([null, { name: 'more', active: true }]);
    expect([changed.before, changed.after]).toMatchObject([{ name: 'more' }, { name: 'renamed' }]);
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([developerId]));
    expect(JSON.stringify(entries)).not.toMatch(/whsec_|let-me-in/);
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
    const trail = app.runtime.db.knex('audit_log').where({ subject: market.partnerId });
    expect(await trail.whereLike('action', 'replay:%').orderBy('id')).toMatchObject([
      { action: 'replay:start', after: { endpoint: market.secondEndpointId, from: today } },
      { action: 'replay:cancel' },
    ]);
  });

  it('can be sent a delivery or an event again', async () => {
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

  it('can be changed only by admins and developers of the partner', async () => {
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
      // The endpoint does not exist under the other partner.
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

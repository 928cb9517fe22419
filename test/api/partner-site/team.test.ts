import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../shared/platform/ids.ts';
import { linksMailed } from '../../support/account-mail.ts';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { givenPartner, unique } from '../../support/factories.ts';
import { givenMember } from '../../support/partner-site.ts';
import { startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

async function givenTeam() {
  const { partnerId } = await givenPartner(app.runtime);
  const admin = await givenMember(app, 'admin', partnerId);
  return { partnerId, admin, path: `/partner/${partnerId}/sandbox/team` };
}
const roleOf = async (partnerId: string, userId: string) =>
  (
    await app.runtime.db
      .knex('partner_members')
      .where({ partner_id: partnerId, user_id: userId })
      .first()
  )?.role;

describe('the team page', () => {
  it('lets an admin invite a member and withdraw the invitation', async () => {
    const { path, admin } = await givenTeam();
    const email = `new-${unique()}@example.com`;
    const page = await admin.browser.open(path);
    const sent = await admin.browser.submit(page, 'Send invitation', { email, role: 'finance' });
    expect(readable(sent.text)).toContain(`${email} gets a link that works for 7 days.`);
    const [link = ''] = await linksMailed(app.runtime, 'invitation', email);
    expect((await admin.browser.open(link)).status).toBe(200);
    const list = await admin.browser.submit(sent, 'Withdraw');
    expect(list.text).not.toContain('Open invitations');
    expect((await admin.browser.open(link)).status).toBe(404);
  });

  it('changes roles and removes members, but keeps at least one admin', async () => {
    const { partnerId, path, admin } = await givenTeam();
    const viewer = await givenMember(app, 'viewer', partnerId);
    const { browser } = admin;
    const at = async (userId: string, verb: string) => {
      const page = await browser.open(path);
      const action = `${path}/${userId}/${verb}`;
      expect(page.text).toContain(`action="${action}"`);
      return { ...page, text: page.text.slice(page.text.indexOf(`action="${action}"`) - 50) };
    };
    const change = await browser.submit(await at(viewer.id, 'role'), 'Change', {
      role: 'developer',
    });
    expect([change.status, await roleOf(partnerId, viewer.id)]).toEqual([200, 'developer']);
    for (const [verb, button] of [
      ['role', 'Change'],
      ['remove', 'Remove'],
    ] as const) {
      const last = await browser.submit(await at(admin.id, verb), button, { role: 'viewer' });
      expect([verb, last.status]).toEqual([verb, 409]);
      expect(readable(last.text)).toContain('This is the last admin.');
    }
    expect(await roleOf(partnerId, admin.id)).toBe('admin');
    await browser.submit(await at(viewer.id, 'remove'), 'Remove');
    expect(await roleOf(partnerId, viewer.id)).toBeUndefined();
    expect((await viewer.browser.open(path)).status).toBe(404);
    const acts = await app.runtime.db
      .knex('audit_log')
      .where({ actor: admin.id })
      .orderBy('id')
      .pluck('action');
    expect(acts).toEqual(['user:sign-in', 'member:set-role', 'member:remove']);
  });

  it('can be used only by admins of the same partner', async () => {
    const { partnerId, path, admin } = await givenTeam();
    const page = await admin.browser.open(path);
    const other = await givenTeam();
    for (const role of ['developer', 'finance', 'viewer'] as const) {
      const { browser } = await givenMember(app, role, partnerId);
      expect((await browser.open(path)).text).not.toContain('Send invitation');
      for (const button of ['Send invitation', 'Change', 'Remove', 'Require a second factor']) {
        const fields = { email: 'x@example.com', role: 'admin' };
        expect([button, (await browser.submit(page, button, fields)).status]).toEqual([
          button,
          403,
        ]);
      }
    }
    for (const button of ['Send invitation', 'Change', 'Remove']) {
      const fields = { email: 'x@example.com', role: 'viewer' };
      expect((await other.admin.browser.submit(page, button, fields)).status).toBe(404);
      // A member of one partner cannot be changed through another.
      const moved = page.text.replaceAll(`/partner/${partnerId}/`, `/partner/${other.partnerId}/`);
      if (button === 'Send invitation') continue;
      const own = await other.admin.browser.submit({ ...page, text: moved }, button, fields);
      expect([button, own.status]).toEqual([button, 404]);
    }
    expect(await roleOf(partnerId, admin.id)).toBe('admin');
  });

  it('can require a second factor, if the admin signed in with one', async () => {
    const { partnerId, path, admin } = await givenTeam();
    const viewer = await givenMember(app, 'viewer', partnerId);
    const page = await admin.browser.open(path);
    const refused = await admin.browser.submit(page, 'Require a second factor');
    expect(refused.status).toBe(409);
    const { knex } = app.runtime.db;
    await knex('user_sessions')
      .where({ user_id: admin.id })
      .update({ second_factor_at: app.runtime.clock.now() });
    const done = await admin.browser.submit(page, 'Require a second factor');
    expect(readable(done.text)).toContain('A second factor is required.');
    for (const locked of [path, `/partner/${partnerId}/keys`]) {
      const shut = await viewer.browser.open(locked);
      expect([locked, shut.status]).toEqual([locked, 403]);
      expect(readable(shut.text)).toContain('This partner requires a second factor.');
    }
    await admin.browser.submit(done, 'Stop requiring it');
    expect((await viewer.browser.open(path)).status).toBe(200);
  });

  it('shows bounced emails to the team, but not to buyers', async () => {
    const { partnerId, path, admin } = await givenTeam();
    const { knex } = app.runtime.db;
    const mail = (recipient: string, reason: string, environment = 'SANDBOX') => ({
      id: newId('mail', new Date()),
      kind: 'statement-ready',
      cause: unique(),
      recipient,
      partner_id: partnerId,
      environment,
      data: '{}',
      documents: [],
      locale: 'en-US',
      state: 'bounced',
      attempts: 1,
      reason,
      created_at: new Date(),
      finished_at: new Date(),
    });
    await knex('mails').insert([
      mail(admin.email, '550 no such mailbox'),
      mail('buyer@example.com', '550 the buyer moved'),
      mail(admin.email, '550 of LIVE', 'LIVE'),
    ]);
    const page = readable((await admin.browser.open(path)).text);
    expect(page).toContain('550 no such mailbox');
    expect(page).not.toContain('550 the buyer moved');
    expect(page).not.toContain('550 of LIVE');
    const overview = await admin.browser.open(`/partner/${partnerId}/sandbox`);
    expect(overview.text).toContain('Emails to your team were returned.');
  });
});

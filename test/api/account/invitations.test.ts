import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { showMail } from '../../../shared/operations/mail-catalogue/preview-mail.ts';
import {
  inviteMember,
  inviteStaff,
  withdrawInvitation,
} from '../../../shared/people/members/invitations.ts';
import { listMembers, listPartnersOf } from '../../../shared/people/members/manage-members.ts';
import {
  approvePartner,
  resumePartner,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { disableUser } from '../../../shared/people/user-accounts/user-access.ts';
import { findUser } from '../../../shared/people/users/user-account.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { linksMailed } from '../../support/account-mail.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenPartner, unique } from '../../support/factories.ts';
import { givenOps } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

const newAddress = () => `new-${unique()}@example.com`;
const visitor = () => newVisitor(app.url);

/** Invites an address to a partner, and returns the path of the emailed link. */
async function invited(email: string, partnerId?: string) {
  const { runtime } = app;
  const to = partnerId ?? (await givenPartner(runtime)).partnerId;
  await inviteMember(runtime, 'test', { partnerId: to, email, role: 'developer' });
  const links = await linksMailed(runtime, 'invitation', email);
  return { partnerId: to, link: links.at(-1) ?? '' };
}

describe('a partner invitation', () => {
  it('creates an account with the role through a link that works once', async () => {
    const email = newAddress();
    const { partnerId, link } = await invited(email);
    const browser = visitor();
    const page = await browser.open(link);
    expect(page.text).toContain(email);
    const joined = await browser.submit(page, 'Accept invitation', { password: PASSWORD });
    expect(joined.status).toBe(200);
    expect(joined.text).toContain('You joined');
    expect(await listMembers(app.runtime, partnerId)).toMatchObject([{ email, role: 'developer' }]);

    const again = await browser.submit(page, 'Accept invitation', { password: 'another password' });
    expect(again.status).toBe(404);
    expect((await browser.open(link)).status).toBe(404);

    const signIn = await browser.open('/account/sign-in');
    const home = await browser.submit(signIn, 'Sign in', { email, password: PASSWORD });
    expect(home.url.pathname).toMatch(/^\/partner\/ptr_\w+\/sandbox$/);
  });

  it('asks an existing user only to accept, and leaves the password unchanged', async () => {
    const { id, email } = await givenAccount(app.runtime, 'owner');
    const { partnerId, link } = await invited(email);
    const browser = visitor();
    const page = await browser.open(link);
    expect(page.text).not.toContain('name="password"');
    await browser.submit(page, 'Accept invitation', { password: 'an attempt to set one' });
    expect(await listPartnersOf(app.runtime, id)).toMatchObject([{ partnerId, role: 'developer' }]);
    const signIn = await browser.open('/account/sign-in');
    const home = await browser.submit(signIn, 'Sign in', { email, password: PASSWORD });
    expect(home.url.pathname).toMatch(/^\/partner\/ptr_\w+\/sandbox$/);
  });

  it('is not accepted by merely opening the link, as mail programs do', async () => {
    const email = newAddress();
    const { partnerId, link } = await invited(email);
    await visitor().open(link);
    await visitor().open(link);
    expect(await listMembers(app.runtime, partnerId)).toEqual([]);
    expect(await findUser(app.runtime, email)).toBeUndefined();
  });

  it('cannot be accepted while the partner is suspended', async () => {
    const { runtime } = app;
    const { partnerId, link } = await invited(newAddress());
    const browser = visitor();
    const page = await browser.open(link);
    await suspendPartner(runtime, 'test', partnerId);
    const refused = await browser.submit(page, 'Accept invitation', { password: PASSWORD });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('This partner account is suspended.');
    expect(await listMembers(runtime, partnerId)).toEqual([]);
    await resumePartner(runtime, 'test', partnerId);
    await browser.submit(page, 'Accept invitation', { password: PASSWORD });
    expect(await listMembers(runtime, partnerId)).toHaveLength(1);
  });

  it('stops working once it expires or a newer one replaces it, and cannot be altered', async () => {
    const { runtime } = app;
    const email = newAddress();
    const first = await invited(email);
    const second = await invited(email, first.partnerId);
    const open = async (link: string) => (await visitor().open(link)).status;
    expect([await open(first.link), await open(second.link)]).toEqual([404, 200]);

    const token = new URLSearchParams(second.link.split('?')[1]).get('t') ?? '';
    expect(await open(`/account/invitation?t=${token.slice(0, -2)}xx`)).toBe(404);
    expect(await open(`/account/new-password?t=${token}`)).toBe(404);
    expect(await open('/account/invitation')).toBe(404);

    const past = addMs(runtime.clock.now(), -DAY);
    await runtime.db.knex('account_links').where({ email }).update({ expires_at: past });
    expect(await open(second.link)).toBe(404);
  });

  it('adds one member to its own partner, even when accepted several times at once', async () => {
    const email = newAddress();
    const other = await givenPartner(app.runtime);
    const { partnerId, link } = await invited(email);
    const browser = visitor();
    const page = await browser.open(link);
    const answers = await Promise.all(
      [1, 2, 3].map(() => browser.submit(page, 'Accept invitation', { password: PASSWORD })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect(statuses.slice(1).every((status) => [404, 409].includes(status))).toBe(true);
    expect(await listMembers(app.runtime, partnerId)).toHaveLength(1);
    expect(await listMembers(app.runtime, other.partnerId)).toEqual([]);
  });

  it('rejects short or common passwords, and the link still works', async () => {
    const { link } = await invited(newAddress());
    const browser = visitor();
    const page = await browser.open(link);
    for (const [password, reason] of [
      ['short', 'characters'],
      ['Password1', 'most common'],
      ['qwertyuiop', 'most common'],
    ] as const) {
      const refused = await browser.submit(page, 'Accept invitation', { password });
      expect([refused.status, refused.text.includes(reason)]).toEqual([400, true]);
    }
    const joined = await browser.submit(page, 'Accept invitation', { password: PASSWORD });
    expect(joined.status).toBe(200);
  });

  it('cannot be accepted by a disabled account', async () => {
    const { id, email } = await givenAccount(app.runtime, 'owner');
    const { partnerId, link } = await invited(email);
    await disableUser(app.runtime, 'test', id);
    const browser = visitor();
    const refused = await browser.submit(await browser.open(link), 'Accept invitation');
    expect(refused.status).toBe(403);
    expect(await listMembers(app.runtime, partnerId)).toEqual([]);
  });

  it('rejects forms from other sites', async () => {
    const { partnerId, link } = await invited(newAddress());
    const browser = visitor();
    const page = await browser.open(link);
    const foreign = { Origin: 'https://evil.example' };
    const fields = { password: PASSWORD };
    expect((await browser.submit(page, 'Accept invitation', fields, foreign)).status).toBe(403);
    expect(await listMembers(app.runtime, partnerId)).toEqual([]);
  });
});

describe('a partner that is not approved yet', () => {
  const unapproved = async () => {
    const { partnerId } = await givenPartner(app.runtime);
    await app.runtime.db
      .knex('partners')
      .where({ id: partnerId })
      .update({ live_approved_at: null, name: 'Win a prize' });
    return partnerId;
  };

  it('can send three invitations in total, even when many are requested at once', async () => {
    const { runtime } = app;
    const partnerId = await unapproved();
    const ask = (email: string) =>
      inviteMember(runtime, 'test', { partnerId, email, role: 'viewer' });
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => ask(newAddress())));
    const sent = asked.filter(({ status }) => status === 'fulfilled');
    expect(sent).toHaveLength(3);
    // Withdrawn and deleted invitations still count.
    const [link] = await runtime.db.knex('account_links').where({ partner_id: partnerId });
    await withdrawInvitation(runtime, 'test', { partnerId, email: link.email });
    await runtime.db.knex('account_links').where({ partner_id: partnerId }).delete();
    await expect(ask(link.email)).rejects.toThrow('Until we approve this partner');
    await approvePartner(runtime, 'test', partnerId);
    await ask(newAddress());
  });

  it('does not appear by name in the subject of its invitations', async () => {
    const { runtime } = app;
    const partnerId = await unapproved();
    const subjectFor = async (email: string) => {
      await inviteMember(runtime, 'test', { partnerId, email, role: 'viewer' });
      const { id } = await runtime.db.knex('mails').where({ recipient: email }).first('id');
      const { subject, html } = await showMail(
        { config: runtime.config },
        await readMail(runtime, id),
      );
      const preview = /<div class="preview"[^>]*>([^<]*)/.exec(html)?.[1];
      return `${subject} | ${preview}`;
    };
    expect(await subjectFor(newAddress())).not.toContain('prize');
    await approvePartner(runtime, 'test', partnerId);
    expect(await subjectFor(newAddress())).toContain('You are invited to Win a prize');
  });
});

describe('invitation limits', () => {
  it('apply per account and day, across all partners', async () => {
    const limited = await startSignInApp({
      MAIL: 'on',
      RATE_LIMITS: 'on',
      invitationsPerDay: 2,
    });
    try {
      const { runtime } = limited;
      const ask = async (actor: string) => {
        const { partnerId } = await givenPartner(runtime);
        return inviteMember(runtime, actor, { partnerId, email: newAddress(), role: 'viewer' });
      };
      const asked = await Promise.allSettled(Array.from({ length: 6 }, () => ask('one')));
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      await expect(ask('one')).rejects.toMatchObject({ code: 'rate_limited' });
      await ask('another');
      runtime.clock.advance(DAY + 1);
      await ask('one');
    } finally {
      await limited.stop();
    }
  });

  it('also apply per partner, however many accounts it uses', async () => {
    const limited = await startSignInApp({
      MAIL: 'on',
      RATE_LIMITS: 'on',
      invitationsPerDay: 1,
    });
    try {
      const { runtime } = limited;
      const { partnerId } = await givenPartner(runtime);
      const asked = await Promise.allSettled(
        ['a', 'b', 'c', 'd', 'e'].map((actor) =>
          inviteMember(runtime, actor, { partnerId, email: newAddress(), role: 'viewer' }),
        ),
      );
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    } finally {
      await limited.stop();
    }
  });
});

describe('a staff invitation', () => {
  it('gives the invited role, and stops working when an admin changes the role first', async () => {
    const ops = await givenOps(app);
    const email = newAddress();
    const sent = await ops.post('/staff/invite', { email, role: 'support' });
    expect(sent).toMatchObject({ status: 202, body: { email, role: 'support' } });
    const [link = ''] = await linksMailed(app.runtime, 'invitation', email);
    const browser = visitor();
    const page = await browser.open(link);
    await browser.submit(page, 'Accept invitation', { password: PASSWORD });
    expect(await findUser(app.runtime, email)).toMatchObject({ role: 'ops', staffRole: 'support' });

    await inviteStaff(app.runtime, 'test', { email, role: 'admin' });
    const user = await findUser(app.runtime, email);
    await ops.post(`/users/${user?.id}/staff-role`, { role: 'none' });
    const links = await linksMailed(app.runtime, 'invitation', email);
    expect((await browser.open(links.at(-1) ?? '')).status).toBe(404);
  });
});

describe('member commands', () => {
  it('invite, list and remove members, and record it in the audit log', async () => {
    const { runtime } = app;
    const { partnerId } = await givenPartner(runtime);
    const { id, email } = await givenAccount(runtime, 'owner');
    const partner = ['--partner', partnerId];
    const invite = ['member:invite', ...partner, '--email', email, '--role', 'admin', '--json'];
    expect((await runOps(runtime, invite)).json).toMatchObject({ email, role: 'admin' });
    const [link = ''] = await linksMailed(runtime, 'invitation', email);
    const browser = visitor();
    await browser.submit(await browser.open(link), 'Accept invitation');
    const list = async () => (await runOps(runtime, ['member:list', ...partner, '--json'])).json;
    expect(await list()).toMatchObject({ members: [{ user_id: id, email, role: 'admin' }] });
    const remove = ['member:remove', ...partner, '--user', email, '--json'];
    expect((await runOps(runtime, remove)).json).toEqual({ user_id: id });
    expect(await list()).toEqual({ members: [] });
    expect((await runOps(runtime, remove)).code).toBe(1);

    const trail = await runtime.db.knex('audit_log').where({ subject: partnerId }).orderBy('id');
    expect(trail.map(({ action }) => action).slice(-3)).toEqual([
      'member:invite',
      'invitation:accept',
      'member:remove',
    ]);
  });

  it('can invite the same address three times an hour', async () => {
    const { partnerId } = await givenPartner(app.runtime);
    const email = newAddress();
    const invite = () => inviteMember(app.runtime, 'test', { partnerId, email, role: 'viewer' });
    for (let at = 0; at < 3; at += 1) await invite();
    await expect(invite()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

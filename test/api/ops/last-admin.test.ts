import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inviteMember, inviteStaff } from '../../../shared/people/members/invitations.ts';
import { listMembers } from '../../../shared/people/members/manage-members.ts';
import { disableUser, setStaffRoleOf } from '../../../shared/people/user-accounts/user-access.ts';
import type { User } from '../../../shared/people/users/user.ts';
import { linksMailed } from '../../support/account-mail.ts';
import { givenAccount } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenOps } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

const staff = () => app.runtime.db.knex('users').where({ role: 'ops' });
/** The addresses of the admins who can sign in. */
const admins = () => staff().where({ staff_role: 'admin', disabled_at: null }).pluck('email');
const command = (args: string[]) => runOps(app.runtime, [...args, '--json']);

beforeEach(async () => {
  await staff().update({ disabled_at: new Date() });
});

describe('a staff admin', () => {
  it('can be disabled and enabled only by admins', async () => {
    const [admin, operator] = [await givenOps(app), await givenOps(app, 'operator')];
    const other = await givenAccount(app.runtime, 'ops');
    const disable = (by: typeof admin) => by.post(`/users/${other.id}/disable`, {});
    const enable = (by: typeof admin) => by.post(`/users/${other.id}/enable`, {});

    expect((await disable(operator)).body.error).toMatchObject({
      code: 'forbidden',
      message: 'Only an admin can do this to an admin.',
    });
    expect((await disable(admin)).status).toBe(200);
    expect((await enable(operator)).status).toBe(403);
    expect((await enable(admin)).status).toBe(200);
    expect(await admins()).toContain(other.email);

    const owner = await givenAccount(app.runtime, 'owner');
    expect((await operator.post(`/users/${owner.id}/disable`, {})).status).toBe(200);
  });

  it('cannot be disabled or demoted if they are the last one', async () => {
    const { email } = await givenAccount(app.runtime, 'ops');
    await givenAccount(app.runtime, 'ops', 'operator');
    for (const args of [
      ['user:disable', '--user', email],
      ['staff:set-role', '--user', email, '--role', 'operator'],
      ['staff:set-role', '--user', email, '--role', 'none'],
    ]) {
      const { code, error } = await command(args).then((answer) => ({
        code: answer.code,
        error: JSON.stringify(answer),
      }));
      expect([args, code]).toEqual([args, 1]);
      expect(error).toContain('This is the last admin.');
    }
    expect(await admins()).toEqual([email]);

    await givenAccount(app.runtime, 'ops');
    expect((await command(['user:disable', '--user', email])).code).toBe(0);
  });

  it('cannot be demoted by an invitation if they are the last one', async () => {
    const { email } = await givenAccount(app.runtime, 'ops');
    await inviteStaff(app.runtime, 'test', { email, role: 'support' });
    const [link = ''] = await linksMailed(app.runtime, 'invitation', email);
    const browser = newVisitor(app.url);
    const refused = await browser.submit(await browser.open(link), 'Accept invitation');
    expect([refused.status, refused.text.includes('This is the last admin.')]).toEqual([409, true]);
    expect(await admins()).toEqual([email]);
  });

  it.each([
    ['disabling', (by: User, whom: User) => disableUser(app.runtime, by.id, whom.id)],
    [
      'demoting',
      (by: User, whom: User) =>
        setStaffRoleOf(app.runtime, by.id, { who: whom.id, staffRole: 'support' }),
    ],
  ] as const)(
    'always remains when two try %s each other at the same time',
    async (_name, shutOut) => {
      for (let round = 0; round < 5; round += 1) {
        await staff().update({ disabled_at: new Date() });
        const [a, b] = [
          await givenAccount(app.runtime, 'ops'),
          await givenAccount(app.runtime, 'ops'),
        ];
        const outcomes = await Promise.allSettled([shutOut(a, b), shutOut(b, a)]);
        expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(await admins()).toHaveLength(1);
      }
    },
  );
});

describe('the last admin of a partner', () => {
  it('cannot be demoted by an invitation', async () => {
    const { partnerId } = await givenPartner(app.runtime);
    const { id, email } = await givenAccount(app.runtime, 'owner');
    const row = { partner_id: partnerId, user_id: id, role: 'admin', created_at: new Date() };
    await app.runtime.db.knex('partner_members').insert(row);
    await inviteMember(app.runtime, 'test', { partnerId, email, role: 'viewer' });
    const [link = ''] = await linksMailed(app.runtime, 'invitation', email);
    const browser = newVisitor(app.url);
    const refused = await browser.submit(await browser.open(link), 'Accept invitation');
    expect(refused.status).toBe(409);
    expect(await listMembers(app.runtime, partnerId)).toMatchObject([{ email, role: 'admin' }]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actionForms } from '../../../api/ops/console/forms/action-forms.ts';
import { opsRoutes } from '../../../api/ops/ops-routes.ts';
import { STAFF_ROLES, type StaffRole } from '../../../shared/people/users/user.ts';
import { givenAccount } from '../../support/accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';

let app: TestApp;
const staff = new Map<StaffRole, OpsClient>();

beforeAll(async () => {
  app = await startTestApp();
  for (const role of STAFF_ROLES) staff.set(role, await givenOps(app, role));
});
afterAll(() => app?.stop());

const fill = (path: string) => path.replace(/:\w+/g, 'x');
const client = (role: StaffRole) => staff.get(role) as OpsClient;

/** Whether a role passes the permission check. The empty request may still fail afterwards. */
async function opens(role: StaffRole, method: string, path: string): Promise<boolean> {
  const answer =
    method === 'GET' ? await client(role).get(fill(path)) : await client(role).post(fill(path), {});
  expect(answer.status).toBeLessThan(500);
  return answer.status !== 403;
}

describe('permissions of staff roles', () => {
  it.each(opsRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'allow %s only to the roles in its route',
    async (_name, { method, path, roles }) => {
      for (const role of STAFF_ROLES) {
        expect([role, await opens(role, method, path)]).toEqual([role, roles.includes(role)]);
      }
    },
  );

  it('exclude read_only from changes, and reserve passwords and roles for admins', () => {
    const changes = opsRoutes.filter(({ method }) => method === 'POST');
    for (const { roles } of changes) expect(roles).not.toContain('read_only');
    for (const name of ['user:create', 'user:set-password', 'staff:set-role']) {
      const route = changes.find(({ action }) => action.name === name);
      expect([name, route?.roles]).toEqual([name, ['admin']]);
    }
  });

  it('apply to console forms, which name the user’s role when they reject it', async () => {
    for (const [name, form] of actionForms()) {
      const roles = opsRoutes.find(({ action }) => action.name === form.action.name)?.roles;
      const shut = STAFF_ROLES.filter((role) => !roles?.includes(role));
      for (const role of shut) {
        const headers = { Authorization: `Bearer ${client(role).token}`, Accept: 'text/html' };
        const asked = await fetch(`${app.url}/ops/do/${name}`, { headers });
        expect([name, role, asked.status]).toEqual([name, role, 403]);
        expect(await asked.text()).toContain(`Your role is ${role}.`);
        const sent = await fetch(`${app.url}/ops/do/${name}`, { method: 'POST', headers });
        expect([name, role, sent.status]).toEqual([name, role, 403]);
      }
    }
  });

  it('allow the queue dashboard to admins and operators only', async () => {
    for (const role of STAFF_ROLES) {
      const headers = { Authorization: `Bearer ${client(role).token}` };
      const { status } = await fetch(`${app.url}/ops/queues/`, { headers });
      expect([role, status]).toEqual([role, ['admin', 'operator'].includes(role) ? 200 : 403]);
    }
  });
});

describe('a staff role', () => {
  it('is set with the account, changed by admins with immediate effect, and never by oneself', async () => {
    const opened = await client('admin').post('/users', {
      email: 'new.colleague@example.com',
      password: 'a long enough password',
      role: 'ops',
      staff_role: 'support',
    });
    expect(opened.status).toBe(201);
    const colleague = await givenOps(app, 'finance');
    const { body } = await client('admin').get(`/users?email=${colleague.email}`);
    const [{ user_id }] = body.users;
    const change = (by: OpsClient, role: string) =>
      by.post(`/users/${user_id}/staff-role`, { role });

    expect((await change(client('operator'), 'admin')).status).toBe(403);
    expect((await change(client('admin'), 'admin')).body).toEqual({ user_id, staff_role: 'admin' });
    expect((await change(colleague, 'operator')).body.error.code).toBe('conflict');
    expect((await change(client('admin'), 'none')).body).toEqual({ user_id, staff_role: null });
    expect((await colleague.get('/partners')).status).toBe(403);

    const trail = await app.runtime.db
      .knex('audit_log')
      .where({ action: 'staff:set-role', subject: user_id })
      .orderBy('id')
      .select('before', 'after');
    expect(trail).toEqual([
      { before: { staffRole: 'finance' }, after: { staffRole: 'admin' } },
      { before: { staffRole: 'admin' }, after: { staffRole: null } },
    ]);
  });

  it('can be given to staff only', async () => {
    const refused = await client('admin').post('/users', {
      email: 'an.owner@example.com',
      password: 'a long enough password',
      role: 'owner',
      staff_role: 'support',
    });
    expect(refused.body.error).toMatchObject({
      code: 'validation_error',
      details: [{ path: '/staff_role', message: 'is for the role ops only' }],
    });
  });

  it('can be changed on the command line by anyone', async () => {
    const { email, id } = await givenAccount(app.runtime, 'ops', 'admin');
    const args = ['staff:set-role', '--user', email, '--role', 'read_only', '--json'];
    expect((await runOps(app.runtime, args)).json).toEqual({
      user_id: id,
      staff_role: 'read_only',
    });
  });
});

import { Type } from 'typebox';
import { listUsers } from '../../../shared/people/user-accounts/read-user-accounts.ts';
import { resetSecondFactor } from '../../../shared/people/user-accounts/second-factor-change.ts';
import {
  disableUser,
  enableUser,
  revokeSessions,
  revokeUserGrants,
  setPassword,
  setStaffRoleOf,
} from '../../../shared/people/user-accounts/user-access.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../../shared/people/users/password.ts';
import { ROLES, STAFF_ROLES } from '../../../shared/people/users/user.ts';
import { createUser } from '../../../shared/people/users/user-account.ts';
import {
  ADMINS,
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  opsAction,
  placeBefore,
  route,
  SUPPORT,
} from '../ops-action.ts';

const UserField = Type.String({
  maxLength: 254,
  description: 'User ID (usr_...) or email address.',
});
const PasswordField = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: `${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`,
  // Write-only: a password field of a form; a command reads it from a prompt or standard input.
  writeOnly: true,
});
const ByUser = Type.Object({ user: UserField });

export const userCreate = opsAction({
  name: 'user:create',
  summary: 'Open an account for an owner of domains, or for a colleague in ops',
  input: Type.Object({
    email: Type.String({ maxLength: 254, description: 'Email address; the sign-in name.' }),
    password: PasswordField,
    role: Type.Enum([...ROLES], { description: 'What the account is for.' }),
    staff_role: Type.Optional(
      Type.Enum([...STAFF_ROLES], { description: 'What it may do in ops. Defaults to admin.' }),
    ),
  }),
  async run(context, { staff_role: staffRole, ...input }) {
    const user = await createUser(context, context.actor, { ...input, staffRole });
    return { user_id: user.id };
  },
});

const userList = opsAction({
  name: 'user:list',
  summary: 'List the accounts of people, newest first',
  columns: ['email', 'role', 'status', 'sessions', 'clients'],
  input: Type.Object({
    email: Type.Optional(Type.String({ maxLength: 254, description: 'Part of the address.' })),
    role: Type.Optional(Type.Enum([...ROLES], { description: 'Only this role.' })),
    status: Type.Optional(Type.Enum(['active', 'disabled'], { description: 'Only this status.' })),
    limit: limitField(),
    before: Type.Optional(Type.String({ description: 'Only accounts older than this ID.' })),
  }),
  async run(context, { email, role, status, limit = DEFAULT_LIMIT, before }) {
    const { rows: people, next } = await listUsers(context, {
      email: email?.trim().toLowerCase() ?? null,
      role: role ?? null,
      disabled: status === undefined ? null : status === 'disabled',
      before: placeBefore('user', before),
      limit,
    });
    return {
      users: people.map((person) => ({
        user_id: person.id,
        email: person.email,
        role: person.role,
        staff_role: person.staffRole,
        status: person.disabledAt ? 'disabled' : 'active',
        sessions: person.sessions,
        clients: person.clients,
        partners: person.partners.map(({ partnerId, role }) => ({ partner_id: partnerId, role })),
        created_at: person.createdAt,
        disabled_at: person.disabledAt,
      })),
      ...(next !== null && { next_before: next }),
    };
  },
});

export const userDisable = opsAction({
  name: 'user:disable',
  summary: 'Disable a person’s account: block sign-in, and end sessions and grants immediately',
  input: ByUser,
  async run(context, { user }) {
    const done = await disableUser(context, context.actor, user);
    return {
      user_id: done.userId,
      status: 'disabled',
      disabled_at: done.disabledAt,
      sessions_ended: done.sessions,
      grants_revoked: done.grants,
    };
  },
});

export const userEnable = opsAction({
  name: 'user:enable',
  summary: 'Let a disabled person sign in again',
  input: ByUser,
  async run(context, { user }) {
    const user_id = await enableUser(context, context.actor, user);
    return { user_id, status: 'active' };
  },
});

export const userSetPassword = opsAction({
  name: 'user:set-password',
  summary: 'Set a person’s password; sessions and grants end at once',
  input: Type.Object({ user: UserField, password: PasswordField }),
  async run(context, { user, password }) {
    const done = await setPassword(context, context.actor, { who: user, password });
    return {
      user_id: done.userId,
      sessions_ended: done.sessions,
      grants_revoked: done.grants,
    };
  },
});

export const userResetSecondFactor = opsAction({
  name: 'user:reset-second-factor',
  summary: 'Remove a person’s passkeys and authenticator app; sessions end at once',
  input: ByUser,
  async run(context, { user }) {
    return { user_id: await resetSecondFactor(context, context.actor, user) };
  },
});

export const sessionRevokeAll = opsAction({
  name: 'session:revoke-all',
  summary: 'Sign a person out of every browser and script',
  input: ByUser,
  async run(context, { user }) {
    const done = await revokeSessions(context, context.actor, user);
    return { user_id: done.userId, sessions_ended: done.sessions };
  },
});

export const grantRevoke = opsAction({
  name: 'grant:revoke',
  summary: 'Revoke the access of one OAuth client, or of all, to a person’s account',
  input: Type.Object({
    user: UserField,
    client: Type.Optional(
      Type.String({ maxLength: 64, description: 'Client ID (cli_...). Defaults to all of them.' }),
    ),
  }),
  async run(context, { user, client }) {
    const input = { who: user, clientId: client ?? null };
    const done = await revokeUserGrants(context, context.actor, input);
    return { user_id: done.userId, grants_revoked: done.grants };
  },
});

const NOT_STAFF = 'none';

export const staffSetRole = opsAction({
  name: 'staff:set-role',
  summary: 'Change or remove a colleague’s role in ops',
  input: Type.Object({
    user: UserField,
    role: Type.Enum([...STAFF_ROLES, NOT_STAFF], { description: 'The new role.' }),
  }),
  async run(context, { user, role }) {
    const staffRole = role === NOT_STAFF ? null : role;
    const user_id = await setStaffRoleOf(context, context.actor, { who: user, staffRole });
    return { user_id, staff_role: staffRole };
  },
});

export const userRoutes = [
  route('GET', '/users', 200, userList, EVERYONE, HARMLESS),
  route('POST', '/users', 201, userCreate, ADMINS, DANGEROUS),
  route('POST', '/users/:user/disable', 200, userDisable, OPERATIONS, DANGEROUS),
  route('POST', '/users/:user/enable', 200, userEnable, OPERATIONS, DANGEROUS),
  route('POST', '/users/:user/set-password', 200, userSetPassword, ADMINS, DANGEROUS),
  route('POST', '/users/:user/revoke-sessions', 200, sessionRevokeAll, SUPPORT, HARMLESS),
  route('POST', '/users/:user/revoke-grants', 200, grantRevoke, SUPPORT, HARMLESS),
  route('POST', '/users/:user/reset-second-factor', 200, userResetSecondFactor, ADMINS, DANGEROUS),
  route('POST', '/users/:user/staff-role', 200, staffSetRole, ADMINS, DANGEROUS),
];

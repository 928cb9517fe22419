import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  boolean,
  bytea,
  integer,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { conflict, violatesConstraint } from '../../platform/errors.ts';
import type { Role, StaffRole } from './user.ts';

const USER_COLUMNS = `id, email, role, staff_role as "staffRole", disabled_at as "disabledAt",
  session_version as "sessionVersion", demo`;
const USER_ACCOUNT = {
  id: text,
  email: text,
  role: textOf<Role>(),
  staffRole: nullable(textOf<StaffRole>()),
  disabledAt: nullable(timestamptz),
  sessionVersion: integer,
  demo: boolean,
};

const NEW_USER = {
  id: text,
  email: text,
  passwordHash: text,
  role: textOf<Role>(),
  staffRole: nullable(textOf<StaffRole>()),
  createdAt: timestamptz,
  demo: boolean,
};

/** Inserts a new user. */
export const insertUser = defineStatement({
  params: NEW_USER,
  text: `insert into users (id, email, password_hash, role, staff_role, created_at, demo)
    values (:id, :email, :passwordHash, :role, :staffRole, :createdAt, :demo)`,
});

/** Selects the user with this email address, and the password hash. */
export const selectUserByEmail = defineStatement({
  params: { email: text },
  row: { ...USER_ACCOUNT, passwordHash: text },
  text: `select ${USER_COLUMNS}, password_hash as "passwordHash" from users where email = :email`,
});

/** Selects the user with this id. */
export const selectUserById = defineStatement({
  params: { id: text },
  row: USER_ACCOUNT,
  text: `select ${USER_COLUMNS} from users where id = :id`,
});

/** Selects the email addresses of these users, in no particular order. */
export const selectUserEmails = defineStatement({
  params: { ids: arrayOf(text) },
  row: { id: text, email: text },
  text: 'select id, email from users where id = any(:ids)',
});

/** Locks the user with this id until the transaction ends. */
export const selectUserByIdForUpdate = defineStatement({
  params: { id: text },
  row: USER_ACCOUNT,
  text: `select ${USER_COLUMNS} from users where id = :id for update`,
});

/** Locks the user with this email address until the transaction ends. */
export const selectUserByEmailForUpdate = defineStatement({
  params: { email: text },
  row: USER_ACCOUNT,
  text: `select ${USER_COLUMNS} from users where email = :email for update`,
});

/**
 * Locks the staff admins who can sign in until the transaction ends. `demo` says whether demo accounts count.
 */
export const selectStaffAdminsForUpdate = defineStatement({
  params: { demo: boolean },
  row: { id: text },
  text: `select id from users
    where staff_role = 'admin' and disabled_at is null
      and (:demo or not demo)
    order by id for update`,
});

/** Disables an account, or enables it again (null). */
export const updateDisabledAt = defineStatement({
  params: { id: text, disabledAt: nullable(timestamptz) },
  text: 'update users set disabled_at = :disabledAt where id = :id',
});

/** Makes an account a staff account with this role, or removes it from staff (null). */
export const updateStaffRole = defineStatement({
  params: { id: text, staffRole: nullable(textOf<StaffRole>()) },
  text: `update users set staff_role = :staffRole,
      role = case when :staffRole::text is null then 'owner' else 'ops' end
    where id = :id`,
});

/** Sets the password hash of an account. */
export const updatePasswordHash = defineStatement({
  params: { id: text, passwordHash: text },
  text: 'update users set password_hash = :passwordHash where id = :id',
});

/** Raises the session version of a user, which ends all their sessions. */
export const updateSessionVersion = defineStatement({
  params: { id: text },
  text: 'update users set session_version = session_version + 1 where id = :id',
});

/** Inserts a session. */
export const insertSession = defineStatement({
  params: {
    tokenHash: bytea,
    userId: text,
    sessionVersion: integer,
    createdAt: timestamptz,
    expiresAt: timestamptz,
    address: nullable(text),
    userAgent: nullable(text),
    secondFactorAt: nullable(timestamptz),
  },
  row: { id: text },
  text: `insert into user_sessions
      (token_hash, user_id, session_version, created_at, expires_at, address, user_agent,
        second_factor_at)
    values (:tokenHash, :userId, :sessionVersion, :createdAt, :expiresAt, :address, :userAgent,
      :secondFactorAt)
    returning id::text`,
});

const SESSION_HOLDER = {
  id: text,
  email: text,
  role: textOf<Role>(),
  staffRole: nullable(textOf<StaffRole>()),
  sessionId: text,
  expiresAt: timestamptz,
  secondFactorAt: nullable(timestamptz),
  hasSecondFactor: boolean,
};
const SELECT_OPEN_SESSION = `select u.id, u.email, u.role, u.staff_role as "staffRole", s.id::text as "sessionId",
      s.expires_at as "expiresAt", s.second_factor_at as "secondFactorAt",
      exists(select from user_authenticators a where a.user_id = u.id and a.confirmed_at is not null)
        or exists(select from user_passkeys p where p.user_id = u.id) as "hasSecondFactor"
    from user_sessions s join users u on u.id = s.user_id
    where s.expires_at > :now and u.disabled_at is null and s.session_version = u.session_version
      and (:demo or not u.demo)`;

/**
 * Selects the user of a session token, if the session is open at `now` and the account is not disabled. `demo` says
 * whether demo accounts count.
 */
export const selectSession = defineStatement({
  params: { tokenHash: bytea, now: timestamptz, demo: boolean },
  row: SESSION_HOLDER,
  text: `${SELECT_OPEN_SESSION} and s.token_hash = :tokenHash`,
});

/** Like {@link selectSession}, by the session's id and user. */
export const selectSessionById = defineStatement({
  params: { sessionId: text, userId: text, now: timestamptz, demo: boolean },
  row: SESSION_HOLDER,
  text: `${SELECT_OPEN_SESSION} and s.user_id = :userId and s.id::text = :sessionId`,
});

/** Locks a session of a user until the transaction ends, if it is open at `now` and the account is not disabled. */
export const selectSessionForUpdate = defineStatement({
  params: { userId: text, tokenHash: bytea, now: timestamptz },
  row: { id: text },
  text: `select s.id::text from user_sessions s join users u on u.id = s.user_id
    where s.user_id = :userId and s.token_hash = :tokenHash and s.expires_at > :now
      and s.session_version = u.session_version and u.disabled_at is null
    for update of s`,
});

const OPEN_SESSION = {
  id: text,
  createdAt: timestamptz,
  expiresAt: timestamptz,
  address: nullable(text),
  userAgent: nullable(text),
  current: boolean,
};
/** A session as its user sees it. */
export type OpenSession = RowOf<typeof OPEN_SESSION>;

/** Selects the open sessions of a user, newest first. `current` marks the session of this token. */
export const selectOpenSessions = defineStatement({
  params: { userId: text, tokenHash: bytea, now: timestamptz },
  row: OPEN_SESSION,
  text: `select s.id::text, s.created_at as "createdAt", s.expires_at as "expiresAt", s.address,
      s.user_agent as "userAgent", s.token_hash = :tokenHash as current
    from user_sessions s join users u on u.id = s.user_id
    where s.user_id = :userId and s.expires_at > :now and s.session_version = u.session_version
    order by s.created_at desc, s.id`,
});

/** Records that the second factor was given in a session of this user. */
export const updateSecondFactorAt = defineStatement({
  params: { sessionId: text, userId: text, now: timestamptz },
  text: `update user_sessions set second_factor_at = :now
    where user_id = :userId and id::text = :sessionId`,
});

/** Ends one session of a user, by its id. */
export const deleteSessionById = defineStatement({
  params: { userId: text, id: text },
  text: 'delete from user_sessions where user_id = :userId and id::text = :id',
});

/** Sets one session of a user to the current version, so that it stays open while older ones end. */
export const updateKeptSession = defineStatement({
  params: { userId: text, tokenHash: bytea },
  text: `update user_sessions s set session_version = u.session_version from users u
    where u.id = :userId and s.user_id = u.id and s.token_hash = :tokenHash`,
});

/** Ends all sessions of a user except that of this token. */
export const deleteOtherSessions = defineStatement({
  params: { userId: text, tokenHash: bytea },
  text: 'delete from user_sessions where user_id = :userId and token_hash <> :tokenHash',
});

/** Records a user's kind of device. If it is new, returns a row that says whether there were others. */
export const insertDevice = defineStatement({
  params: { userId: text, device: text, now: timestamptz },
  row: { others: boolean },
  text: `insert into user_devices (user_id, device, first_seen_at) values (:userId, :device, :now)
    on conflict (user_id, device) do nothing
    returning exists(select from user_devices where user_id = :userId) as others`,
});

/** Ends one session. */
export const deleteSession = defineStatement({
  params: { tokenHash: bytea },
  text: 'delete from user_sessions where token_hash = :tokenHash',
});

/** Deletes the sessions of one user. */
export const deleteSessionsOf = defineStatement({
  params: { userId: text },
  text: 'delete from user_sessions where user_id = :userId',
});

/** Inserts a new user. @throws conflict (`already_exists`) */
export async function writeUser(tx: Tx, user: ParamsOf<typeof NEW_USER>): Promise<void> {
  try {
    await insertUser.run(tx, user);
  } catch (error) {
    if (violatesConstraint(error, 'users_email_key')) {
      throw conflict('already_exists', `There is a user ${user.email} already.`);
    }
    throw error;
  }
}

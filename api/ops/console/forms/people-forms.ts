import { staffInvite } from '../../actions/member-actions.ts';
import {
  grantRevoke,
  sessionRevokeAll,
  staffSetRole,
  userCreate,
  userDisable,
  userEnable,
  userResetSecondFactor,
  userSetPassword,
} from '../../actions/user-actions.ts';
import * as subjects from '../action-subjects.ts';
import { personPath } from '../console-paths.ts';
import { always, form } from './action-form.ts';

/** The state that decides which actions on a person's account are possible. */
export interface AccountState {
  disabled: boolean;
  /** Whether it is the viewing operator's own account. */
  own: boolean;
}

const person = { section: 'people', given: ['user'], subject: subjects.person } as const;

/** Actions on a person's account. */
export const ACCOUNT_FORMS = {
  'user-set-password': form({
    ...person,
    action: userSetPassword,
    link: 'Set a password',
    offered: (_state: AccountState) => true,
    title: (name) => `Set a password for ${name}`,
    effect: 'The old password stops working. All sessions and client authorizations end at once.',
    button: 'Set password',
    done: (name) => `${name} has a new password.`,
  }),
  'session-revoke-all': form({
    ...person,
    action: sessionRevokeAll,
    link: 'Sign out everywhere',
    offered: (_state: AccountState) => true,
    title: (name) => `Sign ${name} out everywhere?`,
    effect: 'Every browser and every bearer token of this account is signed out at once.',
    button: 'Sign out everywhere',
    done: (name) => `${name} is signed out everywhere.`,
  }),
  'staff-set-role': form({
    ...person,
    action: staffSetRole,
    link: 'Change role',
    offered: ({ own }: AccountState) => !own,
    title: (name) => `Change the role of ${name}`,
    effect: 'The new role applies at once, even to sessions that are already open.',
    button: 'Change role',
    done: (name) => `${name} has a new role.`,
  }),
  'user-reset-second-factor': form({
    ...person,
    action: userResetSecondFactor,
    link: 'Remove second factors',
    offered: (_state: AccountState) => true,
    title: (name) => `Remove the second factors of ${name}?`,
    effect:
      'Passkeys and authenticator app are removed, and all sessions end. The password alone signs in, until the person sets up a new one.',
    button: 'Remove second factors',
    done: (name) => `${name} has no second factor.`,
  }),
  'user-enable': form({
    ...person,
    action: userEnable,
    link: 'Enable',
    offered: ({ disabled }: AccountState) => disabled,
    title: (name) => `Enable ${name}?`,
    effect: 'The person can sign in again.',
    button: 'Enable account',
    done: (name) => `${name} is active again.`,
  }),
  'user-disable': form({
    ...person,
    action: userDisable,
    link: 'Disable',
    tone: 'danger',
    offered: ({ disabled, own }: AccountState) => !disabled && !own,
    title: (name) => `Disable ${name}?`,
    effect:
      'Nobody can sign in with this account. Its sessions and client authorizations end at once, and do not come back when you enable it again.',
    button: 'Disable account',
    done: (name) => `${name} is disabled.`,
  }),
};

export const PEOPLE_FORMS = {
  'user-create': form({
    action: userCreate,
    section: 'people',
    given: [],
    subject: subjects.noSubject('/ops/people'),
    link: 'Open an account',
    offered: always,
    title: () => 'Open an account',
    effect: 'The person can sign in immediately. Share the password securely.',
    button: 'Open account',
    done: () => 'The account is open.',
    next: ({ user_id }) => personPath(String(user_id)),
  }),
  'staff-invite': form({
    action: staffInvite,
    section: 'people',
    given: [],
    subject: subjects.noSubject('/ops/people'),
    link: 'Invite a colleague',
    tone: 'primary',
    offered: always,
    title: () => 'Invite a colleague',
    effect: 'The person gets a link that works once, for 7 days.',
    button: 'Send invitation',
    done: (_name, { email }) => `${email} is invited.`,
  }),
  'grant-revoke': form({
    ...person,
    action: grantRevoke,
    given: ['user', 'client'],
    link: 'Revoke',
    tone: 'danger',
    offered: always,
    title: (name) => `Revoke a client’s access to ${name}?`,
    effect: 'The client’s tokens are rejected at once. It has to ask the person again.',
    button: 'Revoke access',
    done: (name) => `The client no longer has access to ${name}.`,
  }),
};

import { Type } from 'typebox';
import {
  listAuthorizedClients,
  listUsers,
  readUser,
  type UserSummary,
} from '../../../../shared/operations/user-accounts/read-user-accounts.ts';
import { ROLES } from '../../../../shared/people/users/user.ts';
import {
  actionLink,
  actionLinks,
  descriptionList,
  pager,
  section,
  table,
} from '../../../pages/kit/components.ts';
import { filterForm, selectFilter } from '../../../pages/kit/form.ts';
import {
  auditPath,
  badge,
  humanize,
  link,
  personPath,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html } from '../../../pages/kit/html.ts';
import { CursorField, consolePage, IdField, PAGE_SIZE, requireId } from '../console-page.ts';

const STATUSES = ['active', 'disabled'] as const;

/** The accounts of people, newest first. */
export const peoplePage = consolePage({
  path: '/people',
  input: Type.Object({
    email: Type.Optional(Type.String({ maxLength: 254 })),
    role: Type.Optional(Type.Enum([...ROLES])),
    status: Type.Optional(Type.Enum([...STATUSES])),
    cursor: CursorField,
  }),
  async show(context, { email = null, role = null, status = null, cursor = null }) {
    const { people, next } = await listUsers(context, {
      email: email?.trim().toLowerCase() ?? null,
      role,
      disabled: status === null ? null : status === 'disabled',
      before: cursor,
      limit: PAGE_SIZE,
    });
    return {
      title: 'People',
      section: 'people',
      content: html`${actionLinks([{ form: 'user-create', text: 'Open an account', given: {} }])}
${filterForm('/ops/people', [
  html`<div><label for="filter-email">Part of the e-mail address</label>
<input id="filter-email" name="email" maxlength="254" value="${email}"></div>
`,
  selectFilter('role', 'Role', ROLES, role),
  selectFilter('status', 'Status', STATUSES, status),
])}
${table(
  'Accounts, the newest first',
  [
    'E-mail address',
    'Role',
    'Status',
    { title: 'Sessions', number: true },
    { title: 'Clients', number: true },
    'Since',
  ],
  people.map((person) => [
    link(personPath(person.id), person.email),
    roleOf(person),
    badge(statusOf(person)),
    person.sessions,
    person.clients,
    timestamp(person.createdAt, context.now),
  ]),
  'No accounts match. Change the filter, or open an account.',
)}
${pager('/ops/people', { email, role, status, cursor: next }, 'Earlier accounts', cursor === null)}`,
    };
  },
});

/** One account: who may act for it, and the ways to end that. */
export const personPage = consolePage({
  path: '/people/:user',
  input: Type.Object({ user: IdField }),
  async show(context, { user: id }) {
    requireId('user', id, 'No account has this id.');
    const [person, clients] = await Promise.all([
      readUser(context, id),
      listAuthorizedClients(context, id),
    ]);
    const given = { user: id };
    const { now } = context;
    const mine = id === context.actor;
    return {
      title: person.email,
      section: 'people',
      content: html`${actionLinks([
        { form: 'user-set-password', text: 'Set a password', given },
        { form: 'session-revoke-all', text: 'Sign out everywhere', given },
        person.disabledAt !== null && { form: 'user-enable', text: 'Enable', given },
        person.disabledAt === null &&
          !mine && { form: 'user-disable', text: 'Disable', given, tone: 'danger' },
      ])}
${descriptionList(personFacts(person, now))}
${section(
  'Clients',
  table(
    'Clients that this person allowed',
    ['Client', 'Scopes', 'Allowed', 'Good until', { title: 'Actions', quiet: true }],
    clients.map((client) => [
      html`${client.name ?? 'Without a name'}<span class="sub id">${client.id}</span>`,
      client.scopes.join(', '),
      timestamp(client.since, now),
      timestamp(client.until, now),
      actionLink({
        form: 'grant-revoke',
        text: 'Revoke',
        about: client.name ?? client.id,
        given: { ...given, client: client.id },
        tone: 'danger',
      }),
    ]),
    'No client may act for this person.',
  ),
)}
${section('Elsewhere', html`<ul><li><a href="${auditPath(id)}">The audit trail of the account</a></li></ul>`)}`,
    };
  },
});

/** What the staff sees of an account. */
export function personFacts(
  person: UserSummary,
  now: Date,
): readonly (readonly [name: string, value: unknown])[] {
  return [
    ['Status', badge(statusOf(person))],
    ['Role', roleOf(person)],
    ['Open sessions', person.sessions],
    ['Clients allowed', person.clients],
    ['Since', timestamp(person.createdAt, now)],
    ['Disabled', person.disabledAt && timestamp(person.disabledAt, now)],
    ['User', html`<span class="id">${person.id}</span>`],
  ];
}

function statusOf({ disabledAt }: UserSummary): string {
  return disabledAt ? 'disabled' : 'active';
}

function roleOf({ role }: UserSummary): string {
  return role === 'ops' ? 'Operations' : humanize(role);
}

import { Type } from 'typebox';
import {
  listAuthorizedClients,
  listUsers,
  readUser,
  type UserSummary,
} from '../../../../shared/people/user-accounts/read-user-accounts.ts';
import {
  listFailures,
  type ShownFailure,
} from '../../../../shared/people/users/sign-in-failure.ts';
import { ROLES } from '../../../../shared/people/users/user.ts';
import { html } from '../../../../shared/platform/html.ts';
import { choicesOf, inputFilter, selectFilter, statusFilter } from '../../../pages/kit/form.ts';
import { humanize, timestamp } from '../../../pages/kit/format.ts';
import { NUMBER_CURSOR } from '../../../pages/kit/list.ts';
import { descriptionList, link, section } from '../../../pages/kit/page-parts.ts';
import { statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, table } from '../../../pages/kit/table.ts';
import { actionLink, actionRow, offeredLinks } from '../action-links.ts';
import { accountStatus, personFacts, roleName } from '../action-subjects.ts';
import { consolePage, IdField, requireId } from '../console-page.ts';
import { auditPath, failedSignInsPath, partnerPath, personPath } from '../console-paths.ts';
import { ACCOUNT_FORMS } from '../forms/people-forms.ts';
import { listInRealTime } from '../list-page.ts';

const STATUSES = ['active', 'disabled'] as const;

/** People's accounts, newest first. */
export const peoplePage = listInRealTime({
  path: '/people',
  title: 'People',
  section: 'people',
  filters: {
    email: Type.Optional(Type.String({ maxLength: 254 })),
    role: Type.Optional(Type.Enum([...ROLES])),
    status: Type.Optional(Type.Enum([...STATUSES])),
  },
  sorts: ['newest'],
  read: (context, { email, role, status }, { after, limit }) =>
    listUsers(context, {
      email: email?.trim().toLowerCase() ?? null,
      role: role ?? null,
      disabled: status === undefined ? null : status === 'disabled',
      before: after,
      limit,
    }),
  above: (_filters, context) =>
    actionRow([
      actionLink(context, { form: 'staff-invite', given: {} }),
      actionLink(context, { form: 'user-create', given: {} }),
    ]),
  form: ({ email = null, role = null, status = null }) => ({
    fields: [
      inputFilter('email', 'Part of the email address', email, 254),
      selectFilter('role', 'Role', choicesOf(ROLES), role),
      statusFilter(STATUSES, status),
    ],
  }),
  caption: 'Accounts, the newest first',
  columns: () => [
    {
      title: 'Email address',
      cell: (person: UserSummary) => link(personPath(person.id), person.email),
    },
    { title: 'Role', cell: (person) => roleName(person) },
    { title: 'Status', cell: (person) => statusBadge(accountStatus(person)) },
    { ...numberColumn('Sessions'), cell: ({ sessions }) => sessions },
    { ...numberColumn('Clients'), cell: ({ clients }) => clients },
    { title: 'Since', cell: ({ createdAt }, { now }) => timestamp(createdAt, now) },
  ],
  empty: 'No accounts match. Change the filter, or open an account.',
  more: 'Earlier accounts',
  csv: {
    id: ({ id }) => id,
    email: ({ email }) => email,
    role: (person) => roleName(person),
    status: (person) => accountStatus(person),
    sessions: ({ sessions }) => sessions,
    clients: ({ clients }) => clients,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

const FAILURES = {
  password: 'Wrong password',
  passkey: 'Wrong passkey',
  code: 'Wrong code',
} satisfies Record<ShownFailure['reason'], string>;

/** Failed sign-ins, newest first, of one account or of all. */
export const failedSignInsPage = listInRealTime({
  path: '/people/failed-sign-ins',
  title: 'Failed sign-ins',
  section: 'people',
  filters: { account: Type.Optional(Type.String({ maxLength: 100 })) },
  sorts: ['newest'],
  read: (context, { account = null }, page) => listFailures(context, account, page),
  cursor: NUMBER_CURSOR,
  form: ({ account = null }) => ({
    fields: [inputFilter('account', 'ID of an account', account, 100)],
  }),
  dates: 'Failed',
  caption: 'Failed sign-ins, the newest first',
  columns: () => [
    { title: 'What', cell: ({ reason }: ShownFailure) => FAILURES[reason] },
    {
      title: 'Account',
      cell: ({ userId, email }) =>
        userId === null ? 'None' : link(personPath(userId), email ?? userId),
    },
    { title: 'From', cell: ({ address }) => address ?? 'Unknown' },
    { title: 'Device', cell: ({ device }) => device ?? 'Unknown' },
    { title: 'When', cell: ({ at }, { now }) => timestamp(at, now) },
  ],
  empty: 'No failed sign-ins.',
  more: 'Earlier ones',
  csv: {
    at: ({ at }) => at.toISOString(),
    reason: ({ reason }) => reason,
    account: ({ userId }) => userId,
    email: ({ email }) => email,
    address: ({ address }) => address,
    user_agent: ({ userAgent }) => userAgent,
  },
});

/** One account: its sessions and other access, and the ways to end them. */
export const personPage = consolePage({
  path: '/people/:user',
  input: Type.Object({ user: IdField }),
  async show(context, { user: id }) {
    requireId('user', id, 'No account has this ID.');
    const [person, clients] = await Promise.all([
      readUser(context, id),
      listAuthorizedClients(context, id),
    ]);
    const given = { user: id };
    const { now } = context;
    const state = { disabled: person.disabledAt !== null, own: id === context.actor };
    return {
      title: person.email,
      section: 'people',
      content: html`${actionRow(offeredLinks(context, ACCOUNT_FORMS, state, { given }))}
${descriptionList(personFacts(person, now))}
${section(
  'Clients',
  table(
    'Clients with access to this account',
    ['Client', 'Scopes', 'Allowed', 'Until', ACTIONS],
    clients.map((client) => [
      html`${client.name ?? 'Unnamed client'}<span class="sub id">${client.id}</span>`,
      client.scopes.join(', '),
      timestamp(client.since, now),
      timestamp(client.until, now),
      actionLink(context, {
        form: 'grant-revoke',
        about: client.name ?? client.id,
        given: { ...given, client: client.id },
      }),
    ]),
    'No clients have access to this account.',
  ),
)}
${
  person.partners.length > 0 &&
  section(
    'Partners',
    table(
      'Partners that this person works for',
      ['Partner', 'Role'],
      person.partners.map(({ partnerId, name, role }) => [
        link(partnerPath(partnerId), name),
        humanize(role),
      ]),
      '',
    ),
  )
}
${section(
  'Related',
  html`<ul><li><a href="${auditPath(id)}">Audit trail of this account</a></li>
<li><a href="${failedSignInsPath(id)}">Failed sign-ins at this account</a></li></ul>`,
)}`,
    };
  },
});

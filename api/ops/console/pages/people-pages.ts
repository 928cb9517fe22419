import { Type } from 'typebox';
import {
  listAuthorizedClients,
  listUsers,
  readUser,
} from '../../../../shared/operations/user-accounts/read-user-accounts.ts';
import { ROLES } from '../../../../shared/people/users/user.ts';
import { html } from '../../../../shared/platform/html.ts';
import {
  choicesOf,
  filterForm,
  inputFilter,
  selectFilter,
  statusFilter,
} from '../../../pages/kit/form.ts';
import { humanize, timestamp } from '../../../pages/kit/format.ts';
import { PAGE_SIZE } from '../../../pages/kit/list.ts';
import { descriptionList, link, section } from '../../../pages/kit/page-parts.ts';
import { statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, pager, table } from '../../../pages/kit/table.ts';
import { ACCOUNT_FORMS } from '../action-forms.ts';
import { actionLink, actionRow, offeredLinks } from '../action-links.ts';
import { accountStatus, personFacts, roleName } from '../action-subjects.ts';
import { CursorField, consolePage, IdField, requireId } from '../console-page.ts';
import { auditPath, partnerPath, personPath } from '../console-paths.ts';

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
    const { rows: people, next } = await listUsers(context, {
      email: email?.trim().toLowerCase() ?? null,
      role,
      disabled: status === null ? null : status === 'disabled',
      before: cursor,
      limit: PAGE_SIZE,
    });
    return {
      title: 'People',
      section: 'people',
      content: html`${actionRow([actionLink(context, { form: 'staff-invite', given: {} }), actionLink(context, { form: 'user-create', given: {} })])}
${filterForm('/ops/people', [
  inputFilter('email', 'Part of the e-mail address', email, 254),
  selectFilter('role', 'Role', choicesOf(ROLES), role),
  statusFilter(STATUSES, status),
])}
${table(
  'Accounts, the newest first',
  ['E-mail address', 'Role', 'Status', numberColumn('Sessions'), numberColumn('Clients'), 'Since'],
  people.map((person) => [
    link(personPath(person.id), person.email),
    roleName(person),
    statusBadge(accountStatus(person)),
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
${section('Related', html`<ul><li><a href="${auditPath(id)}">Audit trail of this account</a></li></ul>`)}`,
    };
  },
});

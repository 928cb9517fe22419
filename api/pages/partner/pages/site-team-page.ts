import { Type } from 'typebox';
import { listBouncedOf, type StoredMail } from '../../../../shared/messaging/mail/mail-settings.ts';
import { listMembers, type Member } from '../../../../shared/people/members/manage-members.ts';
import { MEMBER_ROLES } from '../../../../shared/people/members/member.ts';
import {
  type AccountLink,
  listOpenInvitations,
} from '../../../../shared/people/users/account-link.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { choicesOf, confirmButton, inputField, selectField } from '../../kit/form.ts';
import { humanize, timestamp } from '../../kit/format.ts';
import { section } from '../../kit/page-parts.ts';
import type { PageNow } from '../../kit/page-time.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { ACTIONS, table } from '../../kit/table.ts';
import { mayRun } from '../site-command.ts';
import { type SiteContext, sitePage } from '../site-page.ts';

const BOUNCED = 20;

/** The partner's members and invitations, and the mail that bounced. */
export const teamPage = sitePage({
  path: '/team',
  time: 'real',
  input: Type.Object({}),
  async show(context) {
    const { partnerId } = context.owner;
    const [members, invitations, bounced] = await Promise.all([
      listMembers(context, partnerId),
      listOpenInvitations(context, partnerId),
      listBouncedOf(context, context.owner, BOUNCED),
    ]);
    const may = mayRun('member-invite', context);
    return {
      title: 'Team',
      section: 'team',
      content: html`${memberTable(context, members)}
${invitations.length > 0 && section('Invitations', invitationTable(context, invitations))}
${may && section('Invite', inviteForm(context))}
${section('Second factor', secondFactorRule(context))}
${section('Returned emails', bouncedTable(bounced, context.now))}`,
    };
  },
});

function memberTable(context: SiteContext, members: readonly Member[]): Markup {
  const may = mayRun('member-role', context);
  const { base, now, user } = context;
  return table(
    'Members',
    ['Member', 'Role', 'Since', ...(may ? [ACTIONS] : [])],
    members.map(({ userId, email, role, createdAt, disabledAt }) => [
      html`${email}${userId === user.id && html` <span class="age">you</span>`}${disabledAt && html` ${statusBadge('disabled')}`}`,
      may ? roleForm(`${base}/team/${userId}/role`, { userId, email, role }) : humanize(role),
      timestamp(createdAt, now),
      ...(may
        ? [
            confirmButton({
              action: `${base}/team/${userId}/remove`,
              text: 'Remove',
              about: email,
              question: `${email} loses access to this partner at once.`,
            }),
          ]
        : []),
    ]),
    'Nobody.',
  );
}

function roleForm(
  action: string,
  { userId, email, role }: Pick<Member, 'userId' | 'email' | 'role'>,
): Markup {
  const choices = MEMBER_ROLES.map(
    (each) =>
      html`<option value="${each}"${each === role && html` selected`}>${humanize(each)}</option>`,
  );
  const id = `role-${userId}`;
  return html`<form class="inline" method="post" action="${action}"><label class="unseen" for="${id}">Role of ${email}</label>
<select id="${id}" name="role">${choices}</select> <button type="submit">Change</button></form>`;
}

function invitationTable(context: SiteContext, invitations: readonly AccountLink[]): Markup {
  const { base, now } = context;
  const may = mayRun('invitation-withdraw', context);
  return table(
    'Open invitations',
    ['Address', 'Role', 'Valid until', ...(may ? [ACTIONS] : [])],
    invitations.map(({ email, role, expiresAt }) => [
      email,
      humanize(role ?? ''),
      timestamp(expiresAt, now),
      ...(may
        ? [
            html`<form method="post" action="${base}/team/withdraw"><input type="hidden" name="email" value="${email}"><button type="submit">Withdraw<span class="unseen"> ${email}</span></button></form>`,
          ]
        : []),
    ]),
    'None.',
  );
}

function inviteForm({ base, refused }: SiteContext): Markup {
  const { email = '', role = 'developer' } = refused?.values ?? {};
  return html`<form class="ask" method="post" action="${base}/team/invite">
${inputField({ name: 'email', label: 'Email address', type: 'email', required: true, value: email, describedBy: refused && 'error', attributes: { maxlength: 254 } })}
${selectField({ name: 'role', label: 'Role', choices: choicesOf(MEMBER_ROLES), chosen: String(role), hint: 'Admins manage the team. Developers manage keys and webhooks. Finance and viewers can only look; finance also gets emails about money.' })}
<p class="acts"><button class="primary" type="submit">Send invitation</button></p>
</form>`;
}

function secondFactorRule(context: SiteContext): Markup {
  const { base, partner } = context;
  const required = partner.secondFactorRequired;
  const words = required
    ? 'Members must sign in with a second factor.'
    : 'Members can sign in with only a password.';
  return html`<p>${words}</p>${
    mayRun('second-factor-rule', context) &&
    html`<form method="post" action="${base}/team/second-factor"><input type="hidden" name="required" value="${required ? 'false' : 'true'}"><button type="submit">${required ? 'Stop requiring it' : 'Require a second factor'}</button></form>`
  }`;
}

function bouncedTable(mails: readonly StoredMail[], now: PageNow): Markup {
  return table(
    'Returned emails, newest first',
    ['Address', 'About', 'Why', 'When'],
    mails.map(({ recipient, kind, reason, createdAt }) => [
      recipient,
      humanize(kind.replaceAll('-', ' ')),
      reason,
      timestamp(createdAt, now),
    ]),
    'All emails to members and contacts arrived.',
  );
}

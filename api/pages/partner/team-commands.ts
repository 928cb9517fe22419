import { Type } from 'typebox';
import { inviteMember, withdrawInvitation } from '../../../shared/people/members/invitations.ts';
import { changeMemberRole, removeMember } from '../../../shared/people/members/manage-members.ts';
import { MEMBER_ROLES } from '../../../shared/people/members/member.ts';
import { requireSecondFactor } from '../../../shared/people/partners/partner-lifecycle.ts';
import { conflict } from '../../../shared/platform/errors.ts';
import { teamPage } from './pages/site-team-page.ts';
import { type SiteCommand, siteCommand } from './site-command.ts';
import type { SiteContext } from './site-page.ts';

const Email = Type.String({ maxLength: 254 });
const Role = Type.Enum([...MEMBER_ROLES]);
const Id = Type.String({ maxLength: 64 });
const page = teamPage;

const toTeam = ({ base }: SiteContext, done: string) => ({ to: `${base}/team`, done });

const invite = siteCommand({
  name: 'member-invite',
  path: '/team/invite',
  input: Type.Object({ email: Email, role: Role }),
  page,
  async run(context, { email, role }) {
    const { partnerId } = context.owner;
    const sent = await inviteMember(context, context.user.id, { partnerId, email, role });
    return toTeam(context, `${sent.email} gets a link that works for 7 days.`);
  },
});

const withdraw = siteCommand({
  name: 'invitation-withdraw',
  path: '/team/withdraw',
  input: Type.Object({ email: Email }),
  page,
  async run(context, { email }) {
    const { partnerId } = context.owner;
    await withdrawInvitation(context, context.user.id, { partnerId, email });
    return toTeam(context, `The invitation of ${email} is withdrawn.`);
  },
});

const changeRole = siteCommand({
  name: 'member-role',
  path: '/team/:member/role',
  input: Type.Object({ member: Id, role: Role }),
  page,
  async run(context, { member: userId, role }) {
    const { partnerId } = context.owner;
    await changeMemberRole(context, context.user.id, { partnerId, userId, role });
    return toTeam(context, 'The role is changed.');
  },
});

const remove = siteCommand({
  name: 'member-remove',
  path: '/team/:member/remove',
  input: Type.Object({ member: Id }),
  page,
  async run(context, { member: who }) {
    const { partnerId } = context.owner;
    await removeMember(context, context.user.id, { partnerId, who, keepAdmin: true });
    return toTeam(context, 'The member is removed.');
  },
});

const secondFactor = siteCommand({
  name: 'second-factor-rule',
  path: '/team/second-factor',
  input: Type.Object({ required: Type.Boolean() }),
  page,
  async run(context, { required }) {
    const { user, owner } = context;
    if (required && user.secondFactorAt === null) {
      throw conflict(
        'invalid_state',
        'You would lock yourself out. Set up a second factor under Account, sign in with it, then try again.',
      );
    }
    const { partnerId } = owner;
    await requireSecondFactor(context, user.id, { partnerId, required });
    return toTeam(
      context,
      required ? 'A second factor is required.' : 'A second factor is no longer required.',
    );
  },
});

/** The commands of admins on their team. */
export const teamCommands: readonly SiteCommand[] = [
  invite,
  withdraw,
  changeRole,
  remove,
  secondFactor,
];

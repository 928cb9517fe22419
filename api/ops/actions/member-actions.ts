import { Type } from 'typebox';
import { inviteMember, inviteStaff } from '../../../shared/people/members/invitations.ts';
import { listMembers, removeMember } from '../../../shared/people/members/manage-members.ts';
import { MEMBER_ROLES } from '../../../shared/people/members/member.ts';
import { readPartner } from '../../../shared/people/partners/read-partners.ts';
import { STAFF_ROLES } from '../../../shared/people/users/user.ts';
import {
  ADMINS,
  DANGEROUS,
  EVERYONE,
  HARMLESS,
  OPERATIONS,
  opsAction,
  PartnerField,
  route,
} from '../ops-action.ts';

const EmailField = Type.String({
  maxLength: 254,
  description: 'Email address; gets a link that works once, for 7 days.',
});

export const memberInvite = opsAction({
  name: 'member:invite',
  summary: 'Invite someone to a partner, or give them another role',
  input: Type.Object({
    partner: PartnerField,
    email: EmailField,
    role: Type.Enum([...MEMBER_ROLES], { description: 'What the person may do there.' }),
  }),
  async run(context, { partner, email, role }) {
    const sent = await inviteMember(context, context.actor, { partnerId: partner, email, role });
    return { email: sent.email, role, expires_at: sent.expiresAt };
  },
});

const memberRemove = opsAction({
  name: 'member:remove',
  summary: 'Remove a person from a partner',
  input: Type.Object({
    partner: PartnerField,
    user: Type.String({ maxLength: 254, description: 'User ID (usr_...) or email address.' }),
  }),
  async run(context, { partner, user }) {
    const user_id = await removeMember(context, context.actor, { partnerId: partner, who: user });
    return { user_id };
  },
});

const memberList = opsAction({
  name: 'member:list',
  summary: 'List the members of a partner',
  input: Type.Object({ partner: PartnerField }),
  async run(context, { partner }) {
    const { id } = await readPartner(context, partner);
    const members = await listMembers(context, id);
    return {
      members: members.map(({ userId, email, role, createdAt, disabledAt }) => ({
        user_id: userId,
        email,
        role,
        status: disabledAt ? 'disabled' : 'active',
        created_at: createdAt,
      })),
    };
  },
});

export const staffInvite = opsAction({
  name: 'staff:invite',
  summary: 'Invite a colleague to ops',
  input: Type.Object({
    email: EmailField,
    role: Type.Enum([...STAFF_ROLES], { description: 'What the person may do in ops.' }),
  }),
  async run(context, { email, role }) {
    const sent = await inviteStaff(context, context.actor, { email, role });
    return { email: sent.email, role, expires_at: sent.expiresAt };
  },
});

export const memberRoutes = [
  route('GET', '/partners/:partner/members', 200, memberList, EVERYONE, HARMLESS),
  route('POST', '/partners/:partner/members/invite', 202, memberInvite, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/members/remove', 200, memberRemove, OPERATIONS, DANGEROUS),
  route('POST', '/staff/invite', 202, staffInvite, ADMINS, DANGEROUS),
];

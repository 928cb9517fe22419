import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { PartnerStatus } from '../partners/partner.ts';
import type { MemberRole } from './member.ts';

const MEMBER = { partnerId: text, userId: text, role: textOf<MemberRole>() };

/** Makes somebody a member, or gives a member another role. */
export const upsertMember = defineStatement({
  params: { ...MEMBER, now: timestamptz },
  text: `insert into partner_members (partner_id, user_id, role, created_at)
    values (:partnerId, :userId, :role, :now)
    on conflict (partner_id, user_id) do update set role = excluded.role`,
});

/** Takes somebody out of a partner, and says what the role was. */
export const deleteMember = defineStatement({
  params: { partnerId: text, userId: text },
  row: { role: textOf<MemberRole>() },
  text: 'delete from partner_members where partner_id = :partnerId and user_id = :userId returning role',
});

const MEMBER_WITH_ADDRESS = {
  userId: text,
  email: text,
  role: textOf<MemberRole>(),
  createdAt: timestamptz,
  disabledAt: nullable(timestamptz),
};
/** A member as others of the partner see it. */
export type Member = RowOf<typeof MEMBER_WITH_ADDRESS>;

/** The members of a partner, by their addresses. */
export const selectMembers = defineStatement({
  params: { partnerId: text },
  row: MEMBER_WITH_ADDRESS,
  text: `select m.user_id as "userId", u.email, m.role, m.created_at as "createdAt",
      u.disabled_at as "disabledAt"
    from partner_members m join users u on u.id = m.user_id
    where m.partner_id = :partnerId order by u.email`,
});

const PARTNER_OF_MEMBER = {
  partnerId: text,
  name: text,
  status: textOf<PartnerStatus>(),
  role: textOf<MemberRole>(),
};
/** A partner that a person works for. */
export type PartnerOfMember = RowOf<typeof PARTNER_OF_MEMBER>;

/** The partners that a person works for, by name. */
export const selectPartnersOf = defineStatement({
  params: { userId: text },
  row: PARTNER_OF_MEMBER,
  text: `select m.partner_id as "partnerId", p.name, p.status, m.role
    from partner_members m join partners p on p.id = m.partner_id
    where m.user_id = :userId order by p.name, p.id`,
});

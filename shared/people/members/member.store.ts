import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  boolean,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { PartnerStatus } from '../partners/partner.ts';
import type { MemberRole } from './member.ts';

const MEMBER = { partnerId: text, userId: text, role: textOf<MemberRole>() };

/** Adds a member, or changes the role of an existing one. */
export const upsertMember = defineStatement({
  params: { ...MEMBER, now: timestamptz },
  text: `insert into partner_members (partner_id, user_id, role, created_at)
    values (:partnerId, :userId, :role, :now)
    on conflict (partner_id, user_id) do update set role = excluded.role`,
});

/** Removes a member from a partner, and returns the role. */
export const deleteMember = defineStatement({
  params: { partnerId: text, userId: text },
  row: { role: textOf<MemberRole>() },
  text: 'delete from partner_members where partner_id = :partnerId and user_id = :userId returning role',
});

/** Changes the role of a member. */
export const updateRole = defineStatement({
  params: MEMBER,
  text: 'update partner_members set role = :role where partner_id = :partnerId and user_id = :userId',
});

/** Locks the admins of a partner who can sign in until the transaction ends. */
export const selectAdminsForUpdate = defineStatement({
  params: { partnerId: text },
  row: { userId: text },
  text: `select m.user_id as "userId" from partner_members m join users u on u.id = m.user_id
    where m.partner_id = :partnerId and m.role = 'admin' and u.disabled_at is null
    order by m.user_id for update of m`,
});

/** Selects the role of a member, and locks it until the transaction ends. */
export const selectRoleForUpdate = defineStatement({
  params: { partnerId: text, userId: text },
  row: { role: textOf<MemberRole>() },
  text: `select role from partner_members where partner_id = :partnerId and user_id = :userId for update`,
});

const MEMBER_WITH_ADDRESS = {
  userId: text,
  email: text,
  role: textOf<MemberRole>(),
  createdAt: timestamptz,
  disabledAt: nullable(timestamptz),
};
/** A member as the partner's other members see it. */
export type Member = RowOf<typeof MEMBER_WITH_ADDRESS>;

/** Selects the members of a partner, sorted by address. */
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
  commissionBps: integer,
  affiliateId: nullable(text),
  liveApprovedAt: nullable(timestamptz),
  secondFactorRequired: boolean,
  role: textOf<MemberRole>(),
};
/** A partner that a person works for. */
export type PartnerOfMember = RowOf<typeof PARTNER_OF_MEMBER>;

/** Selects the partners that a person works for, by name. */
export const selectPartnersOf = defineStatement({
  params: { userId: text },
  row: PARTNER_OF_MEMBER,
  text: `select m.partner_id as "partnerId", p.name, p.status, p.commission_bps as "commissionBps",
      p.affiliate_id as "affiliateId", p.live_approved_at as "liveApprovedAt",
      p.second_factor_required as "secondFactorRequired", m.role
    from partner_members m join partners p on p.id = m.partner_id
    where m.user_id = :userId order by p.name, p.id`,
});

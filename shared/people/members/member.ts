/** The roles of members on the partner's site: `admin` may do everything, `viewer` may only read. */
export const MEMBER_ROLES = ['admin', 'developer', 'finance', 'viewer'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A person who works for a partner. */
export interface Membership {
  partnerId: string;
  userId: string;
  role: MemberRole;
}

/** What a member of a partner may do on the partner's site: `admin` everything, `viewer` nothing but look. */
export const MEMBER_ROLES = ['admin', 'developer', 'finance', 'viewer'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A person who works for a partner. */
export interface Membership {
  partnerId: string;
  userId: string;
  role: MemberRole;
}

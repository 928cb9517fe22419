import { invalid } from '../../platform/errors.ts';

/** `owner`: a person with domains. `ops`: the staff of the marketplace. */
export const ROLES = ['owner', 'ops'] as const;

export type Role = (typeof ROLES)[number];

/** What staff may do: `admin` everything, `read_only` nothing but look. `api/ops/ops-routes.ts` has the table. */
export const STAFF_ROLES = ['admin', 'operator', 'finance', 'support', 'read_only'] as const;

export type StaffRole = (typeof STAFF_ROLES)[number];

/** A person who can sign in. */
export interface User {
  id: string;
  /** Lower case. */
  email: string;
  role: Role;
  /** Set for staff alone, those of the role `ops`. */
  staffRole: StaffRole | null;
}

/** A user with what decides whether a sign-in counts. */
export interface UserAccount extends User {
  /** Since when nobody gets in with this account; null while it is open. */
  disabledAt: Date | null;
  /** Made by seeding; production refuses it. */
  demo: boolean;
  /** Sessions of another version than this are over. */
  sessionVersion: number;
}

const MAX_EMAIL = 254;
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** An e-mail address in the one form in which it is stored and compared. @throws validation_error */
export function canonicalEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > MAX_EMAIL || !EMAIL.test(email)) {
    throw invalid([
      { path: '/email', message: 'must be an e-mail address such as ada@example.com' },
    ]);
  }
  return email;
}

import { withAsciiDomain } from '../../platform/email-address.ts';
import { invalid } from '../../platform/errors.ts';

/** `owner`: a person who owns domains. `ops`: the staff of the marketplace. */
export const ROLES = ['owner', 'ops'] as const;

export type Role = (typeof ROLES)[number];

/**
 * The roles of staff: `admin` may do everything, `read_only` only read. The actions of `api/ops/actions/` say who may use
 * each.
 */
export const STAFF_ROLES = ['admin', 'operator', 'finance', 'support', 'read_only'] as const;

export type StaffRole = (typeof STAFF_ROLES)[number];

/** A person who can sign in. */
export interface User {
  id: string;
  /** Lower case. */
  email: string;
  role: Role;
  /** Set only for staff, whose role is `ops`. */
  staffRole: StaffRole | null;
}

/** A user with the fields that decide whether a sign-in is valid. */
export interface UserAccount extends User {
  /** When the account was disabled; null while it is enabled. */
  disabledAt: Date | null;
  /** Created by seeding. Production rejects demo accounts. */
  demo: boolean;
  /** Sessions with any other version have ended. */
  sessionVersion: number;
}

const MAX_EMAIL = 254;
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** Returns an email address in the form in which it is stored and compared. @throws validation_error */
export function canonicalEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > MAX_EMAIL || !EMAIL.test(email)) {
    const written = withAsciiDomain(email);
    const message = written
      ? `must be written as ${written}`
      : 'must be an email address such as ada@example.com';
    throw invalid([{ path: '/email', message }]);
  }
  return email;
}

import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { type Clock, HOUR, SECOND } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { recordAudit, timesDone } from '../audit/audit-log.ts';
import { isActivePartner } from '../partners/partner-lifecycle.ts';
import { readPartner } from '../partners/read-partners.ts';
import {
  type AccountLink,
  consumeLink,
  countInvitationsOfToday,
  createLink,
  endLinks,
  readLink,
} from '../users/account-link.ts';
import { assertAdminLeft, lockStaffAdmins } from '../users/last-admin.ts';
import { hashNewPassword } from '../users/password.ts';
import { invitationMail } from '../users/user.mails.ts';
import { canonicalEmail, type StaffRole, type User } from '../users/user.ts';
import { findUser, lockActiveAccount, openAccount, setStaffRole } from '../users/user-account.ts';
import { lockAdmins } from './manage-members.ts';
import { upsertMember } from './member.store.ts';
import type { MemberRole } from './member.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/** The name of our own staff in invitations. */
const STAFF_NAME = 'Marketplace operations';

/** A sent invitation. */
export interface Invitation {
  email: string;
  expiresAt: Date;
}

/** Invites somebody to work for a partner. @throws not_found (partner), validation_error, conflict, rate_limited */
export async function inviteMember(
  deps: Deps,
  actor: string,
  { partnerId, email, role }: { partnerId: string; email: string; role: MemberRole },
): Promise<Invitation> {
  const { name, liveApprovedAt } = await readPartner(deps, partnerId);
  const approved = liveApprovedAt !== null;
  const whom = { account: name, approved, partnerId, email, role };
  return invite(deps, actor, { action: 'member:invite', ...whom });
}

/** Invites somebody to our staff. @throws validation_error, conflict, rate_limited */
export function inviteStaff(
  deps: Deps,
  actor: string,
  { email, role }: { email: string; role: StaffRole },
): Promise<Invitation> {
  const whom = { account: STAFF_NAME, approved: true, partnerId: null, email, role };
  return invite(deps, actor, { action: 'staff:invite', ...whom });
}

async function invite(
  deps: Deps,
  actor: string,
  whom: {
    action: string;
    account: string;
    /** Whether our staff have approved the account. */
    approved: boolean;
    partnerId: string | null;
    email: string;
    role: string;
  },
): Promise<Invitation> {
  const { action, account, approved, partnerId, role } = whom;
  const subject = partnerId ?? 'staff';
  const email = canonicalEmail(whom.email);
  if (!deps.config.mail) {
    throw conflict('invalid_state', 'Invitations are sent by email, which is off. Set MAIL_URL.');
  }
  return deps.db.transact(async (uow) => {
    await assertMayInvite(uow, deps.config, actor, { action, approved, partnerId });
    const link = await createLink(uow, { kind: 'invitation', email, partnerId, role, actor });
    if (!link) {
      throw fail('rate_limited', {
        message: `${email} was invited too often within an hour.`,
        retryAfterSeconds: HOUR / SECOND,
      });
    }
    const { id: requestId, expiresAt } = link;
    uow.mails.add(invitationMail, {
      to: { email },
      of: null,
      data: {
        requestId,
        path: '/account/invitation',
        expiresAt: expiresAt.toISOString(),
        account,
        approved,
        role: role.replace('_', ' '),
        // Invitations do not say who sent them.
        invitedBy: null,
      },
    });
    await recordAudit(uow, { actor, action, subject, after: { email, role } });
    return { email, expiresAt };
  });
}

/** The limit for an unapproved partner, since anyone can open one, and the people it invites did not ask for it. */
const INVITATIONS_BEFORE_APPROVAL = 3;

/** @throws conflict (not approved, and the limit is reached), rate_limited */
async function assertMayInvite(
  uow: UnitOfWork,
  { invitationsPerDay: most, rateLimits }: Config,
  actor: string,
  { action, approved, partnerId }: { action: string; approved: boolean; partnerId: string | null },
): Promise<void> {
  const { byActor, toPartner } = await countInvitationsOfToday(uow, { actor, partnerId });
  if (!approved && partnerId !== null) {
    if ((await timesDone(uow, { action, subject: partnerId })) >= INVITATIONS_BEFORE_APPROVAL) {
      throw conflict(
        'invalid_state',
        `Until we approve this partner it can send ${INVITATIONS_BEFORE_APPROVAL} invitations, and it has.`,
      );
    }
  }
  if (rateLimits && (byActor >= most || toPartner >= PARTNER_SHARES * most)) {
    throw fail('rate_limited', {
      message: 'Too many invitations within a day. Try again later.',
      retryAfterSeconds: HOUR / SECOND,
    });
  }
}

/** The daily limit of a partner, as a multiple of the limit per account. */
const PARTNER_SHARES = 3;

/** Withdraws a partner's invitations to an address. Doing it twice changes nothing. */
export async function withdrawInvitation(
  { db }: { db: Database },
  actor: string,
  { partnerId, email: given }: { partnerId: string; email: string },
): Promise<void> {
  const email = canonicalEmail(given);
  await db.transact(async (uow) => {
    await endLinks(uow, { kind: 'invitation', email, partnerId });
    const before = { email };
    await recordAudit(uow, { actor, action: 'invitation:withdraw', subject: partnerId, before });
  });
}

/** An invitation as its page shows it. */
export interface OpenInvitation {
  email: string;
  /** The name of the partner, or of our staff. */
  account: string;
  role: string;
  partnerId: string | null;
  /** Whether the address already has an account, so that no new password is needed. */
  known: boolean;
}

type LinkDeps = Deps & { tokens: SignedTokens };

/** Returns the invitation of a link. @throws not_found */
export async function readInvitation(deps: LinkDeps, token: string): Promise<OpenInvitation> {
  const { email, partnerId, role } = await readLink(deps, 'invitation', token);
  const account = partnerId === null ? STAFF_NAME : (await readPartner(deps, partnerId)).name;
  const known = (await findUser(deps, email)) !== undefined;
  return { email, account, role: role ?? '', partnerId, known };
}

/**
 * Accepts an invitation. The link proves that the person owns its address. A person without an account gets one with
 * this password; an existing account keeps its own. Does not sign in.
 * @throws not_found (used or expired), validation_error (password), forbidden (the account is disabled),
 *   partner_not_active (the partner is suspended; the invitation stays open), conflict (invalid_state: the person is
 *   the last admin and would lose that role)
 */
export async function acceptInvitation(
  deps: LinkDeps,
  { token, password }: { token: string; password: string | null },
): Promise<User> {
  const link = await readLink(deps, 'invitation', token);
  const known = await findUser(deps, link.email);
  const passwordHash = known ? null : await hashNewPassword(password ?? '');
  return deps.db.transact(async (uow) => {
    const admins = link.partnerId === null ? await lockStaffAdmins(uow, deps.config) : [];
    const user = passwordHash
      ? await openAccount(uow, { email: link.email, passwordHash })
      : await lockActiveAccount(uow, link.email);
    await consumeLink(uow, link);
    await join(uow, link, { userId: user.id, staffAdmins: admins });
    const subject = link.partnerId ?? 'staff';
    const after = { role: link.role };
    await recordAudit(uow, { actor: user.id, action: 'invitation:accept', subject, after });
    return user;
  });
}

async function join(
  uow: UnitOfWork,
  { partnerId, role }: AccountLink,
  { userId, staffAdmins }: { userId: string; staffAdmins: readonly string[] },
): Promise<void> {
  if (partnerId === null) {
    if (role !== 'admin') assertAdminLeft(staffAdmins, userId);
    return setStaffRole(uow, userId, role as StaffRole);
  }
  if (!(await isActivePartner(uow.sql, partnerId))) {
    throw fail('partner_not_active', {
      message: 'This partner account is suspended. Accept the invitation once it is resumed.',
    });
  }
  if (role !== 'admin') assertAdminLeft(await lockAdmins(uow, partnerId), userId);
  await upsertMember.send(uow.pipeline, {
    partnerId,
    userId,
    role: role as MemberRole,
    now: uow.now,
  });
}

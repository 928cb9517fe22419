import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { fail } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { endLinks } from '../users/account-link.ts';
import { assertAdminLeft } from '../users/last-admin.ts';
import { lockAccount } from '../users/user-account.ts';
import * as store from './member.store.ts';
import type { Membership } from './member.ts';

export type { Member, PartnerOfMember } from './member.store.ts';

/** Lists the members of a partner. */
export function listMembers({ db }: { db: Database }, partnerId: string): Promise<store.Member[]> {
  return store.selectMembers.all(db.knex, { partnerId });
}

/** Lists the partners that a person works for. */
export function listPartnersOf(
  { db }: { db: Database },
  userId: string,
): Promise<store.PartnerOfMember[]> {
  return store.selectPartnersOf.all(db.knex, { userId });
}

/**
 * Removes a member from a partner. The person's access and open invitations there end at once. The account itself
 * stays. `who` is an id or an email address. `keepAdmin` refuses to remove the last admin.
 * @throws not_found, validation_error, conflict (invalid_state)
 */
export async function removeMember(
  { db }: { db: Database },
  actor: string,
  { partnerId, who, keepAdmin = false }: { partnerId: string; who: string; keepAdmin?: boolean },
): Promise<string> {
  return db.transact(async (uow) => {
    const { id: userId, email } = await lockAccount(uow, who);
    await endLinks(uow, { kind: 'invitation', email, partnerId });
    if (keepAdmin) assertAdminLeft(await lockAdmins(uow, partnerId), userId);
    const removed = await store.deleteMember.first(uow.sql, { partnerId, userId });
    if (!removed) throw fail('not_found', { message: `${email} is not a member of this partner.` });
    const before = { userId, role: removed.role };
    await recordAudit(uow, { actor, action: 'member:remove', subject: partnerId, before });
    return userId;
  });
}

/** Changes the role of a member. @throws not_found, conflict (invalid_state: the last admin) */
export async function changeMemberRole(
  { db }: { db: Database },
  actor: string,
  { partnerId, userId, role }: Membership,
): Promise<void> {
  await db.transact(async (uow) => {
    const admins = await lockAdmins(uow, partnerId);
    const before = await store.selectRoleForUpdate.first(uow.sql, { partnerId, userId });
    if (!before)
      throw fail('not_found', { message: 'This person is not a member of this partner.' });
    if (role !== 'admin') assertAdminLeft(admins, userId);
    await store.updateRole.run(uow.sql, { partnerId, userId, role });
    const change = { before: { userId, role: before.role }, after: { userId, role } };
    await recordAudit(uow, { actor, action: 'member:set-role', subject: partnerId, ...change });
  });
}

/** Locks the admins of a partner who can sign in until the transaction ends. */
export async function lockAdmins(uow: UnitOfWork, partnerId: string): Promise<string[]> {
  const admins = await store.selectAdminsForUpdate.all(uow.sql, { partnerId });
  return admins.map(({ userId }) => userId);
}

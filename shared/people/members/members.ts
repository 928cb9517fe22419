import type { Database } from '../../delivery/unit-of-work/database.ts';
import { fail } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { endLinks } from '../users/account-link.ts';
import { lockAccount } from '../users/user-account.ts';
import * as store from './member.store.ts';

export type { Member, PartnerOfMember } from './member.store.ts';

/** Who works for a partner. */
export function listMembers({ db }: { db: Database }, partnerId: string): Promise<store.Member[]> {
  return store.selectMembers.all(db.knex, { partnerId });
}

/** The partners that a person works for. */
export function listPartnersOf(
  { db }: { db: Database },
  userId: string,
): Promise<store.PartnerOfMember[]> {
  return store.selectPartnersOf.all(db.knex, { userId });
}

/**
 * Takes somebody out of a partner: what the person has open there ends at once, open invitations too. The account
 * itself stays. `who` is an id or an e-mail address. @throws not_found, validation_error
 */
export async function removeMember(
  { db }: { db: Database },
  actor: string,
  { partnerId, who }: { partnerId: string; who: string },
): Promise<string> {
  return db.transact(async (uow) => {
    const { id: userId, email } = await lockAccount(uow, who);
    await endLinks(uow, { kind: 'invitation', email, partnerId });
    const removed = await store.deleteMember.first(uow.sql, { partnerId, userId });
    if (!removed) throw fail('not_found', { message: `${email} is no member of this partner.` });
    const before = { userId, role: removed.role };
    await recordAudit(uow, { actor, action: 'member:remove', subject: partnerId, before });
    return userId;
  });
}

import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { selectStaffAdminsForUpdate } from './user.store.ts';

/**
 * Locks the staff admins who can sign in until the transaction ends, so that of two admins who disable each other, one
 * is refused. Lock them before any other account.
 */
export async function lockStaffAdmins(uow: UnitOfWork, config: Config): Promise<string[]> {
  const demo = allowsDemoAccounts(config);
  const admins = await selectStaffAdminsForUpdate.all(uow.sql, { demo });
  return admins.map(({ id }) => id);
}

/** Checks that the actor may change admins: only admins and CLI commands may. @throws forbidden */
export function assertAdmin(admins: readonly string[], actor: string): void {
  if (!isId('user', actor) || admins.includes(actor)) return;
  throw fail('forbidden', { message: 'Only an admin can do this to an admin.' });
}

/** Checks that a team keeps at least one admin. @throws conflict (invalid_state) */
export function assertAdminLeft(admins: readonly string[], without: string): void {
  if (!admins.includes(without) || admins.length > 1) return;
  throw conflict('invalid_state', 'This is the last admin. Make someone else an admin first.');
}

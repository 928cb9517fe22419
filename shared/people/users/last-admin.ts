import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { allowsDemoAccounts, type Config } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { selectStaffAdminsForUpdate } from './user.store.ts';

/**
 * The admins of our staff who can sign in. They stay so until the transaction ends, so that of two who shut each other
 * out one is refused: lock them before any other account.
 */
export async function lockStaffAdmins(uow: UnitOfWork, config: Config): Promise<string[]> {
  const demo = allowsDemoAccounts(config);
  const admins = await selectStaffAdminsForUpdate.all(uow.sql, { demo });
  return admins.map(({ id }) => id);
}

/** Lets admins and commands change admins, and nobody else. @throws forbidden */
export function assertAdmin(admins: readonly string[], actor: string): void {
  if (!isId('user', actor) || admins.includes(actor)) return;
  throw fail('forbidden', { message: 'Only an admin can do this to an admin.' });
}

/** Refuses to leave a team without an admin. @throws conflict (invalid_state) */
export function assertAdminLeft(admins: readonly string[], without: string): void {
  if (!admins.includes(without) || admins.length > 1) return;
  throw conflict('invalid_state', 'This is the last admin. Make somebody else an admin first.');
}

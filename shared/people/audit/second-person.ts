import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import { conflict } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { selectHolders } from './audit-log.store.ts';

/** How long somebody who opened an account or changed its password, factor or role may still control it. */
const LATELY_MS = 30 * DAY;

/**
 * Returns whether two actors are two people as far as the audit trail can tell. An account is not a second person for
 * whoever opened or invited it, changed its password, second factor or role in the last 30 days, or set its current
 * password, even through other accounts. Two accounts that one user may control are not two people either. A command
 * line actor, which can open any account, does not make the accounts that it opened one person.
 */
export async function areTwoPeople(uow: UnitOfWork, one: string, other: string): Promise<boolean> {
  if (one === other) return false;
  const holdsOne = await holdersOf(uow, one);
  const holdsOther = await holdersOf(uow, other);
  if (holdsOne.has(other) || holdsOther.has(one)) return false;
  return ![...holdsOne].some((holder) => isId('user', holder) && holdsOther.has(holder));
}

/** @throws conflict (`invalid_state`) unless `actor` is a different person than `first`, who did what `did` says */
export async function assertSecondPerson(
  uow: UnitOfWork,
  first: string | null,
  actor: string,
  did: string,
): Promise<void> {
  if (first === null || (await areTwoPeople(uow, first, actor))) return;
  throw conflict(
    'invalid_state',
    first === actor
      ? `You ${did}. Another person has to do this.`
      : `You cannot do this as a second person: one of you and whoever ${did} recently opened the other’s account, or changed its password, second factor or role. A third person has to do this.`,
  );
}

/** Returns who may control an account, who may control those accounts, and so on. */
async function holdersOf(uow: UnitOfWork, account: string): Promise<Set<string>> {
  const since = addMs(uow.realNow, -LATELY_MS);
  const found = new Set<string>();
  let subjects = [account].filter((id) => isId('user', id));
  while (subjects.length > 0) {
    const rows = await selectHolders.all(uow.sql, { subjects, since });
    const fresh = rows.map(({ actor }) => actor).filter((actor) => !found.has(actor));
    for (const actor of fresh) found.add(actor);
    subjects = fresh.filter((id) => isId('user', id));
  }
  found.delete(account);
  return found;
}

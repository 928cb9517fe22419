import { lockListing, withdrawListing } from '../../market/inventory/change-listings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { readUserEmail } from '../../people/users/user-account.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { forgetRegistrant } from '../domain-registrants/registered-for.ts';
import {
  findOwnerId,
  findTaken,
  forgetOwnedDomain,
  listTaken,
  lockOwnedDomain,
  lockOwnedDomains,
  noteReturned,
  noteTaken,
  recordFacts,
} from '../owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT, whyGone } from '../owned-domains/owned-domain.ts';
import type { DomainFacts, Registrars } from '../registrar/registrar.ts';
import { domainTakenMail } from './taken-domain.mails.ts';

/** How many domains are looked for at the registry at once. */
const AT_ONCE = 50;

interface Deps {
  db: Database;
  registrars: Registrars;
}

/**
 * Records that another registrar (its ID at the registry) has a domain although nobody here let it go, takes it off the
 * market, and mails its owner once. Returns whether its owner knows; false if nobody owns it, or it is sold or returned.
 */
export async function recordTaken(
  uow: UnitOfWork,
  { domain, registrar }: { domain: string; registrar: string | null },
): Promise<boolean> {
  const listing = await lockListing(uow, OWNERS_ENVIRONMENT, domain);
  const userId = await findOwnerId(uow.sql, domain);
  if (userId === undefined) return false;
  const owned = (await lockOwnedDomains(uow, userId, [domain])).get(domain);
  if (!owned || whyGone(owned)) return false;
  if (owned.takenAt) return true;
  await noteTaken(uow, domain);
  if (listing && owned.listing) await withdrawListing(uow, listing);
  await note(uow, 'taken', { actor: 'worker', userId, domain, registrar });
  return true;
}

/**
 * Looks at the registry for domains that another registrar took. Those that are back are their owners' again, who are
 * mailed. Returns how many are back.
 */
export async function findReturned({ db, registrars }: Deps, signal: AbortSignal): Promise<number> {
  let found = 0;
  for (let after = ''; !signal.aborted; ) {
    const taken = await listTaken(db.knex, { after, limit: AT_ONCE });
    const last = taken.at(-1);
    if (last === undefined) break;
    const back = await registrars(OWNERS_ENVIRONMENT).inspect(taken);
    for (const facts of back) await recordReturned(db, facts);
    found += back.length;
    after = last;
  }
  return found;
}

function recordReturned(db: Database, facts: DomainFacts): Promise<void> {
  return db.transact(async (uow) => {
    const { domain } = facts;
    const owner = await noteReturned(uow, domain);
    if (!owner) return;
    await recordFacts(uow, [facts]);
    await note(uow, 'returned', { actor: 'worker', ...owner, domain, registrar: null });
  });
}

/** Returns since when another registrar has a domain that it took, and its owner. @throws not_found */
export async function readTaken(
  { db }: Pick<Deps, 'db'>,
  domain: string,
): Promise<{ email: string; takenAt: Date }> {
  const taken = await findTaken(db.knex, domain);
  if (!taken) throw fail('not_found', { message: NOT_TAKEN });
  return taken;
}

const NOT_TAKEN = 'No other registrar has taken a domain of this name from an owner.';

/**
 * Ends the ownership of a domain that another registrar took and that does not come back, and mails its former owner.
 * @throws not_found if it was not taken, conflict (invalid_state) if our registrar has it, service_unavailable
 */
export async function releaseTaken(
  { db, registrars }: Deps,
  actor: string,
  domain: string,
): Promise<void> {
  const back = await registrars(OWNERS_ENVIRONMENT)
    .inspect([domain])
    .catch((error: unknown) => {
      throw fail('service_unavailable', {
        cause: error,
        message: 'The registry is not responding right now. Nothing was changed. Try again later.',
      });
    });
  if (back.length > 0) throw conflict('invalid_state', `Our registrar holds ${domain}.`);
  await db.transact(async (uow) => {
    await lockOwnedDomain(uow, domain);
    const userId = await findOwnerId(uow.sql, domain);
    if (userId === undefined || !(await findTaken(uow.sql, domain))) {
      throw fail('not_found', { message: NOT_TAKEN });
    }
    await forgetOwnedDomain(uow, { userId, domain });
    await forgetRegistrant(uow, { environment: OWNERS_ENVIRONMENT, domain });
    await note(uow, 'released', { actor, userId, domain, registrar: null });
  });
}

const AUDIT_NAMES = {
  taken: 'domain:taken',
  returned: 'domain:returned',
  released: 'domain:release',
} as const;

async function note(
  uow: UnitOfWork,
  step: 'taken' | 'returned' | 'released',
  {
    actor,
    userId,
    domain,
    registrar,
  }: { actor: string; userId: string; domain: string; registrar: string | null },
): Promise<void> {
  await recordAudit(uow, {
    actor,
    action: AUDIT_NAMES[step],
    subject: userId,
    after: { domain, ...(registrar !== null && { registrar }) },
  });
  const email = await readUserEmail(uow.sql, userId);
  const data = { step, domain, registrar, at: uow.now.toISOString() };
  uow.mails.add(domainTakenMail, { to: { email }, of: null, data });
}

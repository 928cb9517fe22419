import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import type { Registrars } from '../../domains/registrar/registrar.ts';
import { finishJobOf, lockJobOf, reviveJob } from '../../messaging/jobs/dead-jobs.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { formatDay } from '../../platform/clock.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { Money } from '../../platform/money.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { takeRenewalBack } from './apply-renewal-payment.ts';
import { renewDomainJob, renewDomainKey } from './renewal.jobs.ts';
import { lockRenewal, readRenewal } from './renewal.store.ts';
import { madeOf, type Renewal } from './renewal.ts';
import { selectUndone, selectUndoneRenewal, type UndoneRow } from './undone-renewals.store.ts';

/**
 * A renewal that is paid and not done. `given_up`: the registry did not answer for a day. `waiting`: there is no job,
 * for example while the payment is in review.
 */
export type UndoneRenewal = Omit<UndoneRow, 'amountCents' | 'currency'> & { price: Money };

/** Lists the renewals that are paid and not done. */
export async function listUndoneRenewals(
  { db }: { db: Database },
  page: ListPage,
): Promise<Page<UndoneRenewal>> {
  const read = async (limit: number) =>
    (await selectUndone[page.sort].all(db.knex, idPage('renewal', page, limit))).map(toUndone);
  return readPage(page.limit, read, idOf);
}

/** Returns the state of a renewal that is paid and not done; undefined for any other. */
export async function findProgress(
  { db }: { db: Database },
  id: string,
): Promise<UndoneRenewal['state'] | undefined> {
  return (await selectUndoneRenewal.first(db.knex, { id }))?.state;
}

/** Returns one renewal that is paid and not done. @throws not_found */
export async function getUndoneRenewal(
  { db }: { db: Database },
  id: string,
): Promise<UndoneRenewal> {
  const row = await selectUndoneRenewal.first(db.knex, { id });
  if (!row) throw notUndone();
  return toUndone(row);
}

/**
 * Restarts the renewal's job with its first attempt, or starts it if the payment was in review. The registrar
 * identifies the change by the renewal, so it is not made twice.
 * @throws not_found, conflict (invalid_state) while it is being tried
 */
export function retryRenewal(
  { db }: { db: Database },
  actor: string,
  id: string,
): Promise<Renewal> {
  return db.transact(async (uow) => {
    const renewal = await lockUndone(uow, id);
    const job = await lockJobOf(uow, renewDomainKey(id));
    if (job?.state === 'dispatched' || job?.state === 'pending') {
      throw conflict('invalid_state', 'We are already asking the registry.');
    }
    if (job?.state === 'dead') await reviveJob(uow, job.id);
    else uow.jobs.add(renewDomainJob, { renewalId: id });
    await recordAudit(uow, { actor, action: 'renewal:retry', subject: id });
    return renewal;
  });
}

/** A staff request to refund a renewal. */
export interface RefundWish {
  renewalId: string;
  /** The reason, shown to the owner. */
  reason: string;
  /** Whether to skip the registry check because somebody has verified elsewhere that it did not renew the domain. */
  unchecked: boolean;
}

/**
 * Refunds a renewal whose domain the registry has not renewed, and stops its job.
 * @throws not_found, conflict (invalid_state) when it is being tried, was renewed or restored, service_unavailable
 *   when the registry does not answer
 */
export async function refundRenewal(
  { db, registrars }: { db: Database; registrars: Registrars },
  actor: string,
  { renewalId: id, reason, unchecked }: RefundWish,
): Promise<Renewal> {
  const found = await readRenewal(db.knex, id);
  if (found?.status !== 'paid') throw notUndone();
  if (!unchecked) await assertNotRenewed(registrars, found);
  return db.transactFor(found.userId, async (uow) => {
    const renewal = await lockUndone(uow, id);
    const job = await lockJobOf(uow, renewDomainKey(id));
    if (job?.state === 'dispatched') {
      throw conflict('invalid_state', 'We are asking the registry now. Try again in a minute.');
    }
    if (job && job.state !== 'done') await finishJobOf(uow, job.id);
    await takeRenewalBack(uow, renewal, 'given_up', reason);
    const after = { status: 'refunded', reason };
    await recordAudit(uow, { actor, action: 'renewal:refund', subject: id, after });
    return { ...renewal, status: 'refunded', refusal: reason };
  });
}

async function assertNotRenewed(registrars: Registrars, renewal: Renewal): Promise<void> {
  const { domain } = renewal;
  const [facts] = await askRegistry(registrars, domain);
  const made = facts && madeOf(renewal, facts);
  if (!made) return;
  const said =
    made === 'restored'
      ? 'is out of its redemption period: it was restored'
      : `is registered until ${formatDay(facts.expiresAt)}: it was renewed`;
  throw conflict(
    'invalid_state',
    `The registry says that ${domain} ${said}. Try the renewal again to finish it.`,
  );
}

async function askRegistry(registrars: Registrars, domain: string) {
  try {
    return await registrars(OWNERS_ENVIRONMENT).inspect([domain]);
  } catch (error) {
    throw fail('service_unavailable', {
      message: `The registry does not say whether ${domain} was renewed. Try later, or check there and confirm that you did.`,
      cause: error,
    });
  }
}

async function lockUndone(uow: UnitOfWork, id: string): Promise<Renewal> {
  const renewal = await lockRenewal(uow.sql, id);
  if (renewal?.status !== 'paid') throw notUndone();
  return renewal;
}

function notUndone() {
  return fail('not_found', { message: 'No paid, unfinished renewal has this ID.' });
}

function toUndone({ amountCents, currency, ...row }: UndoneRow): UndoneRenewal {
  return { ...row, price: new Money(amountCents, currency) };
}

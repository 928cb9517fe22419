import { lockListings } from '../../market/inventory/change-listings.ts';
import { onLegalHold } from '../../market/legal-holds/legal-hold.ts';
import { lockHeldDomains } from '../../market/legal-holds/read-legal-holds.ts';
import type { TldRules } from '../../market/tlds/tld.ts';
import { findTldOf, type TldCatalogue } from '../../market/tlds/tld-catalogue.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, DAY, formatDay, formatInstant } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { lockOwnedDomains, refreshOwnedDomain } from '../owned-domains/manage-owned-domains.ts';
import {
  AT_ANOTHER_REGISTRAR,
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  whyGone,
} from '../owned-domains/owned-domain.ts';
import type { Registrars } from '../registrar/registrar.ts';
import { moveTransferOut } from './move-transfer-out.ts';
import { type TransferOutRules, transferOutRules } from './transfer-lock.ts';
import { watchTransferOutJob } from './transfer-out.jobs.ts';
import {
  insertTransferOut,
  selectUnderWayForUpdate,
  updateNextIssue,
} from './transfer-out.store.ts';
import { codeReferencesOf, type TransferOut } from './transfer-out.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  tlds: TldCatalogue;
  registrars: Registrars;
}

/** Returns why a domain cannot move to another registrar now, worded for its owner; undefined if it can. */
export function whyItStays(
  owned: OwnedDomain,
  { lockedUntil }: Pick<TransferOutRules, 'lockedUntil'>,
  rules: TldRules | undefined,
  now: Date,
): string | undefined {
  const { domain, listing, buyerHoldUntil, legalHold, locked, takenAt, tld } = owned;
  const gone = whyGone(owned);
  if (gone) return `${gone} You can no longer move it.`;
  if (owned.purchaseFault === 'disputed') {
    return 'Its payment is disputed. You can move it once the dispute has ended in your favor.';
  }
  if (legalHold) return onLegalHold(domain).message;
  if (takenAt) return AT_ANOTHER_REGISTRAR;
  if (listing?.status === 'listed') return 'It is for sale. Take it off the market first.';
  if (buyerHoldUntil && buyerHoldUntil > now) {
    return `A buyer may still pay for it until ${formatInstant(buyerHoldUntil)}.`;
  }
  if (lockedUntil) {
    return `The rules of .${tld} lock it until ${formatDay(lockedUntil)}: it is too new, or it came from another registrar or changed its registrant too recently.`;
  }
  if (rules?.transfer.auth_code_required === false) {
    return `Domains of .${tld} move without an authorization code. Contact support.`;
  }
  return locked ? 'Its transfer lock is on. Turn it off first.' : undefined;
}

/**
 * Issues a fresh authorization code (RFC 9154) to a domain's owner; the previous code becomes invalid. The request is
 * recorded before the registry is asked, so that a code that nobody received gets revoked. The code is never stored.
 * @throws not_found, conflict (invalid_state, worded for the owner), service_unavailable
 */
export async function issueOwnCode(
  deps: Deps,
  owner: { userId: string; domain: string },
): Promise<{ authCode: string; expiresAt: Date }> {
  const { db, clock, config, registrars } = deps;
  const fresh = await refreshOwnedDomain(deps, owner);
  const { domain } = fresh;
  const policy = await transferOutRules(deps, fresh, clock.now());
  const tld = findTldOf(await deps.tlds.read(), domain)?.rules;
  const out = await db.transact(async (uow) => {
    const owned = await lockForTransfer(uow, owner);
    const why = whyItStays(owned, policy, tld, clock.now());
    if (why !== undefined) throw conflict('invalid_state', why);
    const next = await nextCode(uow, owner);
    const { id, issue } = next;
    uow.jobs.add(
      watchTransferOutJob,
      { id, issue },
      { runAt: addMs(uow.now, config.transferPollMs) },
    );
    return next;
  });
  const [clientReference] = codeReferencesOf(out);
  const answer = await registrars(OWNERS_ENVIRONMENT)
    .issueAuthCode({ clientReference, domain })
    .catch((error: unknown) => {
      throw fail('service_unavailable', {
        cause: error,
        message: 'The registry is not responding right now. Request a new code later.',
      });
    });
  if (answer.status === 'refused') throw conflict('invalid_state', answer.reason);
  const expiresAt = addMs(clock.now(), policy.authCodeDays * DAY);
  await db.transact(async (uow) => {
    await lockForTransfer(uow, owner);
    const latest = await selectUnderWayForUpdate.first(uow.sql, { domain });
    const isCurrent = latest?.id === out.id && latest.issue === out.issue;
    const actor = { actor: owner.userId, expiresAt };
    if (!isCurrent || !(await moveTransferOut(uow, latest, 'issue_code', actor))) {
      throw conflict(
        'invalid_state',
        'The code was replaced or revoked in the meantime. Try again.',
      );
    }
  });
  return { authCode: answer.code, expiresAt };
}

/** Locks an owner's domain with its legal holds and listing, and returns it. @throws not_found */
async function lockForTransfer(
  uow: UnitOfWork,
  { userId, domain }: { userId: string; domain: string },
): Promise<OwnedDomain> {
  await lockHeldDomains(uow, OWNERS_ENVIRONMENT, [domain]);
  await lockListings(uow, OWNERS_ENVIRONMENT, [domain]);
  const owned = (await lockOwnedDomains(uow, userId, [domain])).get(domain);
  if (!owned) throw fail('not_found', { message: 'This domain is not in your account.' });
  return owned;
}

/** Allocates the next code number, of the transfer under way or a new one. */
async function nextCode(
  uow: UnitOfWork,
  { userId, domain }: { userId: string; domain: string },
): Promise<TransferOut> {
  const { sql, now } = uow;
  const underWay = await selectUnderWayForUpdate.first(sql, { domain });
  if (!underWay) {
    const id = newId('transferOut', now);
    return insertTransferOut.one(sql, { id, domain, userId, now });
  }
  if (underWay.status === 'stopping' || underWay.userId !== userId) {
    throw conflict('invalid_state', 'The previous code is being revoked. Try again in a minute.');
  }
  if (underWay.status === 'pending_transfer') {
    throw conflict('invalid_state', 'Another registrar has already requested the domain.');
  }
  return updateNextIssue.one(sql, { id: underWay.id, now });
}

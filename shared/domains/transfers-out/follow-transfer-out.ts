import { hastenJob } from '../../messaging/jobs/hasten-jobs.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs } from '../../platform/clock.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { registrantLockedUntil } from '../domain-registrants/change-registrant.ts';
import { forgetRegistrant } from '../domain-registrants/registered-for.ts';
import {
  findOwnedDomains,
  forgetOwnedDomain,
  lockOwnedDomain,
} from '../owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT, whyGone } from '../owned-domains/owned-domain.ts';
import { type CodeThatIsOut, type Sighting, UNSEEN_MS } from '../registrar/look-after-code.ts';
import { moveTransferOut } from './move-transfer-out.ts';
import { readStopLink } from './stop-link.ts';
import { type OutCode, watchTransferOutJob } from './transfer-out.jobs.ts';
import {
  selectAnyUnderWay,
  selectTransferOut,
  selectTransferOutForUpdate,
  selectUnderWay,
  selectUnderWayForUpdate,
} from './transfer-out.store.ts';
import { codeReferencesOf, isCodeOut, isUnderWay, type TransferOut } from './transfer-out.ts';

/** Returns a domain's transfer out that is under way, if any. */
export function findTransferOut(
  { db }: { db: Database },
  domain: string,
): Promise<TransferOut | undefined> {
  return selectUnderWay.first(db.knex, { domain });
}

/** An authorization code to watch, and whether the owner may still move the domain. */
export interface WatchedCode {
  out: TransferOut;
  code: CodeThatIsOut;
  /** Whether it was sold or returned, or has another owner. */
  isGone: boolean;
  /** Whether the owner may still move it: not gone, disputed or on legal hold, and no registrant change since. */
  isTheirs: boolean;
}

/** Returns what to watch for a code; undefined if its transfer has ended or a later code was issued. */
export async function readWatchedCode(
  { db }: { db: Database },
  { id, issue }: OutCode,
  now: Date,
): Promise<WatchedCode | undefined> {
  const out = await selectTransferOut.first(db.knex, { id });
  if (!out || out.issue !== issue || !isUnderWay(out)) return undefined;
  const { domain, userId } = out;
  const owned = (await findOwnedDomains(db.knex, userId, [domain])).get(domain);
  const isGone = owned === undefined || whyGone(owned) !== undefined;
  const isTheirs =
    !isGone &&
    !owned.legalHold &&
    owned.purchaseFault === null &&
    (await registrantLockedUntil({ db }, domain, now)) === null;
  const isWanted = isTheirs && isCodeOut(out);
  const end = out.expiresAt ?? addMs(out.issuedAt, UNSEEN_MS);
  const isOver = !isTheirs || out.status === 'stopping' || end <= now;
  const code = {
    domain,
    references: codeReferencesOf(out),
    since: out.createdAt,
    gainingRegistrar: null,
    isWanted,
    endsAt: end,
    isOver,
  };
  return { out, code, isGone, isTheirs };
}

/** Records what a check at the registry found. */
export async function recordSighting(
  uow: UnitOfWork,
  { out: { id, issue, domain }, isGone, isTheirs }: WatchedCode,
  { found, requestedBy, isRejected }: Sighting,
): Promise<void> {
  await lockOwnedDomain(uow, domain);
  const out = await selectTransferOutForUpdate.first(uow.sql, { id });
  if (!out || out.issue !== issue || !isUnderWay(out)) return;
  const by = { actor: 'worker', requestedBy };
  switch (found) {
    case 'approved':
      await moveTransferOut(uow, out, 'approve', { ...by, expiresAt: out.expiresAt });
      return;
    case 'fetched':
      await moveTransferOut(uow, out, 'leave', by);
      await forgetOwnedDomain(uow, out);
      await forgetRegistrant(uow, { environment: OWNERS_ENVIRONMENT, domain });
      return;
    case 'cleared': {
      const isKept = out.status === 'stopping' || !isTheirs;
      await moveTransferOut(uow, out, isKept ? 'keep' : 'expire', {
        actor: 'worker',
        isRejected,
        ...(isRejected && { requestedBy }),
        // Its former owner knows that it was sold or returned.
        isQuiet: isGone,
      });
      return;
    }
    case 'waiting':
  }
}

/** Returns the transfer that a mailed link stops. @throws not_found if the link is invalid or the transfer has ended */
export async function readStoppable(
  { db, tokens }: { db: Database; tokens: SignedTokens },
  token: string,
): Promise<TransferOut> {
  const id = await readStopLink(tokens, token);
  const out = await selectTransferOut.first(db.knex, { id });
  if (!out || !isUnderWay(out)) {
    throw fail('not_found', {
      message: out?.status === 'left' ? HAS_LEFT : 'There is nothing left to stop.',
    });
  }
  return out;
}

const HAS_LEFT =
  'The domain is at another registrar now. If you did not move it, contact us right away.';

/** Like {@link stopTransferOutIfAny}. @throws conflict (invalid_state) if none is under way */
export async function stopTransferOut(
  uow: UnitOfWork,
  actor: string,
  of: Pick<TransferOut, 'domain'>,
): Promise<void> {
  if (await stopTransferOutIfAny(uow, actor, of)) return;
  throw conflict('invalid_state', 'There is nothing left to stop.');
}

/**
 * Stops a domain's transfer; a worker then revokes the code and locks the domain at once. Returns false if none is under
 * way.
 */
export async function stopTransferOutIfAny(
  uow: UnitOfWork,
  actor: string,
  { domain }: Pick<TransferOut, 'domain'>,
): Promise<boolean> {
  const out = await selectUnderWayForUpdate.first(uow.sql, { domain });
  if (out?.status === 'stopping') return true;
  if (!out || !(await moveTransferOut(uow, out, 'stop', { actor }))) return false;
  await hastenLook(uow, out);
  return true;
}

/** Returns whether any transfer out is under way. */
export async function isAnyUnderWay({ db }: { db: Database }): Promise<boolean> {
  return (await selectAnyUnderWay.one(db.knex)).found;
}

/**
 * Makes a worker check a domain with an issued code now, in case another registrar requested it. Returns false if a
 * check may already be running.
 */
export async function lookAtTransferOut(uow: UnitOfWork, domain: string): Promise<boolean> {
  const out = await selectUnderWay.first(uow.sql, { domain });
  return !out || hastenLook(uow, out);
}

async function hastenLook(uow: UnitOfWork, out: TransferOut): Promise<boolean> {
  const key = watchTransferOutJob.dedupeKey?.(out);
  return key === undefined || hastenJob(uow, key);
}

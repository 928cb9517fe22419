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
import { OWNERS_ENVIRONMENT } from '../owned-domains/owned-domain.ts';
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

/** The transfer of a domain that is under way, if one is. */
export function findTransferOut(
  { db }: { db: Database },
  domain: string,
): Promise<TransferOut | undefined> {
  return selectUnderWay.first(db.knex, { domain });
}

/** A code to be looked after, and what its domain is to its owner. */
export interface WatchedCode {
  out: TransferOut;
  code: CodeThatIsOut;
  /** Whether the domain is still its owner's to move: not sold, not on legal hold, and its registrant not changed since. */
  isTheirs: boolean;
}

/** What a worker has to look after for this code; undefined when it is over, or a later code is. */
export async function readWatchedCode(
  { db }: { db: Database },
  { id, issue }: OutCode,
  now: Date,
): Promise<WatchedCode | undefined> {
  const out = await selectTransferOut.first(db.knex, { id });
  if (!out || out.issue !== issue || !isUnderWay(out)) return undefined;
  const { domain, userId } = out;
  const owned = (await findOwnedDomains(db.knex, userId, [domain])).get(domain);
  const isTheirs =
    owned !== undefined &&
    owned.listing?.status !== 'sold' &&
    !owned.legalHold &&
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
  return { out, code, isTheirs };
}

/** Notes what a look at the registry found. */
export async function recordSighting(
  uow: UnitOfWork,
  { out: { id, issue, domain }, isTheirs }: WatchedCode,
  { found, requestedBy }: Sighting,
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
      await moveTransferOut(uow, out, isKept ? 'keep' : 'expire', { actor: 'worker' });
      return;
    }
    case 'waiting':
  }
}

/** The transfer that a link of a mail stops. @throws not_found when the link is no good, or there is nothing to stop */
export async function readStoppable(
  { db, tokens }: { db: Database; tokens: SignedTokens },
  token: string,
): Promise<TransferOut> {
  const id = await readStopLink(tokens, token);
  const out = await selectTransferOut.first(db.knex, { id });
  if (!out || !isUnderWay(out)) {
    throw fail('not_found', {
      message: out?.status === 'left' ? HAS_LEFT : 'There is nothing to stop any more.',
    });
  }
  return out;
}

const HAS_LEFT =
  'The domain is at another registrar now. If it was not you who moved it, contact us right away.';

/** Stops the transfer of a domain, at once: a worker takes the code back and locks the domain. @throws conflict (invalid_state) */
export async function stopTransferOut(
  uow: UnitOfWork,
  actor: string,
  { domain }: Pick<TransferOut, 'domain'>,
): Promise<void> {
  const out = await selectUnderWayForUpdate.first(uow.sql, { domain });
  if (out?.status === 'stopping') return;
  if (!out || !(await moveTransferOut(uow, out, 'stop', { actor }))) {
    throw conflict('invalid_state', 'There is nothing to stop any more.');
  }
  await hastenLook(uow, out);
}

/** Whether any owner's domain is on its way to another registrar. */
export async function isAnyUnderWay({ db }: { db: Database }): Promise<boolean> {
  return (await selectAnyUnderWay.one(db.knex)).found;
}

/**
 * Has a worker look now at a domain that another registrar may ask for, if its owner has a code of it. False when one may
 * be looking already.
 */
export async function lookAtTransferOut(uow: UnitOfWork, domain: string): Promise<boolean> {
  const out = await selectUnderWay.first(uow.sql, { domain });
  return !out || hastenLook(uow, out);
}

async function hastenLook(uow: UnitOfWork, out: TransferOut): Promise<boolean> {
  const key = watchTransferOutJob.dedupeKey?.(out);
  return key === undefined || hastenJob(uow, key);
}

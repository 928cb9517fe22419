import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { assertSecondPerson } from '../../people/audit/second-person.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { destinationChangedMail } from './payout.mails.ts';
import { updateApprovalsVoid } from './payout.store.ts';
import { takesTwoPeople } from './payout.ts';
import * as store from './payout-account.store.ts';

/** How a partner is paid: through a bank file, or a transfer by the payment provider. */
export const DESTINATION_KINDS = ['bank', 'provider'] as const;

export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** A partner's account that receives payouts. */
export interface Destination {
  kind: DestinationKind;
  /** Its display name, such as the last characters of the number. */
  name: string;
  /** 1 for the first account of its kind; incremented with each change. */
  revision: number;
  setBy: string | null;
  /** Null for the partner's first account of either kind, which can be used immediately. */
  usableFrom: Date | null;
  /** The user who approved a changed account, if that takes two people. */
  approvedBy: string | null;
}

/** How long a changed account cannot be used, so that its partner can object. */
const WAIT_MS = DAY;

/**
 * Returns when an account that is set now can be used; null means immediately, which only the partner's very first
 * account is. A first account of the other kind redirects payouts as much as a change does.
 */
export async function usableFrom(uow: UnitOfWork, partnerId: string): Promise<Date | null> {
  const [other] = await readDestinations(uow.sql, partnerId);
  return other === undefined ? null : addMs(uow.realNow, WAIT_MS);
}

/** Returns the current accounts of a partner. */
export async function readDestinations(sql: Sql, partnerId: string): Promise<Destination[]> {
  const rows = await store.selectDestinations.all(sql, { partnerId });
  return rows.map((row) => (row.kind === 'bank' ? bankDestination(row) : providerDestination(row)));
}

type Noted = Pick<Destination, 'revision' | 'setBy' | 'usableFrom' | 'approvedBy'>;

export function bankDestination({
  holder,
  ibanEnd,
  revision,
  setBy,
  usableFrom,
  approvedBy,
}: Noted & { holder: string; ibanEnd: string }): Destination {
  const name = `bank account of ${holder} that ends in ${ibanEnd}`;
  return { kind: 'bank', name, revision, setBy, usableFrom, approvedBy };
}

export function providerDestination({
  account,
  revision,
  setBy,
  usableFrom,
  approvedBy,
}: Noted & { account: string }): Destination {
  const name = `Stripe account ${account}`;
  return { kind: 'provider', name, revision, setBy, usableFrom, approvedBy };
}

/** Returns why an account cannot be paid now; undefined if it can. */
export function refusalOfDestination(
  config: Config,
  destination: Destination,
  now: Date,
): string | undefined {
  const { name, revision, usableFrom: from } = destination;
  if (awaitsApproval(config, destination)) {
    return `The ${name} (revision ${revision}) is new. A second person has to approve it first (partner:approve-account).`;
  }
  if (from === null || from <= now) return undefined;
  return `The ${name} is new. We can pay to it from ${from.toISOString()}, unless the partner objects.`;
}

/** Returns whether a changed account still needs approval by a second person. */
export function awaitsApproval(
  config: Config,
  { usableFrom: from, approvedBy }: Pick<Destination, 'usableFrom' | 'approvedBy'>,
): boolean {
  return takesTwoPeople(config) && from !== null && approvedBy === null;
}

/**
 * Announces a changed account in the transaction that sets it: voids the approvals of payouts not yet sent to a bank
 * or provider, and mails the partner. Returns the IDs of the payouts whose approvals were voided.
 */
export async function announceChange(
  uow: UnitOfWork,
  partnerId: string,
  kind: DestinationKind,
): Promise<string[]> {
  const voided = await updateApprovalsVoid.all(uow.sql, { partnerId });
  const changed = (await readDestinations(uow.sql, partnerId)).find((each) => each.kind === kind);
  if (changed) {
    uow.mails.add(destinationChangedMail, {
      to: 'contacts',
      of: { partnerId, environment: 'LIVE' },
      data: {
        partnerId,
        kind,
        revision: changed.revision,
        name: changed.name,
        usableFrom: changed.usableFrom?.toISOString() ?? null,
      },
    });
  }
  return voided.map(({ id }) => id);
}

/**
 * Approves a changed account, which can then be paid once its waiting period is over. Requires a person other than the
 * one who set it. Applies only to the revision that the approver saw. Approving again changes nothing.
 * @throws not_found, conflict (`invalid_state`)
 */
export async function approveDestination(
  uow: UnitOfWork,
  config: Config,
  actor: string,
  { partnerId, kind, revision }: { partnerId: string; kind: DestinationKind; revision: number },
): Promise<Destination> {
  const found = await lockDestination(uow, partnerId, kind);
  if (!found) throw fail('not_found', { message: 'The partner does not have this account.' });
  if (found.revision !== revision) {
    throw conflict(
      'invalid_state',
      `You looked at revision ${revision}, but the account changed since: revision ${found.revision} is the ${found.name}. Review that one before you approve it.`,
    );
  }
  if (found.approvedBy === actor) return found;
  if (!awaitsApproval(config, found)) {
    throw conflict('invalid_state', `The ${found.name} needs no approval.`);
  }
  await assertSecondPerson(uow, found.setBy, actor, `set the ${found.name}`);
  const update =
    kind === 'bank' ? store.updateAccountApproved : store.updateConnectedAccountApproved;
  await update.send(uow.pipeline, { partnerId, approvedBy: actor, now: uow.realNow });
  const after = { kind, name: found.name, revision };
  await recordAudit(uow, { actor, action: 'partner:approve-account', subject: partnerId, after });
  return { ...found, approvedBy: actor };
}

async function lockDestination(
  uow: UnitOfWork,
  partnerId: string,
  kind: DestinationKind,
): Promise<Destination | undefined> {
  if (kind === 'bank') {
    const row = await store.selectAccountForUpdate.first(uow.sql, { partnerId });
    return row && bankDestination(row);
  }
  const row = await store.selectConnectedAccountForUpdate.first(uow.sql, { partnerId });
  return row && providerDestination(row);
}

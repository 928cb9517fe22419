import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { EppClient } from '../epp/epp-client.ts';
import { EppRefused, refusedOnly } from '../epp/epp-errors.ts';
import type { EppTransferStatus, TransferInfo } from '../epp/epp-objects.ts';
import { question } from '../epp/epp-send.ts';
import { CODE_IS_VOID, makeAuthCode } from './auth-codes.ts';
import { NOT_IN_OUR_ACCOUNT, refusedByRegistry } from './epp-domains.ts';
import { selectCommands } from './epp-registrar.store.ts';
import { selectOnLegalHold } from './held-domain.store.ts';
import { ON_LEGAL_HOLD, type Registrar, RegistrarBusy, type TransferAway } from './registrar.ts';
import { CommandNotWanted, OnLegalHold, type RegistryCommands } from './registry-commands.ts';

interface Scope {
  db: Database;
  clock: Clock;
  config: Pick<Config, 'secretsKey'>;
  client: EppClient;
  clientId: string;
  commands: RegistryCommands;
  /** Runs commands within the time limit of one adapter call. */
  within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

type TransfersAway = Pick<
  Registrar,
  'issueAuthCode' | 'clearAuthCode' | 'findTransfer' | 'answerTransfer'
>;

const NOT_AUTHORIZED = 2201;
const STATUSES: Readonly<Record<EppTransferStatus, TransferAway['status']>> = {
  pending: 'pending',
  clientApproved: 'approved',
  serverApproved: 'approved',
  clientRejected: 'rejected',
  clientCancelled: 'cancelled',
  serverCancelled: 'cancelled',
};

/**
 * Creates the part of the registrar that lets domains in our account move to other registrars. An authorization code is
 * set only while needed (RFC 9154); otherwise the registry has none, and we never store it.
 */
export function createEppTransfersAway(scope: Scope): TransfersAway {
  const { db, clock, config, client, clientId, commands, within } = scope;
  const codeOf = (clientReference: string) =>
    makeAuthCode(config.secretsKey, `${clientReference} away`);
  const isOurs = async (domain: string, signal: AbortSignal) =>
    (await client.findDomain(domain, question(signal)))?.clID === clientId;

  const find = async (domain: string, signal: AbortSignal) => {
    try {
      const transfer = await client.findTransfer(domain, question(signal));
      return transfer?.acID === clientId ? awayOf(transfer) : undefined;
    } catch (error) {
      // We may not see a transfer between other registrars.
      if (error instanceof EppRefused && error.code === NOT_AUTHORIZED) return undefined;
      throw error;
    }
  };

  return {
    issueAuthCode: ({ clientReference, domain }) =>
      within(async (signal) => {
        if ((await selectOnLegalHold.one(db.knex, { domain })).found) return ON_LEGAL_HOLD;
        const code = codeOf(clientReference);
        if (await commands.isDone({ clientReference, step: 'clear-code' })) return CODE_IS_VOID;
        if (await commands.isDone({ clientReference, step: 'auth-code' })) {
          const isSet = await client.hasAuthInfo(domain, code, question(signal));
          return isSet ? { status: 'done', code } : CODE_IS_VOID;
        }
        if (!(await isOurs(domain, signal))) return NOT_IN_OUR_ACCOUNT;
        const change = { clientReference, step: 'auth-code', domain, ofOpenPush: false, signal };
        try {
          await commands.send(change, (name) =>
            client.updateDomain({ name: domain, authInfo: code }, name),
          );
        } catch (error) {
          return refusedByRegistry(error);
        }
        return { status: 'done', code };
      }),
    clearAuthCode: ({ clientReference, domain }) =>
      within(async (signal) => {
        const known = await selectCommands.all(db.knex, { clientReference });
        if (known.some(({ step, outcome }) => step === 'clear-code' && outcome === 'done')) {
          return { status: 'done' };
        }
        const setting = known.find(({ step, outcome }) => step === 'auth-code' && outcome === null);
        if (setting?.busyUntil && setting.busyUntil > clock.now()) {
          throw new RegistrarBusy(setting.clTRID, setting.busyUntil);
        }
        // After a transfer the code is void; a code that is not set was replaced.
        if (!(await isOurs(domain, signal))) return { status: 'done' };
        if (!(await client.hasAuthInfo(domain, codeOf(clientReference), question(signal)))) {
          return { status: 'done' };
        }
        const noted = { clientReference, step: 'clear-code', domain, signal };
        const change = { ...noted, ofOpenPush: false, duringLegalHold: true };
        try {
          await commands.send(change, (name) =>
            client.updateDomain({ name: domain, authInfo: null }, name),
          );
        } catch (error) {
          return refusedByRegistry(error);
        }
        return { status: 'done' };
      }),
    findTransfer: (domain) => within((signal) => find(domain, signal)),
    answerTransfer: ({ clientReference, domain, answer, requestedBy }) =>
      within(async (signal) => {
        const transfer = await find(domain, signal);
        if (transfer?.status !== 'pending' || transfer.requestedBy !== requestedBy) return transfer;
        const noted = { clientReference, step: answer, domain, signal };
        const change = { ...noted, ofOpenPush: false, duringLegalHold: answer === 'reject' };
        await commands
          .send(change, (name) => client.endTransfer(answer, domain, name))
          .catch((error: unknown) => {
            // No approval during a legal hold or after a stop; a permanent refusal means that the answer came too late.
            const isUnwanted = error instanceof OnLegalHold || error instanceof CommandNotWanted;
            if (!isUnwanted) refusedOnly(error);
          });
        return find(domain, signal);
      }),
  };
}

function awayOf({ status, reID, requestedAt, actionAt }: TransferInfo): TransferAway {
  return { status: STATUSES[status], requestedBy: reID, requestedAt, actionAt };
}

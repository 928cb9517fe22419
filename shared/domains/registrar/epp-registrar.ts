import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { withAbort } from '../../platform/concurrency/deadline.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { EppClient } from '../epp/epp-client.ts';
import { EppRefused, EppUnreadable, refusedOnly } from '../epp/epp-errors.ts';
import type { DomainInfo, TransferInfo } from '../epp/epp-objects.ts';
import { question } from '../epp/epp-send.ts';
import { EppXmlError } from '../epp/epp-xml.ts';
import { authCodeOf, makeAuthCode } from './auth-codes.ts';
import { buyerContact, buyerHandle, placeContact } from './buyer-contact.ts';
import { ExtraNotCarried, isCarried } from './contact-extensions.ts';
import { createEppDomains } from './epp-domains.ts';
import * as store from './epp-registrar.store.ts';
import { createEppTransfersAway } from './epp-transfers-away.ts';
import { selectOnLegalHold } from './held-domain.store.ts';
import { readRegistryMessages } from './read-registry-messages.ts';
import {
  LEGAL_HOLD,
  type PushState,
  type RegistrantOfPush,
  type Registrar,
  type Registration,
  type RegistryReport,
  type TransferRulesOf,
} from './registrar.ts';
import {
  type Change,
  CommandNotWanted,
  createRegistryCommands,
  OnLegalHold,
  type RegistryCommands,
} from './registry-commands.ts';
import { type TransferLocks, transferLocks } from './transfer-locks.ts';

/** What an adapter of a registry works with. */
export interface EppRegistrarScope {
  db: Database;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'secretsKey' | 'eppAnswerMs'>;
  secrets: SecretBox;
  client: EppClient;
  transferRulesOf: TransferRulesOf;
  registrantOf: RegistrantOfPush;
  /** Our account at the registry. */
  clientId: string;
}

/** What all commands of one call of the adapter may take, in answers: less than a job has. */
const CALL_ANSWERS = 2.5;

const WRONG_AUTH_INFO: readonly number[] = [2201, 2202];
const NOT_NOW: readonly number[] = [2106, 2300, 2304];
const NOT_FOUND = 2303;

type Push = NonNullable<Awaited<ReturnType<typeof store.selectPush.first>>>;

/**
 * A registrar of ours at a registry. A domain in our account is pushed: the buyer becomes its registrant and it gets
 * a new authorization code, one update. A domain elsewhere is transferred to us first, by its authorization code,
 * for which the other registrar has days.
 *
 * Each call looks at the domain before it does anything, and each change is noted before it is sent, so calls may be
 * cut off anywhere and made again: nothing is asked for twice without asking first whether it was done.
 */
export function createEppRegistrar(scope: EppRegistrarScope): Registrar {
  const { db, clock, client, config } = scope;
  const { knex } = db;
  const callMs = CALL_ANSWERS * config.eppAnswerMs;
  // The last command of a call waits for its answer when the time of the call is up.
  const busyMs = callMs + config.eppAnswerMs;
  const commands = createRegistryCommands({ sql: knex, clock, busyMs });
  const within = <T>(work: (signal: AbortSignal) => Promise<T>) =>
    withAbort({ deadlineMs: callMs }, work);

  const read = (clientReference: string): Promise<PushState> =>
    within(async (signal) => {
      const push = await store.selectPush.first(knex, { clientReference });
      if (!push) return { status: 'failed', reason: 'unknown_reference' };
      if (push.status !== 'open') return endOf(push);
      const { found: isHeld } = await selectOnLegalHold.one(knex, push);
      if (isHeld) return heldBack(push);
      return advance({ ...scope, commands }, push, signal).catch(async (error: unknown) => {
        if (error instanceof OnLegalHold) return heldBack(push);
        if (!(error instanceof CommandNotWanted)) throw error;
        // Somebody else ended the push meanwhile, or had the answer that we were about to ask for.
        const latest = await store.selectPush.one(knex, { clientReference });
        return latest.status === 'open' ? { status: 'pending' } : endOf(latest);
      });
    });

  return {
    name: 'epp',
    ...createEppDomains({ ...scope, commands, within }),
    ...createEppTransfersAway({ ...scope, commands, within }),
    async push({ clientReference, domain, bringsOnly = false }) {
      const now = clock.now();
      const handsOver = !bringsOnly;
      const begun = { clientReference, domain, handsOver, status: 'open' as const, now };
      await store.insertPush.run(knex, begun);
      return read(clientReference);
    },
    read,
    cancel: (clientReference) =>
      within((signal) => cancelPush({ ...scope, commands }, clientReference, signal)),
    describe: (domains) =>
      within(async (signal) => {
        const report: RegistryReport = { registrations: [], unreadable: [] };
        for (const domain of domains) {
          try {
            const info = await client.findDomain(domain, question(signal));
            report.registrations.push(await registrationOf(scope, domain, info));
          } catch (error) {
            // The document, or what it says of the domain.
            const isUnreadable = error instanceof EppUnreadable || error instanceof EppXmlError;
            if (!isUnreadable) throw error;
            report.unreadable.push(domain);
            scope.log.error(
              { err: error, domain },
              'what the registry says of a domain cannot be read',
            );
          }
        }
        return report;
      }),
    readMessages: (limit, signal, noticed = async () => true) =>
      readRegistryMessages({ ...scope, commands, noticed }, { limit, signal }),
  };
}

/** A push of a domain on legal hold: it goes on when the hold is lifted. */
function heldBack({ method }: Push): PushState {
  return { status: 'action_required', reason: LEGAL_HOLD, ...(method !== null && { method }) };
}

/** The last word on a push. */
function endOf({ status, reason, method }: Push): PushState {
  return {
    status: status === 'completed' ? 'completed' : 'failed',
    ...(status === 'cancelled' ? { reason: 'cancelled' } : reason !== null && { reason }),
    ...(method !== null && { method }),
  };
}

async function registrationOf(
  scope: EppRegistrarScope,
  domain: string,
  info: DomainInfo | undefined,
): Promise<Registration> {
  if (!info) {
    const none = { lockedUntil: null, later: null };
    return { domain, registrar: null, statuses: [], transferable: false, ...none };
  }
  const now = scope.clock.now();
  const locks = await locksOf(scope, info, now);
  const { until: from } = await scope.transferRulesOf(info.name, now);
  return {
    domain,
    registrar: info.clID,
    statuses: info.statuses,
    transferable: locks.status === null,
    lockedUntil: locks.until,
    later: from && { from, lockedUntil: (await locksOf(scope, info, from)).until },
  };
}

/** What keeps a domain from its delivery at an instant, as it is now. */
async function locksOf(
  { transferRulesOf, clientId }: EppRegistrarScope,
  info: DomainInfo,
  instant: Date,
): Promise<TransferLocks> {
  return transferLocks(info, clientId, await transferRulesOf(info.name, instant), instant);
}

type Scope = EppRegistrarScope & { commands: RegistryCommands };

/** A domain as the registry showed it, and from when on that may be old. */
interface Seen {
  info: DomainInfo;
  seenAt: Date;
}

/** Takes an open push as far as it goes now. */
async function advance(scope: Scope, push: Push, signal: AbortSignal): Promise<PushState> {
  const seenAt = scope.clock.now();
  const info = await scope.client.findDomain(push.domain, question(signal));
  if (!info) return fail(scope, push, 'not_registered');
  const seen = { info, seenAt };
  if (info.clID === scope.clientId) return handOver(scope, push, seen, signal);
  return transferToUs(scope, push, seen, signal);
}

/** A domain in our account becomes the buyer's, unless it was only to come here. */
async function handOver(
  scope: Scope,
  push: Push,
  { info, seenAt }: Seen,
  signal: AbortSignal,
): Promise<PushState> {
  const { client, clock, db, commands } = scope;
  const { clientReference, domain } = push;
  const method = push.method ?? 'push';
  await store.updatePushMethod.run(db.knex, { clientReference, method, now: clock.now() });
  const handle = buyerHandle(clientReference);
  const change = changeOf(push, signal);
  if (push.handsOver && info.registrant !== handle) {
    const locks = await locksOf(scope, info, scope.clock.now());
    if (locks.status !== null) return { status: 'action_required', reason: locks.status, method };
    const registrant = await scope.registrantOf(clientReference);
    if (!registrant) return { status: 'action_required', reason: 'registrant_required', method };
    try {
      const authInfo = makeAuthCode(scope.config.secretsKey, `${clientReference} contact`);
      const contact = buyerContact(handle, { domain, registrant, authInfo });
      await placeContact(scope, change('contact'), contact);
      await commands.send({ ...change('registrant'), seenAt }, (name) =>
        client.updateDomain(
          {
            name: domain,
            registrant: handle,
            authInfo: makeAuthCode(scope.config.secretsKey, clientReference),
          },
          name,
        ),
      );
    } catch (error) {
      if (error instanceof ExtraNotCarried) return { ...EXTRA_NOT_CARRIED, method };
      const { code } = refusedOnly(error);
      if (NOT_NOW.includes(code)) {
        return { status: 'action_required', reason: `registry_${code}`, method };
      }
      return fail(scope, push, `registry_${code}`);
    }
  }
  // What a process that died had not heard of.
  await store.updateCommandsDone.run(db.knex, { clientReference, now: clock.now() });
  await store.updatePushEnded.run(db.knex, {
    clientReference,
    status: 'completed',
    reason: null,
    now: clock.now(),
  });
  await store.deleteAuthCode.run(db.knex, { domain });
  return endOf({ ...(await store.selectPush.one(db.knex, { clientReference })), method });
}

/** What the TLD asks of its registrants cannot be sent: people register it by hand. */
const EXTRA_NOT_CARRIED = { status: 'action_required', reason: 'registrant_extra' } as const;

/** A domain elsewhere is asked for, or waited for. */
async function transferToUs(
  scope: Scope,
  push: Push,
  { info, seenAt }: Seen,
  signal: AbortSignal,
): Promise<PushState> {
  const { client, clock, db, commands } = scope;
  const { clientReference, domain } = push;
  const method = 'auth_code';
  await store.updatePushMethod.run(db.knex, { clientReference, method, now: clock.now() });
  const known = await store.selectCommands.all(db.knex, { clientReference });
  const last = known.findLast(({ step }) => step === 'request');
  const transfer = await ourTransfer(scope, domain, signal);
  if (transfer?.status === 'pending')
    return { status: 'pending', reason: 'pendingTransfer', method };
  if (last?.outcome === 'done') {
    // The request was taken and is over. It may have ended just after we had looked at the domain.
    const again = clock.now();
    const latest = await client.findDomain(domain, question(signal));
    if (latest?.clID === scope.clientId) {
      return handOver(scope, { ...push, method }, { info: latest, seenAt: again }, signal);
    }
    return fail(scope, push, transfer?.status ?? 'transfer_ended');
  }

  const locks = await locksOf(scope, info, scope.clock.now());
  const lock = locks.status ?? (locks.until && 'transfer_lock');
  if (lock) return { status: 'action_required', reason: lock, method };
  const code = await authCodeOf(scope, domain);
  if (!code) return { status: 'action_required', reason: 'auth_code_needed', method };
  const wasWrong =
    last?.outcome === 'refused' &&
    WRONG_AUTH_INFO.includes(last.code ?? 0) &&
    code.updatedAt <= (last.answeredAt ?? last.sentAt);
  if (wasWrong) return { status: 'action_required', reason: 'auth_code_invalid', method };
  const registrant = push.handsOver ? await scope.registrantOf(clientReference) : undefined;
  // It would come to us, and could not be handed over.
  if (registrant && !isCarried(domain, registrant)) return { ...EXTRA_NOT_CARRIED, method };
  const [fees] = await client.findFees([domain], 1, question(signal));
  // It costs what nobody has agreed to pay.
  if (fees?.isPremium) return { status: 'action_required', reason: 'premium_fee', method };
  const fee = fees?.transfer ?? undefined;
  try {
    await commands.send({ ...changeOf(push, signal)('request'), seenAt }, (name) =>
      client.requestTransfer({ domain, authInfo: code.authInfo, fee }, name),
    );
  } catch (error) {
    const { code: refusal } = refusedOnly(error);
    if (WRONG_AUTH_INFO.includes(refusal)) {
      return { status: 'action_required', reason: 'auth_code_invalid', method };
    }
    if (NOT_NOW.includes(refusal)) {
      return { status: 'action_required', reason: `registry_${refusal}`, method };
    }
    return fail(scope, push, refusal === NOT_FOUND ? 'not_registered' : `registry_${refusal}`);
  }
  const latest = await store.selectPush.one(db.knex, { clientReference });
  if (latest.status === 'open') return { status: 'pending', reason: 'pendingTransfer', method };
  // It was cancelled while the request was under way.
  await cancelPush(scope, clientReference, signal);
  return endOf(latest);
}

/** The transfer of a domain to us, if its last one was asked for by us. */
async function ourTransfer(
  { client, clientId }: Scope,
  domain: string,
  signal: AbortSignal,
): Promise<TransferInfo | undefined> {
  try {
    const transfer = await client.findTransfer(domain, question(signal));
    return transfer?.reID === clientId ? transfer : undefined;
  } catch (error) {
    // One between others is not ours to see.
    if (error instanceof EppRefused && WRONG_AUTH_INFO.includes(error.code)) return undefined;
    throw error;
  }
}

async function fail({ db, clock }: Scope, push: Push, reason: string): Promise<PushState> {
  const { clientReference } = push;
  const end = { clientReference, status: 'failed' as const, reason, now: clock.now() };
  await store.updatePushEnded.run(db.knex, end);
  return endOf(await store.selectPush.one(db.knex, { clientReference }));
}

/**
 * Ends a push, so that nothing more is sent for it, and takes its request for a transfer back. A domain that has come
 * to us and was not handed over stays with us, where it can be sold again.
 * @throws Error while a command may be on its way
 */
async function cancelPush(
  scope: Scope,
  clientReference: string,
  signal: AbortSignal,
): Promise<'cancelled' | 'too_late'> {
  const { client, clock, commands, db } = scope;
  const now = clock.now();
  // One never seen is kept as cancelled, so that a push of it still under way is refused.
  const unseen = {
    clientReference,
    domain: '',
    status: 'cancelled' as const,
    handsOver: true,
    now,
  };
  await store.insertPush.run(db.knex, unseen);
  const push = await store.selectPush.one(db.knex, { clientReference });
  if (push.status === 'completed') return 'too_late';
  const end = { clientReference, status: 'cancelled' as const, reason: null, now };
  await store.updatePushEnded.run(db.knex, end);

  const known = await store.selectCommands.all(db.knex, { clientReference });
  const open = known.filter(({ outcome }) => outcome === null);
  if (open.some(({ busyUntil }) => busyUntil !== null && busyUntil > now)) {
    throw new Error('a command of the push may still be on its way to the registry');
  }
  const answered = (clTRID: string, outcome: store.CommandOutcome) =>
    store.updateCommandAnswered.run(db.knex, { clTRID, outcome, code: null, now: clock.now() });
  for (const { clTRID, step } of open) {
    if (step !== 'registrant') continue;
    const info = await client.findDomain(push.domain, question(signal));
    const isMade = info?.registrant === buyerHandle(clientReference);
    await answered(clTRID, isMade ? 'done' : 'not_made');
  }
  const commandsNow = await store.selectCommands.all(db.knex, { clientReference });
  const isDone = (step: store.PushStep) =>
    commandsNow.some((each) => each.step === step && each.outcome === 'done');
  if (isDone('registrant')) return 'too_late';
  if (!commandsNow.some(({ step }) => step === 'request') || isDone('cancel')) return 'cancelled';

  const transfer = await ourTransfer(scope, push.domain, signal);
  if (transfer?.status === 'pending') {
    const change = {
      ...changeOf(push, signal)('cancel'),
      ofOpenPush: false,
      duringLegalHold: true,
    };
    await commands
      .send(change, (name) => client.endTransfer('cancel', push.domain, name))
      // Answered in this very moment: there is nothing left to cancel.
      .catch(refusedOnly);
  }
  for (const { clTRID, step } of open) {
    if (step === 'request') await answered(clTRID, transfer ? 'done' : 'not_made');
  }
  return 'cancelled';
}

const changeOf =
  ({ clientReference, domain }: Push, signal: AbortSignal) =>
  (step: store.PushStep): Change => ({ clientReference, step, domain, ofOpenPush: true, signal });

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
  type TransferNews,
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

/** The dependencies of a registry adapter. */
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

/** The time limit for all commands of one adapter call, in response timeouts; less than a job's limit. */
const CALL_ANSWERS = 2.5;

const WRONG_AUTH_INFO: readonly number[] = [2201, 2202];
const NOT_NOW: readonly number[] = [2106, 2300, 2304];
const NOT_FOUND = 2303;

type Push = NonNullable<Awaited<ReturnType<typeof store.selectPush.first>>>;

/**
 * Creates our registrar at a registry. A domain in our account is pushed: one update makes the buyer its registrant and
 * sets a new authorization code. A domain elsewhere is first transferred to us with its authorization code, for which
 * the other registrar has several days.
 *
 * Each call checks the domain before doing anything, and each change is recorded before it is sent, so calls can be
 * interrupted and repeated: no change is sent twice without first checking whether it was made.
 */
export function createEppRegistrar(scope: EppRegistrarScope): Registrar {
  const { db, clock, client, config } = scope;
  const { knex } = db;
  const callMs = CALL_ANSWERS * config.eppAnswerMs;
  // When the call's time is up, its last command still waits for a response.
  const busyMs = callMs + config.eppAnswerMs;
  const commands = createRegistryCommands({ sql: knex, clock, busyMs });
  const within = <T>(work: (signal: AbortSignal) => Promise<T>) =>
    withAbort({ deadlineMs: callMs }, work);

  const proceed = (clientReference: string): Promise<PushState> =>
    within(async (signal) => {
      const push = await store.selectPush.first(knex, { clientReference });
      if (!push) return { status: 'failed', reason: 'unknown_reference' };
      if (push.status !== 'open') return endOf(push);
      const { found: isHeld } = await selectOnLegalHold.one(knex, push);
      if (isHeld) return heldBack(push);
      return advance({ ...scope, commands }, push, signal).catch(async (error: unknown) => {
        if (error instanceof OnLegalHold) return heldBack(push);
        if (!(error instanceof CommandNotWanted)) throw error;
        // Another process ended the push meanwhile, or already made this change.
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
      return proceed(clientReference);
    },
    proceed,
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
            // Either the document or its domain data is unreadable.
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
    readMessages: (limit, signal, news = NOBODY_TO_TELL) =>
      readRegistryMessages({ ...scope, commands, news }, { limit, signal }),
  };
}

const NOBODY_TO_TELL: TransferNews = { noticed: async () => true, taken: async () => false };

/** Returns the state of a push whose domain is on legal hold; it continues when the hold is lifted. */
function heldBack({ method }: Push): PushState {
  return { status: 'action_required', reason: LEGAL_HOLD, ...(method !== null && { method }) };
}

/** Returns the state of an ended push. */
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

/** Returns the locks that would prevent delivery of a domain at an instant, from its current data. */
async function locksOf(
  { transferRulesOf, clientId }: EppRegistrarScope,
  info: DomainInfo,
  instant: Date,
): Promise<TransferLocks> {
  return transferLocks(info, clientId, await transferRulesOf(info.name, instant), instant);
}

type Scope = EppRegistrarScope & { commands: RegistryCommands };

/** A domain as the registry showed it, and the instant after which it may have changed. */
interface Seen {
  info: DomainInfo;
  seenAt: Date;
}

/** Advances an open push as far as possible now. */
async function advance(scope: Scope, push: Push, signal: AbortSignal): Promise<PushState> {
  const seenAt = scope.clock.now();
  const info = await scope.client.findDomain(push.domain, question(signal));
  if (!info) return fail(scope, push, 'not_registered');
  const seen = { info, seenAt };
  if (info.clID === scope.clientId) return handOver(scope, push, seen, signal);
  return transferToUs(scope, push, seen, signal);
}

/** Makes the buyer the registrant of a domain in our account, unless the push only brings the domain to us. */
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
  // For commands whose response a dead process did not receive.
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

/** The TLD's registrant data cannot be sent: staff must register it by hand. */
const EXTRA_NOT_CARRIED = { status: 'action_required', reason: 'registrant_extra' } as const;

/** Requests the transfer of a domain elsewhere, or waits for it. */
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
    // The request was accepted and has ended, perhaps just after we read the domain.
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
  // The domain would be transferred to us but could not be handed over.
  if (registrant && !isCarried(domain, registrant)) return { ...EXTRA_NOT_CARRIED, method };
  const [fees] = await client.findFees([domain], 1, question(signal));
  // Nobody has agreed to pay the premium fee.
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
  // The push was canceled while the request was being sent.
  await cancelPush(scope, clientReference, signal);
  return endOf(latest);
}

/** Returns a domain's last transfer if we requested it. */
async function ourTransfer(
  { client, clientId }: Scope,
  domain: string,
  signal: AbortSignal,
): Promise<TransferInfo | undefined> {
  try {
    const transfer = await client.findTransfer(domain, question(signal));
    return transfer?.reID === clientId ? transfer : undefined;
  } catch (error) {
    // We may not see a transfer between other registrars.
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
 * Cancels a push, so that nothing more is sent for it, and cancels its transfer request. A domain that has already come
 * to us without being handed over stays with us, where it can be sold again.
 * @throws Error while a command may be in flight
 */
async function cancelPush(
  scope: Scope,
  clientReference: string,
  signal: AbortSignal,
): Promise<'cancelled' | 'too_late'> {
  const { client, clock, commands, db } = scope;
  const now = clock.now();
  // An unknown push is stored as canceled, so that a push request still in flight is refused.
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
      // The transfer ended at this moment: there is nothing left to cancel.
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

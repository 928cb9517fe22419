import pMap from 'p-map';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { EppClient } from '../epp/epp-client.ts';
import { EppRefused, refusedOnly } from '../epp/epp-errors.ts';
import type { DomainInfo, DsData, RestoreReport } from '../epp/epp-objects.ts';
import { RESULT_CODES } from '../epp/epp-result-codes.ts';
import { question } from '../epp/epp-send.ts';
import { makeAuthCode } from './auth-codes.ts';
import { buyerContact, buyerHandle, isBuyerHandle, placeContact } from './buyer-contact.ts';
import {
  forgetHoldStatuses,
  noteHoldStatuses,
  selectSettings,
  upsertSettings,
} from './epp-registrar.store.ts';
import { selectOnLegalHold } from './held-domain.store.ts';
import { premiumRefusal } from './premium-fees.ts';
import {
  BEING_RELEASED,
  type ChangeRequest,
  type DomainFacts,
  ON_LEGAL_HOLD,
  type Registrar,
} from './registrar.ts';
import { ChangeNotSent, OnLegalHold, type RegistryCommands } from './registry-commands.ts';

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

/** The statuses that prevent transfer, update and deletion (RFC 5731, section 2.3). */
const HOLD_STATUSES = [
  'clientTransferProhibited',
  'clientUpdateProhibited',
  'clientDeleteProhibited',
] as const;

/** Changes that do not update the domain object, so that update prohibitions do not affect them. */
const NO_UPDATES: readonly ChangeRequest['change']['kind'][] = ['renew', 'privacy', 'auto_renew'];

/** The number of domains queried concurrently; the process has fewer sessions. */
const AT_ONCE = 8;
/** The response for a domain that is not ours to change. */
export const NOT_IN_OUR_ACCOUNT = {
  status: 'refused',
  reason: 'The domain is not in our account at the registry.',
} as const;

/** The acknowledged fee does not match the registry's fee (RFC 8748, section 3.4). */
const WRONG_FEE = 2004;
const OBJECT_EXISTS = 2302;
const PRICE_CHANGED = {
  status: 'refused',
  reason: 'The registry’s price has changed. Request the new price, then confirm it.',
} as const;

/** Converts a permanent refusal to an answer for the owner. @throws any other error */
export function refusedByRegistry(error: unknown): { status: 'refused'; reason: string } {
  if (error instanceof OnLegalHold) return ON_LEGAL_HOLD;
  const { code } = refusedOnly(error);
  return { status: 'refused', reason: `The registry refused it: ${RESULT_CODES[code].text}.` };
}

/** Creates the part of the registrar that manages domains in our account. We handle automatic renewal ourselves. */
export function createEppDomains(scope: Scope): Pick<Registrar, 'inspect' | 'prices' | 'change'> {
  const { db, client, clientId, within } = scope;
  const isHeld = async (domain: string) => (await selectOnLegalHold.one(db.knex, { domain })).found;
  /** Returns whether the registry still has the statuses of a lifted hold, so that it would refuse every update. */
  const isBeingReleased = async ({ name, statuses }: DomainInfo) => {
    if (!statuses.includes('clientUpdateProhibited')) return false;
    const [settings] = await selectSettings.all(db.knex, { domains: [name] });
    return settings?.holdStatuses.includes('clientUpdateProhibited') ?? false;
  };
  const findOurs = async (
    client: EppClient,
    domain: string,
    signal: AbortSignal,
  ): Promise<DomainInfo | undefined> => {
    const info = await client.findDomain(domain, question(signal));
    return info?.clID === clientId ? info : undefined;
  };

  return {
    async inspect(domains) {
      // Read first, so that the registry's data is never older than the version that it gets.
      const settings = await selectSettings.all(db.knex, { domains });
      const found = await pMap(
        domains,
        (domain) => within((signal) => findOurs(client, domain, signal)),
        {
          concurrency: AT_ONCE,
        },
      );
      const byDomain = new Map(settings.map((each) => [each.domain, each]));
      return found.flatMap((info) => (info ? [factsOf(info, byDomain.get(info.name))] : []));
    },
    prices: (domains, years) =>
      within(async (signal) => {
        const find = (domain: string) => client.findFees([domain], years, question(signal));
        const found = await pMap(domains, find, { concurrency: AT_ONCE });
        return found.flat().map(({ name, ...prices }) => ({ domain: name, ...prices }));
      }),
    change: (request) =>
      within(async (signal) => {
        if (!request.duringLegalHold && (await isHeld(request.domain))) return ON_LEGAL_HOLD;
        const isUrgent = request.change.kind === 'legal_hold';
        const client = isUrgent ? scope.client.urgent() : scope.client;
        const find = (domain: string) => findOurs(client, domain, signal);
        const info = await find(request.domain);
        if (!info) return NOT_IN_OUR_ACCOUNT;
        const step = request.change.kind;
        const isUpdate = !request.duringLegalHold && !NO_UPDATES.includes(step);
        if (isUpdate && (await isBeingReleased(info))) return BEING_RELEASED;
        const { domain, clientReference } = request;
        if (!(await scope.commands.isDone({ clientReference, step }))) {
          try {
            await carryOut({ ...scope, client }, request, info, signal);
          } catch (error) {
            if (error instanceof ChangeNotSent) {
              return { status: 'refused', reason: error.message };
            }
            const isPriced = step === 'renew' || step === 'restore';
            const isWrongFee = error instanceof EppRefused && error.code === WRONG_FEE;
            if (isPriced && isWrongFee) return PRICE_CHANGED;
            return refusedByRegistry(error);
          }
        }
        const latest = await find(domain);
        if (!latest) return NOT_IN_OUR_ACCOUNT;
        return { status: 'done', facts: factsOf(latest, await noteChange(scope, request)) };
      }),
  };
}

/** The contact may be used by other domains, or may belong to somebody else. */
const NO_OWN_REGISTRANT =
  'We don’t know who this domain is registered for. Change its registrant on its page, then try again.';

/** Returns the contact that a sale created for the buyer of this one domain. @throws ChangeNotSent */
async function ownRegistrant(client: EppClient, { registrant }: DomainInfo, signal: AbortSignal) {
  if (registrant === null || !isBuyerHandle(registrant)) throw new ChangeNotSent(NO_OWN_REGISTRANT);
  const contact = await client.findContact(registrant, question(signal));
  if (!contact) throw new ChangeNotSent(NO_OWN_REGISTRANT);
  return contact;
}

/**
 * Returns the fee to acknowledge for a renewal or restore: for a premium name the fee that its owner agreed to, for
 * others the registry's current fee, so that it cannot change on the way. Undefined if the registry gives none.
 * @throws ChangeNotSent
 */
async function feeFor(
  client: EppClient,
  what: 'renew' | 'restore',
  { domain, years, acknowledgedFee }: { domain: string; years: number; acknowledgedFee?: Money },
  signal: AbortSignal,
): Promise<Money | undefined> {
  const [fees] = await client.findFees([domain], years, question(signal));
  const fee = fees?.[what] ?? undefined;
  if (!fees?.isPremium) return fee;
  const refusal = premiumRefusal({ kind: what, years, acknowledgedFee }, fee ?? null);
  if (refusal !== undefined) throw new ChangeNotSent(refusal);
  return fee;
}

/** Returns the report that a registry may require after a restore (RFC 3915, section 4.2.5). */
function restoreReport({ name, expiresAt }: DomainInfo, now: Date): RestoreReport {
  const data = `${name}, which expires ${expiresAt?.toISOString() ?? 'at an unknown time'}`;
  return {
    before: data,
    after: data,
    deletedAt: expiresAt ?? now,
    restoredAt: now,
    reason: 'The registrant asked for it.',
    statements: [
      'This registrar has not restored the name to assume the rights to use or sell it for itself or a third party.',
      'The information in this report is true to the best of this registrar’s knowledge.',
    ],
  };
}

const hasSigner = (signers: readonly DsData[], one: DsData): boolean =>
  signers.some(
    ({ keyTag, alg, digestType, digest }) =>
      keyTag === one.keyTag &&
      alg === one.alg &&
      digestType === one.digestType &&
      digest.toLowerCase() === one.digest.toLowerCase(),
  );

async function carryOut(
  { db, clock, config, client, commands }: Scope,
  { clientReference, domain, change, duringLegalHold = false }: ChangeRequest,
  info: DomainInfo,
  signal: AbortSignal,
): Promise<void> {
  const step = change.kind;
  const noted = { clientReference, step, domain, ofOpenPush: false, duringLegalHold, signal };
  switch (change.kind) {
    case 'nameservers': {
      const wanted = change.nameservers.map((host) => host.toLowerCase());
      const missing = wanted.filter((host) => !info.nameservers.includes(host));
      const surplus = info.nameservers.filter((host) => !wanted.includes(host));
      for (const [at, name] of missing.entries()) {
        if (await client.findHost(name, question(signal))) continue;
        const host = { ...noted, step: `host-${at}` };
        try {
          await commands.send(host, (command) => client.createHost({ name }, command));
        } catch (error) {
          // Another domain's change created the host meanwhile.
          if (refusedOnly(error).code !== OBJECT_EXISTS) throw error;
        }
      }
      if (missing.length + surplus.length === 0) return;
      const update = {
        name: domain,
        add: { nameservers: missing },
        remove: { nameservers: surplus },
      };
      await commands.send(noted, (command) => client.updateDomain(update, command));
      return;
    }
    case 'lock':
    case 'hold': {
      const status = change.kind === 'lock' ? 'clientTransferProhibited' : 'clientHold';
      if (info.statuses.includes(status) === change.enabled) return;
      const statuses = { statuses: [status] } as const;
      const update = { name: domain, [change.enabled ? 'add' : 'remove']: statuses };
      await commands.send(noted, (command) => client.updateDomain(update, command));
      return;
    }
    case 'signers': {
      const add = change.signers.filter((each) => !hasSigner(info.dsData, each));
      const remove = info.dsData.filter((each) => !hasSigner(change.signers, each));
      if (add.length + remove.length === 0) return;
      const update = { name: domain, dsData: { add, remove } };
      await commands.send(noted, (command) => client.updateDomain(update, command));
      return;
    }
    case 'renew': {
      const { years, acknowledgedFee } = change;
      if (!info.expiresAt) throw new Error('the registry does not say when the domain expires');
      // A repetition uses the expiry that the first attempt saw, so that it cannot renew twice.
      const expiresNow = info.expiresAt;
      const renewal = { ...noted, detail: expiresNow.toISOString() };
      await commands.send(renewal, async (command, detail) => {
        const expiresAt = new Date(detail ?? renewal.detail);
        // A change that was already made is only verified, whatever it costs now.
        const isMade = expiresNow > expiresAt;
        const asked = { domain, years, ...(acknowledgedFee && { acknowledgedFee }) };
        const fee = isMade ? undefined : await feeFor(client, 'renew', asked, signal);
        return client.renewDomain({ name: domain, years, expiresAt, fee }, command);
      });
      return;
    }
    case 'restore': {
      const request = { ...noted, step: 'restore-request' };
      const isOpen = (now: DomainInfo) => now.rgpStatuses.includes('pendingRestore');
      if (!(await commands.isDone(request))) {
        const isDeleted = info.rgpStatuses.includes('redemptionPeriod');
        // Without a required report, the domain is restored at once, and the response may have been lost.
        if (!isDeleted && !isOpen(info) && !(await commands.isUnanswered(request))) {
          throw new ChangeNotSent('The domain can no longer be restored.');
        }
        const { acknowledgedFee } = change;
        await commands.send(request, async (command) => {
          const asked = { domain, years: 1, ...(acknowledgedFee && { acknowledgedFee }) };
          // A change that was already made is only verified, whatever it costs now.
          const fee = isDeleted ? await feeFor(client, 'restore', asked, signal) : undefined;
          const update = { name: domain, restore: 'request', ...(fee && { fee }) } as const;
          return client.updateDomain(update, command);
        });
      }
      const latest = await client.findDomain(domain, question(signal));
      // Some registries require no report.
      if (!latest || !isOpen(latest)) return;
      const restore = restoreReport(latest, clock.now());
      await commands.send(noted, (command) =>
        client.updateDomain({ name: domain, restore }, command),
      );
      return;
    }
    case 'privacy': {
      const contact = await ownRegistrant(client, info, signal);
      const shown = !change.enabled;
      if (contact.shown === shown) return;
      const types = contact.postalInfo.map(({ type }) => type);
      const update = { id: contact.id, disclosure: { shown, types } };
      await commands.send(noted, (command) => client.updateContact(update, command));
      return;
    }
    case 'registrant': {
      // Registries restrict changes to a contact in use, so each registrant gets a new contact.
      const id = buyerHandle(clientReference);
      const authInfo = makeAuthCode(config.secretsKey, `${clientReference} contact`);
      const contact = buyerContact(id, { domain, registrant: change.registrant, authInfo });
      const { registrant: former } = info;
      const isOurs = former !== null && former !== id && isBuyerHandle(former);
      const own = isOurs ? await client.findContact(former, question(signal)) : undefined;
      const types = contact.postalInfo.map(({ type }) => type);
      const hidden = own?.shown === false && { disclosure: { shown: false, types } };
      const placing = { ...noted, step: 'contact' };
      await placeContact({ client, commands }, placing, { ...contact, ...hidden });
      if (former === id) return;
      const update = { name: domain, registrant: id };
      await commands.send(noted, (command) => client.updateDomain(update, command));
      if (!own) return;
      // No other domain uses it; if the registry keeps it, this domain is not affected.
      const deletion = { ...noted, step: 'former-contact' };
      await commands
        .send(deletion, (command) => client.deleteContact(own.id, command))
        .catch(refusedOnly);
      return;
    }
    case 'legal_hold': {
      if (change.enabled) {
        // A registry accepts no change to a domain with a pending transfer, and approves the transfer after some days.
        if (info.statuses.includes('pendingTransfer')) {
          await commands
            .send({ ...noted, step: 'reject' }, (command) =>
              client.endTransfer('reject', domain, command),
            )
            .catch(refusedOnly);
        }
        const added = HOLD_STATUSES.filter((status) => !info.statuses.includes(status));
        if (added.length === 0) return;
        await noteHoldStatuses.run(db.knex, { domain, statuses: added });
        const update = { name: domain, add: { statuses: added } };
        await commands.send(noted, (command) => client.updateDomain(update, command));
        return;
      }
      const [settings] = await selectSettings.all(db.knex, { domains: [domain] });
      const removed = HOLD_STATUSES.filter(
        (status) => info.statuses.includes(status) && settings?.holdStatuses.includes(status),
      );
      if (removed.length > 0) {
        const update = { name: domain, remove: { statuses: removed } };
        await commands.send(noted, (command) => client.updateDomain(update, command));
      }
      return;
    }
    case 'auto_renew':
      return;
  }
}

async function noteChange({ db }: Scope, { domain, change }: ChangeRequest) {
  if (change.kind === 'legal_hold' && !change.enabled) {
    await forgetHoldStatuses.run(db.knex, { domain });
  }
  return upsertSettings.one(db.knex, {
    domain,
    autoRenew: change.kind === 'auto_renew' ? change.enabled : null,
    privacy: change.kind === 'privacy' ? change.enabled : null,
  });
}

function factsOf(
  info: DomainInfo,
  settings: { autoRenew: boolean; privacy: boolean; version: number } | undefined,
): DomainFacts {
  if (!info.expiresAt) throw new Error('the registry does not say when the domain expires');
  return {
    domain: info.name,
    nameservers: info.nameservers,
    locked: info.statuses.includes('clientTransferProhibited'),
    autoRenew: settings?.autoRenew ?? false,
    privacy: settings?.privacy ?? false,
    held: info.statuses.includes('clientHold'),
    signers: info.dsData,
    registeredAt: info.createdAt,
    transferredAt: info.transferredAt,
    expiresAt: info.expiresAt,
    version: settings?.version ?? 1,
    ...graceOf(info),
  };
}

function graceOf({ rgpStatuses }: DomainInfo): Pick<DomainFacts, 'grace'> {
  if (rgpStatuses.includes('redemptionPeriod')) return { grace: 'redemption' };
  if (rgpStatuses.includes('pendingRestore')) return { grace: 'pending_restore' };
  return rgpStatuses.includes('pendingDelete') ? { grace: 'pending_delete' } : {};
}

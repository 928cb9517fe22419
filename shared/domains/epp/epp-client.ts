import { SECOND } from '../../platform/clock.ts';
import { randomBase62 } from '../../platform/ids.ts';
import * as commands from './epp-commands.ts';
import { EppRefused, EppUnanswered, EppUnreadable } from './epp-errors.ts';
import { CONTACT, DOMAIN, HOST } from './epp-namespaces.ts';
import type {
  Availability,
  ContactChange,
  ContactInfo,
  DomainInfo,
  DomainUpdate,
  EppHostAddress,
  HostChange,
  HostInfo,
  NewContact,
  NewDomain,
  PollMessage,
  TransferInfo,
} from './epp-objects.ts';
import {
  type EppResponse,
  readAvailability,
  readContactInfo,
  readDomainInfo,
  readExpiry,
  readHostInfo,
  readPollMessage,
  readTransferInfo,
} from './epp-responses.ts';
import { meaningOf } from './epp-result-codes.ts';
import { type EppSessions, refusal } from './epp-sessions.ts';
import { readUnreadableAnswer } from './epp-unreadable.ts';

/** Names one command, in our books and in the registry's. */
export interface CommandName {
  /** 3 to 64 characters; the same for every attempt at the same change. */
  clTRID: string;
  /** When this change was first meant to be made; what the registry did before is another matter. */
  since: Date;
  /** It may have been sent before, by a process that is gone: the registry is asked before it is sent. */
  resumed: boolean;
  signal: AbortSignal;
}

/** For what only asks. */
export type Question = Pick<CommandName, 'clTRID' | 'signal'>;

/** Names a command that only asks: it changes nothing, so nobody keeps its name. */
export function question(signal: AbortSignal): Question {
  return { clTRID: `ask-${randomBase62(24)}`, signal };
}

/**
 * A registry by its commands. Questions are repeated when no answer comes. A change is sent again only after the
 * registry was asked whether it was made, so that a connection cut at any moment makes it once.
 *
 * Each throws EppRefused when the registry says no, EppUnreachable when it could not be asked at all, and
 * EppUnanswered when a change was sent and nobody can say yet whether it was made.
 */
export interface EppClient {
  checkDomains(names: readonly string[], question: Question): Promise<Availability[]>;
  /** Undefined when the registry has no such domain. */
  findDomain(name: string, question: Question, authInfo?: string): Promise<DomainInfo | undefined>;
  /** The present transfer of a domain, or its last one; undefined when it never had one. */
  findTransfer(
    name: string,
    question: Question,
    authInfo?: string,
  ): Promise<TransferInfo | undefined>;
  createDomain(domain: NewDomain, name: CommandName): Promise<DomainInfo>;
  updateDomain(update: DomainUpdate, name: CommandName): Promise<DomainInfo>;
  /** Renews a domain that expires on the day of `expiresAt`; gives the new instant. */
  renewDomain(
    renewal: { name: string; expiresAt: Date; years: number },
    name: CommandName,
  ): Promise<Date | null>;
  deleteDomain(domain: string, name: CommandName): Promise<void>;
  requestTransfer(
    transfer: { domain: string; authInfo: string; years?: number },
    name: CommandName,
  ): Promise<TransferInfo>;
  /** Ends a transfer to us, or answers one of a domain of ours. */
  endTransfer(
    op: 'cancel' | 'approve' | 'reject',
    domain: string,
    name: CommandName,
  ): Promise<void>;
  findContact(id: string, question: Question): Promise<ContactInfo | undefined>;
  checkContacts(ids: readonly string[], question: Question): Promise<Availability[]>;
  createContact(contact: NewContact, name: CommandName): Promise<void>;
  updateContact(change: ContactChange, name: CommandName): Promise<void>;
  deleteContact(id: string, name: CommandName): Promise<void>;
  findHost(name: string, question: Question): Promise<HostInfo | undefined>;
  checkHosts(names: readonly string[], question: Question): Promise<Availability[]>;
  createHost(
    host: { name: string; addresses?: readonly EppHostAddress[] },
    name: CommandName,
  ): Promise<void>;
  updateHost(change: HostChange, name: CommandName): Promise<void>;
  deleteHost(host: string, name: CommandName): Promise<void>;
  /**
   * The oldest message of the queue; undefined when it is empty. A message that cannot be read is given, too, as far
   * as it goes, with its `fault`.
   */
  firstMessage(question: Question): Promise<PollMessage | undefined>;
  /** Takes a message off the queue; one that is gone already is no error. */
  acknowledge(messageId: string, question: Question): Promise<void>;
}

/** How often a command is tried while connections break. */
const ATTEMPTS = 3;
const NOT_AUTHORIZED = 2201;
const NOT_FOUND = 2303;
const NOT_PENDING_TRANSFER = 2301;

/** @param clientId our account, by which the registry names us */
export function createEppClient(sessions: EppSessions, clientId: string): EppClient {
  const send = async (
    command: commands.EppCommand,
    { clTRID, signal }: Question,
  ): Promise<EppResponse> => {
    const response = await sessions.send(command, clTRID, signal);
    const means = meaningOf(response.code);
    if (means === 'refused' || means === 'retry') throw refusal(response);
    return response;
  };

  const ask = async (command: commands.EppCommand, question: Question): Promise<EppResponse> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(command, question);
      } catch (error) {
        // Who answered in a way that nobody can read will answer so again.
        const isRepeatable = error instanceof EppUnanswered && !(error instanceof EppUnreadable);
        if (!isRepeatable || attempt >= ATTEMPTS) throw error;
      }
    }
  };

  /** @param made what the registry shows when the change was made, undefined when it was not */
  const carryOut = async <T>(
    command: commands.EppCommand,
    name: CommandName,
    read: (response: EppResponse) => T | Promise<T>,
    made: () => Promise<T | undefined>,
  ): Promise<T> => {
    let maySent = name.resumed;
    for (let attempt = 1; ; attempt += 1) {
      if (maySent) {
        const result = await made();
        if (result !== undefined) return result;
      }
      try {
        return await read(await send(command, name));
      } catch (error) {
        if (error instanceof EppRefused && maySent) {
          // What was sent first may have been carried out after we had asked.
          const result = await made();
          if (result !== undefined) return result;
        }
        const repeatable = error instanceof EppUnanswered || isSessionLimit(error);
        if (!repeatable || attempt >= ATTEMPTS) throw error;
        maySent = true;
      }
    }
  };

  const findDomain: EppClient['findDomain'] = (name, question, authInfo) =>
    unless([NOT_FOUND], async () =>
      readDomainInfo(await ask(commands.infoDomain(name, authInfo), question)),
    );
  const findTransfer: EppClient['findTransfer'] = (name, question, authInfo) =>
    unless([NOT_FOUND, NOT_PENDING_TRANSFER], async () =>
      readTransferInfo(await ask(commands.transferDomain('query', name, { authInfo }), question)),
    );
  const findContact: EppClient['findContact'] = (id, question) =>
    unless([NOT_FOUND], async () => readContactInfo(await ask(commands.infoContact(id), question)));
  const findHost: EppClient['findHost'] = (name, question) =>
    unless([NOT_FOUND], async () => readHostInfo(await ask(commands.infoHost(name), question)));

  const ours = <T extends { clID: string }>(object: T | undefined): T | undefined =>
    object?.clID === clientId ? object : undefined;
  const domainNow = async (name: string, question: Question): Promise<DomainInfo> => {
    const found = await findDomain(name, question);
    if (!found) throw new EppRefused(NOT_FOUND, 'the domain has gone', '');
    return found;
  };

  return {
    checkDomains: async (names, question) =>
      readAvailability(await ask(commands.checkDomains(names), question), DOMAIN),
    findDomain,
    findTransfer,
    createDomain: (domain, name) =>
      carryOut(
        commands.createDomain(domain),
        name,
        () => domainNow(domain.name, question(name.signal)),
        async () => ours(await findDomain(domain.name, question(name.signal))),
      ),
    updateDomain: (update, name) =>
      carryOut(
        commands.updateDomain(update),
        name,
        () => domainNow(update.name, question(name.signal)),
        async () => {
          const domain = await findDomain(update.name, question(name.signal));
          return domain && hasUpdate(domain, update) ? domain : undefined;
        },
      ),
    renewDomain: ({ name: domain, expiresAt, years }, name) =>
      carryOut(
        commands.renewDomain(domain, expiresAt.toISOString().slice(0, 10), years),
        name,
        readExpiry,
        async () => {
          const found = await findDomain(domain, question(name.signal));
          return found?.expiresAt && found.expiresAt > expiresAt ? found.expiresAt : undefined;
        },
      ),
    async deleteDomain(domain, name) {
      await carryOut(
        commands.deleteDomain(domain),
        name,
        () => true,
        async () => {
          const found = await findDomain(domain, question(name.signal));
          return !found || found.statuses.includes('pendingDelete') ? true : undefined;
        },
      );
    },
    requestTransfer: ({ domain, authInfo, years }, name) =>
      carryOut(
        commands.transferDomain('request', domain, { authInfo, years }),
        name,
        readTransferInfo,
        async () => {
          // A transfer of ours we may see without a code, which a completed one has changed.
          const transfer = await unless([NOT_AUTHORIZED], () =>
            findTransfer(domain, question(name.signal)),
          );
          return transfer?.reID === clientId &&
            (transfer.status === 'pending' || !isBefore(transfer.requestedAt, name.since))
            ? transfer
            : undefined;
        },
      ),
    async endTransfer(op, domain, name) {
      await carryOut(
        commands.transferDomain(op, domain),
        name,
        () => true,
        async () => {
          const transfer = await findTransfer(domain, question(name.signal));
          return transfer?.status === ENDED_BY[op] && !isBefore(transfer.actionAt, name.since)
            ? true
            : undefined;
        },
      );
    },
    findContact,
    checkContacts: async (ids, question) =>
      readAvailability(await ask(commands.checkContacts(ids), question), CONTACT),
    async createContact(contact, name) {
      await carryOut<unknown>(
        commands.createContact(contact),
        name,
        () => true,
        async () => ours(await findContact(contact.id, question(name.signal))),
      );
    },
    async updateContact(change, name) {
      await carryOut(
        commands.updateContact(change),
        name,
        () => true,
        async () => {
          const contact = await findContact(change.id, question(name.signal));
          return contact && hasContactChange(contact, change) ? true : undefined;
        },
      );
    },
    async deleteContact(id, name) {
      await carryOut(
        commands.deleteContact(id),
        name,
        () => true,
        async () => ((await findContact(id, question(name.signal))) ? undefined : true),
      );
    },
    findHost,
    checkHosts: async (names, question) =>
      readAvailability(await ask(commands.checkHosts(names), question), HOST),
    async createHost(host, name) {
      await carryOut<unknown>(
        commands.createHost(host.name, host.addresses),
        name,
        () => true,
        async () => ours(await findHost(host.name, question(name.signal))),
      );
    },
    async updateHost(change, name) {
      await carryOut(
        commands.updateHost(change),
        name,
        () => true,
        async () => {
          const host = await findHost(change.name, question(name.signal));
          return host && hasHostChange(host, change) ? true : undefined;
        },
      );
    },
    async deleteHost(host, name) {
      await carryOut(
        commands.deleteHost(host),
        name,
        () => true,
        async () => ((await findHost(host, question(name.signal))) ? undefined : true),
      );
    },
    async firstMessage(question) {
      try {
        return readPollMessage(await ask(commands.POLL_REQUEST, question));
      } catch (error) {
        if (error instanceof EppUnreadable) return readUnreadableAnswer(error);
        throw error;
      }
    },
    async acknowledge(messageId, question) {
      await unless([NOT_FOUND], () => ask(commands.pollAck(messageId), question));
    },
  };
}

const ENDED_BY = {
  cancel: 'clientCancelled',
  approve: 'clientApproved',
  reject: 'clientRejected',
} as const;

/** Registries tell instants in whole seconds. */
const isBefore = (at: Date | null, since: Date): boolean =>
  // Nobody knows that it was after.
  at === null || Math.floor(at.getTime() / SECOND) < Math.floor(since.getTime() / SECOND);

/** A registry that has too many sessions of ours may take the command on the next one. */
const isSessionLimit = (error: unknown): boolean =>
  error instanceof EppRefused && error.code === 2502;

/** What `work` gives; undefined when it is refused with one of these results. */
async function unless<T>(codes: readonly number[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EppRefused && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** Whether the domain looks as the update leaves it. What the registry does not show counts as not made. */
function hasUpdate(domain: DomainInfo, update: DomainUpdate): boolean {
  const { add = {}, remove = {}, registrant, authInfo, dsData, restore } = update;
  const has = (part: { type: string; id: string }) =>
    domain.contacts.some(({ type, id }) => type === part.type && id === part.id);
  const dsKey = ({ keyTag, digest }: { keyTag: number; digest: string }) =>
    `${keyTag} ${digest.toLowerCase()}`;
  const signers = domain.dsData.map(dsKey);
  return (
    (add.statuses ?? []).every((status) => domain.statuses.includes(status)) &&
    !(remove.statuses ?? []).some((status) => domain.statuses.includes(status)) &&
    (add.nameservers ?? []).every((host) => domain.nameservers.includes(host.toLowerCase())) &&
    !(remove.nameservers ?? []).some((host) => domain.nameservers.includes(host.toLowerCase())) &&
    (add.contacts ?? []).every(has) &&
    !(remove.contacts ?? []).some(has) &&
    (registrant === undefined || domain.registrant === registrant) &&
    (authInfo === undefined || domain.authInfo === authInfo) &&
    (dsData?.add ?? []).every((ds) => signers.includes(dsKey(ds))) &&
    (!dsData?.removeAll || signers.length === (dsData.add?.length ?? 0)) &&
    (!restore || domain.rgpStatuses.includes('pendingRestore'))
  );
}

/** Whether the contact is as the change leaves it; its authInfo and addresses are not compared, so it is sent again. */
function hasContactChange(contact: ContactInfo, change: ContactChange): boolean {
  return (
    change.postalInfo === undefined &&
    change.authInfo === undefined &&
    (change.email === undefined || contact.email === change.email) &&
    (change.voice === undefined || contact.voice === change.voice) &&
    (change.disclosure === undefined || contact.shown === change.disclosure.shown)
  );
}

/** Whether the host has the addresses that the change leaves it. */
function hasHostChange(host: HostInfo, { add = [], remove = [] }: HostChange): boolean {
  const has = ({ address }: EppHostAddress) =>
    host.addresses.some((each) => each.address === address);
  return add.every(has) && !remove.some(has);
}

import { SECOND } from '../../platform/clock.ts';
import type { Money } from '../../platform/money.ts';
import * as commands from './epp-commands.ts';
import { EppNotOffered, EppRefused, EppUnreadable } from './epp-errors.ts';
import { CONTACT, DOMAIN, FEE, HOST } from './epp-namespaces.ts';
import type {
  Availability,
  ContactChange,
  ContactInfo,
  DomainFees,
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
  readFees,
  readHostInfo,
  readPollMessage,
  readTransferInfo,
} from './epp-responses.ts';
import { ask, type CommandName, carryOut, type Question, question } from './epp-send.ts';
import type { EppSessions } from './epp-sessions.ts';
import { readUnreadableAnswer } from './epp-unreadable.ts';

const NOT_AUTHORIZED = 2201;
const INVALID_AUTH_INFO = 2202;
const NOT_FOUND = 2303;
const NOT_PENDING_TRANSFER = 2301;

/**
 * A client for a registry's commands. Queries are repeated when no response arrives. A change is sent again only after
 * the registry was asked whether it was made, so that a connection cut at any moment makes the change once.
 *
 * Each method throws EppRefused if the registry refuses, EppUnreachable if nothing could be sent, and EppUnanswered
 * if a change was sent but it is not known whether it was made.
 */
export class EppClient {
  readonly #sessions: Pick<EppSessions, 'send' | 'offers'>;
  readonly #clientId: string;

  /** @param clientId our account ID at the registry */
  constructor(sessions: Pick<EppSessions, 'send' | 'offers'>, clientId: string) {
    this.#sessions = sessions;
    this.#clientId = clientId;
  }

  /** Returns a client whose commands go ahead of the others waiting for a session. */
  urgent(): EppClient {
    const sessions = this.#sessions;
    return new EppClient(
      {
        send: (command, sending) => sessions.send(command, { ...sending, isUrgent: true }),
        offers: (namespace) => sessions.offers(namespace),
      },
      this.#clientId,
    );
  }

  async checkDomains(names: readonly string[], question: Question): Promise<Availability[]> {
    return readAvailability(await this.#ask(commands.checkDomains(names), question), DOMAIN);
  }

  /**
   * Returns the registry's fees for domains; an empty list if it does not support the fee extension.
   * @param years the term of a registration or renewal
   */
  async findFees(
    names: readonly string[],
    years: number,
    question: Question,
  ): Promise<DomainFees[]> {
    // The greeting lists the extensions, and it arrives with the first command.
    if (this.#sessions.offers(FEE) === undefined) await this.checkDomains(names, question);
    if (!this.#sessions.offers(FEE)) return [];
    return readFees(await this.#ask(commands.checkFees(names, years), question));
  }

  /** Returns a domain; undefined if the registry does not have it. */
  findDomain(name: string, question: Question, authInfo?: string): Promise<DomainInfo | undefined> {
    return unless([NOT_FOUND], async () =>
      readDomainInfo(await this.#ask(commands.infoDomain(name, authInfo), question)),
    );
  }

  /** Returns whether a domain has this authorization code. Registries that do not verify the holder's code show it. */
  async hasAuthInfo(name: string, authInfo: string, question: Question): Promise<boolean> {
    const find = () => this.findDomain(name, question, authInfo);
    const domain = await unless([INVALID_AUTH_INFO], find);
    return domain !== undefined && (domain.authInfo ?? authInfo) === authInfo;
  }

  createDomain(domain: NewDomain, name: CommandName): Promise<DomainInfo> {
    return carryOut(this.#sessions, commands.createDomain(domain), name, {
      read: (_response, question) => this.#domainNow(domain.name, question),
      made: async (question) => this.#ours(await this.findDomain(domain.name, question)),
    });
  }

  updateDomain(update: DomainUpdate, name: CommandName): Promise<DomainInfo> {
    return carryOut(this.#sessions, commands.updateDomain(update), name, {
      read: (_response, question) => this.#domainNow(update.name, question),
      made: async (question) => {
        // A registry that does not return the code says whether a given one is right (RFC 9154, section 5.3).
        const code = update.authInfo ?? undefined;
        const find = () => this.findDomain(update.name, question, code);
        const domain = await unless([INVALID_AUTH_INFO], find);
        return domain && hasUpdate(domain, update) ? domain : undefined;
      },
    });
  }

  /** Renews a domain that expires on the day of `expiresAt`, for exactly `fee` if given; returns the new expiry. */
  renewDomain(
    {
      name: domain,
      expiresAt,
      years,
      fee,
    }: { name: string; expiresAt: Date; years: number; fee?: Money | undefined },
    name: CommandName,
  ): Promise<Date | null> {
    const expiresOn = expiresAt.toISOString().slice(0, 10);
    return carryOut(this.#sessions, commands.renewDomain(domain, { expiresOn, years, fee }), name, {
      read: readExpiry,
      made: async (question) => {
        const found = await this.findDomain(domain, question);
        return found?.expiresAt && found.expiresAt > expiresAt ? found.expiresAt : undefined;
      },
    });
  }

  deleteDomain(domain: string, name: CommandName): Promise<void> {
    return this.#change(commands.deleteDomain(domain), name, async (question) => {
      const found = await this.findDomain(domain, question);
      return !found || found.statuses.includes('pendingDelete');
    });
  }

  /** Returns a domain's current transfer, or its last one; undefined if it never had one. */
  findTransfer(
    domain: string,
    question: Question,
    authInfo?: string,
  ): Promise<TransferInfo | undefined> {
    const command = commands.transferDomain('query', domain, { authInfo });
    return unless([NOT_FOUND, NOT_PENDING_TRANSFER], async () =>
      readTransferInfo(await this.#ask(command, question)),
    );
  }

  requestTransfer(
    {
      domain,
      ...options
    }: { domain: string; authInfo: string; years?: number; fee?: Money | undefined },
    name: CommandName,
  ): Promise<TransferInfo> {
    const command = commands.transferDomain('request', domain, options);
    return carryOut(this.#sessions, command, name, {
      read: readTransferInfo,
      made: async (question) => {
        // We may query our own transfer without a code; a completed transfer has changed the code.
        const find = () => this.findTransfer(domain, question);
        const transfer = await unless([NOT_AUTHORIZED], find);
        if (transfer?.reID !== this.#clientId) return undefined;
        const isNew = transfer.status === 'pending' || !isBefore(transfer.requestedAt, name.since);
        return isNew ? transfer : undefined;
      },
    });
  }

  /** Cancels a transfer to us, or approves or rejects a transfer of one of our domains. */
  endTransfer(op: keyof typeof ENDED_BY, domain: string, name: CommandName): Promise<void> {
    return this.#change(commands.transferDomain(op, domain), name, async (question) => {
      const transfer = await this.findTransfer(domain, question);
      return transfer?.status === ENDED_BY[op] && !isBefore(transfer.actionAt, name.since);
    });
  }

  async checkContacts(ids: readonly string[], question: Question): Promise<Availability[]> {
    return readAvailability(await this.#ask(commands.checkContacts(ids), question), CONTACT);
  }

  findContact(id: string, question: Question): Promise<ContactInfo | undefined> {
    return unless([NOT_FOUND], async () =>
      readContactInfo(await this.#ask(commands.infoContact(id), question)),
    );
  }

  /** Creates a contact with its first extension that the registry offers. @throws EppNotOffered if it offers none */
  async createContact(contact: NewContact, name: CommandName): Promise<void> {
    const { extensions = [] } = contact;
    const [first] = extensions;
    if (first && this.#sessions.offers(first.namespace) === undefined) {
      await this.checkContacts([contact.id], question(name.signal));
    }
    const extension = extensions.find(({ namespace }) => this.#sessions.offers(namespace));
    if (first && !extension) throw new EppNotOffered(extensions.map(({ namespace }) => namespace));
    return this.#change(commands.createContact(contact, extension), name, async (question) =>
      Boolean(this.#ours(await this.findContact(contact.id, question))),
    );
  }

  updateContact(change: ContactChange, name: CommandName): Promise<void> {
    return this.#change(commands.updateContact(change), name, async (question) => {
      const contact = await this.findContact(change.id, question);
      return contact !== undefined && hasContactChange(contact, change);
    });
  }

  deleteContact(id: string, name: CommandName): Promise<void> {
    return this.#change(
      commands.deleteContact(id),
      name,
      async (question) => !(await this.findContact(id, question)),
    );
  }

  async checkHosts(names: readonly string[], question: Question): Promise<Availability[]> {
    return readAvailability(await this.#ask(commands.checkHosts(names), question), HOST);
  }

  findHost(name: string, question: Question): Promise<HostInfo | undefined> {
    return unless([NOT_FOUND], async () =>
      readHostInfo(await this.#ask(commands.infoHost(name), question)),
    );
  }

  createHost(
    host: { name: string; addresses?: readonly EppHostAddress[] },
    name: CommandName,
  ): Promise<void> {
    const command = commands.createHost(host.name, host.addresses);
    return this.#change(command, name, async (question) =>
      Boolean(this.#ours(await this.findHost(host.name, question))),
    );
  }

  updateHost(change: HostChange, name: CommandName): Promise<void> {
    return this.#change(commands.updateHost(change), name, async (question) => {
      const host = await this.findHost(change.name, question);
      return host !== undefined && hasHostChange(host, change);
    });
  }

  deleteHost(host: string, name: CommandName): Promise<void> {
    return this.#change(
      commands.deleteHost(host),
      name,
      async (question) => !(await this.findHost(host, question)),
    );
  }

  /**
   * Returns the oldest message of the queue; undefined if the queue is empty. Returns an unreadable message too, as far
   * as it can be read, with its `fault`.
   */
  async firstMessage(question: Question): Promise<PollMessage | undefined> {
    try {
      return readPollMessage(await this.#ask(commands.POLL_REQUEST, question));
    } catch (error) {
      if (error instanceof EppUnreadable) return readUnreadableAnswer(error);
      throw error;
    }
  }

  /** Removes a message from the queue; no error if it is already gone. */
  async acknowledge(messageId: string, question: Question): Promise<void> {
    await unless([NOT_FOUND], () => this.#ask(commands.pollAck(messageId), question));
  }

  #ask(command: commands.EppCommand, question: Question): Promise<EppResponse> {
    return ask(this.#sessions, command, question);
  }

  /** Sends a change whose response carries no data. */
  async #change(
    command: commands.EppCommand,
    name: CommandName,
    isMade: (question: Question) => Promise<boolean>,
  ): Promise<void> {
    await carryOut(this.#sessions, command, name, {
      read: () => true,
      made: async (question) => (await isMade(question)) || undefined,
    });
  }

  #ours<T extends { clID: string }>(object: T | undefined): T | undefined {
    return object?.clID === this.#clientId ? object : undefined;
  }

  async #domainNow(name: string, question: Question): Promise<DomainInfo> {
    const found = await this.findDomain(name, question);
    if (!found) throw new EppRefused(NOT_FOUND, 'the domain has gone', '');
    return found;
  }
}

const ENDED_BY = {
  cancel: 'clientCancelled',
  approve: 'clientApproved',
  reject: 'clientRejected',
} as const;

/** Compares in whole seconds, the precision of registries. */
const isBefore = (at: Date | null, since: Date): boolean =>
  // Without an instant, it cannot be shown to be later.
  at === null || Math.floor(at.getTime() / SECOND) < Math.floor(since.getTime() / SECOND);

/** Returns the result of `work`; undefined if it is refused with one of these result codes. */
async function unless<T>(codes: readonly number[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EppRefused && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** Returns whether the domain shows the update. Parts that the registry does not show count as not made. */
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
    // Not every registry shows that a code was removed; removing it twice does no harm.
    authInfo !== null &&
    (authInfo === undefined || (domain.authInfo ?? authInfo) === authInfo) &&
    (dsData?.add ?? []).every((ds) => signers.includes(dsKey(ds))) &&
    !(dsData?.remove ?? []).some((ds) => signers.includes(dsKey(ds))) &&
    (!dsData?.removeAll || signers.length === (dsData.add?.length ?? 0)) &&
    (!restore || isRestoreMade(domain, restore))
  );
}

/** Returns whether the contact shows the change. authInfo and addresses are not compared, so those are sent again. */
function hasContactChange(contact: ContactInfo, change: ContactChange): boolean {
  return (
    change.postalInfo === undefined &&
    change.authInfo === undefined &&
    (change.email === undefined || contact.email === change.email) &&
    (change.voice === undefined || contact.voice === change.voice) &&
    (change.disclosure === undefined || contact.shown === change.disclosure.shown)
  );
}

/** Returns whether the host shows the changed addresses. */
function hasHostChange(host: HostInfo, { add = [], remove = [] }: HostChange): boolean {
  const has = ({ address }: EppHostAddress) =>
    host.addresses.some((each) => each.address === address);
  return add.every(has) && !remove.some(has);
}

/** Returns whether a restore was made. Without a required report, a request restores the domain at once. */
function isRestoreMade(
  { rgpStatuses, statuses }: DomainInfo,
  restore: NonNullable<DomainUpdate['restore']>,
): boolean {
  const isOpen = rgpStatuses.includes('pendingRestore');
  if (restore !== 'request') return !isOpen;
  const isDeleted =
    rgpStatuses.includes('redemptionPeriod') ||
    rgpStatuses.includes('pendingDelete') ||
    statuses.includes('pendingDelete');
  return isOpen || !isDeleted;
}

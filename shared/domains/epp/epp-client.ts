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
 * A registry by its commands. Questions are repeated when no answer comes. A change is sent again only after the
 * registry was asked whether it was made, so that a connection cut at any moment makes it once.
 *
 * Each throws EppRefused when the registry says no, EppUnreachable when it could not be asked at all, and
 * EppUnanswered when a change was sent and nobody can say yet whether it was made.
 */
export class EppClient {
  readonly #sessions: Pick<EppSessions, 'send' | 'offers'>;
  readonly #clientId: string;

  /** @param clientId our account, by which the registry names us */
  constructor(sessions: Pick<EppSessions, 'send' | 'offers'>, clientId: string) {
    this.#sessions = sessions;
    this.#clientId = clientId;
  }

  /** The same registry for what cannot wait: its commands go ahead of those that wait for a session. */
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
   * What the registry charges for domains; none when it has nothing to say about fees.
   * @param years of a registration or renewal
   */
  async findFees(
    names: readonly string[],
    years: number,
    question: Question,
  ): Promise<DomainFees[]> {
    // The greeting says it, which comes with the first command.
    if (this.#sessions.offers(FEE) === undefined) await this.checkDomains(names, question);
    if (!this.#sessions.offers(FEE)) return [];
    return readFees(await this.#ask(commands.checkFees(names, years), question));
  }

  /** Undefined when the registry has no such domain. */
  findDomain(name: string, question: Question, authInfo?: string): Promise<DomainInfo | undefined> {
    return unless([NOT_FOUND], async () =>
      readDomainInfo(await this.#ask(commands.infoDomain(name, authInfo), question)),
    );
  }

  /** Whether a domain has this authorization code; a registry that does not check the codes of holders shows them. */
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
        // A registry that shows no code says whether one is right (RFC 9154, section 5.3).
        const code = update.authInfo ?? undefined;
        const find = () => this.findDomain(update.name, question, code);
        const domain = await unless([INVALID_AUTH_INFO], find);
        return domain && hasUpdate(domain, update) ? domain : undefined;
      },
    });
  }

  /** Renews a domain that expires on the day of `expiresAt`, for no other fee than `fee`; gives the new instant. */
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

  /** The present transfer of a domain, or its last one; undefined when it never had one. */
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
        // A transfer of ours we may see without a code, which a completed one has changed.
        const find = () => this.findTransfer(domain, question);
        const transfer = await unless([NOT_AUTHORIZED], find);
        if (transfer?.reID !== this.#clientId) return undefined;
        const isNew = transfer.status === 'pending' || !isBefore(transfer.requestedAt, name.since);
        return isNew ? transfer : undefined;
      },
    });
  }

  /** Ends a transfer to us, or answers one of a domain of ours. */
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

  /** With the first of its extensions that the registry offers. @throws EppNotOffered when it offers none of them */
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
   * The oldest message of the queue; undefined when it is empty. A message that cannot be read is given, too, as far
   * as it goes, with its `fault`.
   */
  async firstMessage(question: Question): Promise<PollMessage | undefined> {
    try {
      return readPollMessage(await this.#ask(commands.POLL_REQUEST, question));
    } catch (error) {
      if (error instanceof EppUnreadable) return readUnreadableAnswer(error);
      throw error;
    }
  }

  /** Takes a message off the queue; one that is gone already is no error. */
  async acknowledge(messageId: string, question: Question): Promise<void> {
    await unless([NOT_FOUND], () => this.#ask(commands.pollAck(messageId), question));
  }

  #ask(command: commands.EppCommand, question: Question): Promise<EppResponse> {
    return ask(this.#sessions, command, question);
  }

  /** A change whose answer says no more than that it was made. */
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

/** Registries tell instants in whole seconds. */
const isBefore = (at: Date | null, since: Date): boolean =>
  // Nobody knows that it was after.
  at === null || Math.floor(at.getTime() / SECOND) < Math.floor(since.getTime() / SECOND);

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
    // That a code is gone is not always shown; taking it away twice does no harm.
    authInfo !== null &&
    (authInfo === undefined || (domain.authInfo ?? authInfo) === authInfo) &&
    (dsData?.add ?? []).every((ds) => signers.includes(dsKey(ds))) &&
    !(dsData?.remove ?? []).some((ds) => signers.includes(dsKey(ds))) &&
    (!dsData?.removeAll || signers.length === (dsData.add?.length ?? 0)) &&
    (!restore || isRestoreMade(domain, restore))
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

/** A request is made, too, where the registry asks for no report and the domain is back at once. */
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

import {
  CONTACT,
  DOMAIN,
  EPP,
  HOST,
  LOGIN_SECURITY,
  OBJECTS,
} from '../shared/domains/epp/epp-namespaces.ts';
import type { ResultCode } from '../shared/domains/epp/epp-result-codes.ts';
import {
  childOf,
  findChild,
  textOf,
  textsOf,
  type XmlElement,
  xml,
} from '../shared/domains/epp/epp-xml.ts';
import { type Clock, DAY } from '../shared/platform/clock.ts';
import { registerMadeUp } from './made-up-domains.ts';
import { greeting, responseDocument } from './registry-answers.ts';
import * as contacts from './registry-contacts.ts';
import * as domains from './registry-domains.ts';
import * as hosts from './registry-hosts.ts';
import type { RegistryState } from './registry-objects.ts';
import {
  extensionsOffered,
  nextNumber,
  Refusal,
  type RegistryContext,
  type RegistryPolicy,
  type Result,
  settleTransfers,
} from './registry-rules.ts';

/** The registry without its network protocol: its state, and the commands that change it. */
export interface Registry {
  greeting(): XmlElement;
  /** Opens the session of one connection. */
  openSession(): RegistrySession;
  readonly state: RegistryState;
}

type Handler = (
  context: RegistryContext,
  object: XmlElement,
  extension: XmlElement | undefined,
  op: string | undefined,
) => Result;

/** The handlers of the commands, by the namespace of the object and the verb. */
const HANDLERS: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  [DOMAIN]: {
    check: domains.checkDomains,
    info: domains.infoDomain,
    create: domains.createDomain,
    update: domains.updateDomain,
    renew: domains.renewDomain,
    delete: domains.deleteDomain,
    transfer: domains.transferDomain,
  },
  [CONTACT]: {
    check: contacts.checkContacts,
    info: contacts.infoContact,
    create: contacts.createContact,
    update: contacts.updateContact,
    delete: contacts.deleteContact,
  },
  [HOST]: {
    check: hosts.checkHosts,
    info: hosts.infoHost,
    create: hosts.createHost,
    update: hosts.updateHost,
    delete: hosts.deleteHost,
  },
};

const WRONG_LOGINS = 3;
/** Replaces a password that is sent in the extension (RFC 8807, section 3.1). */
const IN_EXTENSION = '[LOGIN-SECURITY]';
const PASSWORD_WARNING_MS = 30 * DAY;

/** Returns a command's verb, with the operation of a transfer or poll: `create`, `transfer request`, `poll ack`. */
export function verbOf(command: XmlElement): string {
  const verb = command.children[0];
  const op = verb?.attributes.op;
  return op === undefined ? (verb?.name ?? '') : `${verb?.name} ${op}`;
}

/** A command that changed something; null for a change by the registry itself. */
export type RegistryChange = { clTRID: string | null; command: string } | null;

interface RegistryOptions {
  state: RegistryState;
  policy: RegistryPolicy;
  clock: Clock;
  /** Called after each change, before the response to the command. */
  changed?: (change: RegistryChange) => void;
}

export function createRegistry(options: RegistryOptions): Registry {
  const { state, policy, clock } = options;
  return {
    state,
    greeting: () => greeting(clock.now(), extensionsOffered(policy)),
    openSession: () => new RegistrySession(options),
  };
}

export class RegistrySession {
  readonly #options: RegistryOptions;
  #account: string | null = null;
  #services: readonly string[] = [];
  #wrongLogins = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** The account that is logged in; null before login. */
  get account(): string | null {
    return this.#account;
  }

  /** Carries out a command; `ends` tells whether to close the connection after the response. */
  answer(command: XmlElement): { document: XmlElement; ends: boolean } {
    const { changed = () => {} } = this.#options;
    if (settleTransfers(this.#options)) changed(null);
    try {
      const result = this.#carryOut(command);
      if (isChange(command)) {
        changed({ clTRID: textOf(command, 'clTRID'), command: verbOf(command) });
      }
      return { document: this.#respond(command, result), ends: result.code === 1500 };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const document = this.#respond(command, { code: error.code }, error.message);
      return { document, ends: error.code >= 2500 };
    }
  }

  /** Builds a response without doing anything, for unreadable documents and for faults. */
  refuse(code: ResultCode, command?: XmlElement): XmlElement {
    return this.#respond(command, { code });
  }

  #respond(command: XmlElement | undefined, result: Result, reason?: string): XmlElement {
    const svTRID = `DEMO-${nextNumber(this.#options.state)}`;
    const services = this.#services;
    return responseDocument(result, {
      reason,
      clTRID: textOf(command, 'clTRID'),
      svTRID,
      services,
    });
  }

  #carryOut(command: XmlElement): Result {
    const { state, policy, clock } = this.#options;
    const verb = command.children[0];
    if (!verb) throw new Refusal(2001, 'no command');
    const extension = childOf(command, 'extension');
    if (verb.name === 'login') return this.#logIn(verb, extension);
    if (this.#account === null) throw new Refusal(2002, 'log in first');
    if (verb.name === 'logout') return { code: 1500 };
    const context = { state, policy, clock, account: this.#account, services: this.#services };
    if (verb.name === 'poll') return poll(context, verb);
    const object = verb.children[0];
    const handlers = HANDLERS[object?.namespace ?? ''];
    if (!object || !handlers) throw new Refusal(2307, 'unknown kind of object');
    if (policy.madeUpDomains && object.namespace === DOMAIN && verb.name !== 'create') {
      for (const name of textsOf(object, 'name')) registerMadeUp(context, name.toLowerCase());
    }
    const handle = handlers[verb.name];
    if (!handle) throw new Refusal(2101, `${verb.name} is not implemented for it`);
    const strange = extension?.children.find(
      ({ namespace }) => !this.#services.includes(namespace),
    );
    if (strange) throw new Refusal(2103, `${strange.namespace} is not in the login services`);
    return handle(context, object, extension, verb.attributes.op);
  }

  #logIn(login: XmlElement, extension: XmlElement | undefined): Result {
    const { state, policy, clock } = this.#options;
    const { accounts } = state;
    if (this.#account !== null) throw new Refusal(2002, 'already logged in');
    const options = childOf(login, 'options');
    if (textOf(options, 'version') !== '1.0') throw new Refusal(2100, 'version 1.0 only');
    if (textOf(options, 'lang') !== 'en') throw new Refusal(2102, 'English only');
    const wanted = textsOf(childOf(login, 'svcs'), 'objURI');
    const extensions = textsOf(childOf(childOf(login, 'svcs'), 'svcExtension'), 'extURI');
    const unknown = wanted.filter((uri) => !(OBJECTS as readonly string[]).includes(uri));
    if (unknown.length > 0) throw new Refusal(2307, unknown.join(', '));
    const offered = extensionsOffered(policy);
    const strange = extensions.filter((uri) => !offered.includes(uri));
    if (strange.length > 0) throw new Refusal(2103, strange.join(', '));
    const security = findChild(extension, LOGIN_SECURITY, 'loginSec');
    const passwordOf = (tag: 'pw' | 'newPW') => {
      const given = textOf(login, tag);
      return given === IN_EXTENSION ? textOf(security, tag) : given;
    };
    const id = textOf(login, 'clID') ?? '';
    const known = Object.hasOwn(accounts, id) ? accounts[id] : undefined;
    if (known === undefined || known.password !== passwordOf('pw')) {
      this.#wrongLogins += 1;
      throw new Refusal(
        this.#wrongLogins < WRONG_LOGINS ? 2200 : 2501,
        'wrong account or password',
      );
    }
    const newPassword = passwordOf('newPW');
    if (newPassword !== null) {
      known.password = newPassword;
      delete known.passwordExpiresAt;
    }
    this.#account = id;
    this.#services = [...wanted, ...extensions];
    const { passwordExpiresAt } = known;
    const isLate =
      passwordExpiresAt !== undefined &&
      Date.parse(passwordExpiresAt) - clock.now().getTime() < PASSWORD_WARNING_MS;
    return {
      code: 1000,
      extensions: [isLate && security ? passwordEnds(passwordExpiresAt) : undefined],
    };
  }
}

const passwordEnds = (exDate: string) =>
  xml(LOGIN_SECURITY, 'loginSecData', [
    xml(LOGIN_SECURITY, 'event', 'The password expires soon.', {
      type: 'password',
      level: 'warning',
      exDate,
    }),
  ]);

/** Returns the oldest message of the account's queue, or acknowledges one. */
function poll({ state, account }: RegistryContext, command: XmlElement): Result {
  const queue = state.queues[account] ?? [];
  if (command.attributes.op === 'ack') {
    const id = command.attributes.msgID;
    if (id === undefined) throw new Refusal(2003, 'msgID is missing');
    const at = queue.findIndex((message) => message.id === id);
    if (at < 0) throw new Refusal(2303, `message ${id} is not in the queue`);
    queue.splice(at, 1);
    return { code: 1000, messages: { count: queue.length, id, shown: null } };
  }
  const [first] = queue;
  if (!first) return { code: 1300 };
  const { transfer, data, extension } = first;
  return {
    code: 1301,
    messages: { count: queue.length, id: first.id, shown: first },
    data: transfer ? domains.transferData(transfer.name, transfer.at) : data,
    extensions: [extension],
  };
}

const READING = ['check', 'info', 'transfer query', 'poll req', 'logout'];

function isChange(command: XmlElement): boolean {
  const verb = verbOf(command);
  const setsPassword = findChild(command.children[0], EPP, 'newPW') !== undefined;
  return verb === 'login' ? setsPassword : !READING.includes(verb);
}

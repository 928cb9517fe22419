import { decimalAmount, type Money } from '../../platform/money.ts';
import {
  CONTACT,
  CONTACT_EXTENSIONS,
  DOMAIN,
  EPP,
  EXTENSIONS,
  FEE,
  HOST,
  LOGIN_SECURITY,
  OBJECTS,
  RGP,
  SEC_DNS,
} from './epp-namespaces.ts';
import type {
  ContactChange,
  DomainContact,
  DomainParts,
  DomainUpdate,
  DsData,
  EppHostAddress,
  HostChange,
  NewContact,
  NewDomain,
  PostalInfo,
} from './epp-objects.ts';
import { type XmlElement, xml } from './epp-xml.ts';

// The documents that a client sends. The elements follow the order of the schemas.

/** Requests the greeting; also keeps an idle session open. */
export const HELLO: XmlElement = xml(EPP, 'epp', [xml(EPP, 'hello')]);

/** A command with its verb, before it gets a clTRID. */
export interface EppCommand {
  readonly verb: XmlElement;
  readonly extensions?: readonly XmlElement[] | undefined;
}

/** Returns the document of a command. @param clTRID our unique ID for this command, 3 to 64 characters */
export function commandDocument({ verb, extensions = [] }: EppCommand, clTRID: string): XmlElement {
  return xml(EPP, 'epp', [
    xml(EPP, 'command', [
      verb,
      extensions.length > 0 ? xml(EPP, 'extension', extensions) : undefined,
      xml(EPP, 'clTRID', clTRID),
    ]),
  ]);
}

/** Replaces a password that is too long for RFC 5730 (RFC 8807, section 3.1). */
const IN_EXTENSION = '[LOGIN-SECURITY]';
/** Maximum password length in characters (RFC 5730, `pwType`). */
const MAX_PASSWORD = 16;

/** The client software, reported to registries that support it (RFC 8807, section 3.2). */
export interface UserAgent {
  app: string;
  tech: string;
  os: string;
}

/** Returns the objects and extensions of a greeting that we support. */
export function understood(offered: { objects: readonly string[]; extensions: readonly string[] }) {
  const ours: readonly string[] = [...OBJECTS, ...EXTENSIONS, ...CONTACT_EXTENSIONS];
  const of = (uris: readonly string[]) => ours.filter((uri) => uris.includes(uri));
  return { objects: of(offered.objects), extensions: of(offered.extensions) };
}

/** Logs in with the offered objects and extensions that we support. */
export function login(options: {
  clientId: string;
  password: string;
  /** Replaces the password from the next session on. */
  newPassword?: string | undefined;
  userAgent: UserAgent;
  offered: { objects: readonly string[]; extensions: readonly string[] };
}): EppCommand {
  const { clientId, password, newPassword, userAgent } = options;
  const { objects, extensions } = understood(options.offered);
  const isSecure = extensions.includes(LOGIN_SECURITY);
  const isLong = (text: string | undefined) => isSecure && (text ?? '').length > MAX_PASSWORD;
  const security = xml(LOGIN_SECURITY, 'loginSec', [
    xml(LOGIN_SECURITY, 'userAgent', [
      xml(LOGIN_SECURITY, 'app', userAgent.app),
      xml(LOGIN_SECURITY, 'tech', userAgent.tech),
      xml(LOGIN_SECURITY, 'os', userAgent.os),
    ]),
    isLong(password) ? xml(LOGIN_SECURITY, 'pw', password) : undefined,
    isLong(newPassword) ? optional(LOGIN_SECURITY, 'newPW', newPassword) : undefined,
  ]);
  return {
    ...(isSecure && { extensions: [security] }),
    verb: xml(EPP, 'login', [
      xml(EPP, 'clID', clientId),
      xml(EPP, 'pw', isLong(password) ? IN_EXTENSION : password),
      optional(EPP, 'newPW', isLong(newPassword) ? IN_EXTENSION : newPassword),
      xml(EPP, 'options', [xml(EPP, 'version', '1.0'), xml(EPP, 'lang', 'en')]),
      xml(EPP, 'svcs', [
        ...objects.map((uri) => xml(EPP, 'objURI', uri)),
        extensions.length > 0
          ? xml(
              EPP,
              'svcExtension',
              extensions.map((uri) => xml(EPP, 'extURI', uri)),
            )
          : undefined,
      ]),
    ]),
  };
}

/** Logs out. */
export const LOGOUT: EppCommand = { verb: xml(EPP, 'logout') };

/** Requests the oldest message of the queue. */
export const POLL_REQUEST: EppCommand = { verb: xml(EPP, 'poll', [], { op: 'req' }) };

/** Removes a message from the queue. */
export function pollAck(messageId: string): EppCommand {
  return { verb: xml(EPP, 'poll', [], { op: 'ack', msgID: messageId }) };
}

/** Checks whether domains can be registered. */
export function checkDomains(names: readonly string[]): EppCommand {
  return about('check', DOMAIN, namesOf(DOMAIN, names));
}

/** Requests the registry's fees for domains (RFC 8748). @param years the term of a registration or renewal */
export function checkFees(names: readonly string[], years: number): EppCommand {
  const terms = ['create', 'renew'].map((name) =>
    xml(FEE, 'command', [feePeriod(years)], { name }),
  );
  const once = ['transfer', 'restore'].map((name) => xml(FEE, 'command', [], { name }));
  return { ...checkDomains(names), extensions: [xml(FEE, 'check', [...terms, ...once])] };
}

/** @param authInfo reveals holder-only data to a registrar that is not the sponsor */
export function infoDomain(name: string, authInfo?: string): EppCommand {
  return about('info', DOMAIN, [
    xml(DOMAIN, 'name', name, { hosts: 'all' }),
    authInfo === undefined ? undefined : authInfoOf(DOMAIN, authInfo),
  ]);
}

export function createDomain(domain: NewDomain): EppCommand {
  const { name, years, nameservers = [], registrant, contacts = [], authInfo, dsData } = domain;
  return {
    ...about('create', DOMAIN, [
      xml(DOMAIN, 'name', name),
      period(years),
      nameserversOf(nameservers),
      optional(DOMAIN, 'registrant', registrant),
      ...contacts.map(contactOf),
      authInfoOf(DOMAIN, authInfo),
    ]),
    ...(dsData?.length && { extensions: [xml(SEC_DNS, 'create', dsData.map(dsOf))] }),
  };
}

export function updateDomain(update: DomainUpdate): EppCommand {
  const { name, add, remove, registrant, authInfo, dsData, restore, fee } = update;
  const changed = [
    optional(DOMAIN, 'registrant', registrant),
    authInfo === undefined ? undefined : authInfoOf(DOMAIN, authInfo),
  ].filter((each) => each !== undefined);
  const { add: added = [], remove: removed = [], removeAll } = dsData ?? {};
  const parts: (XmlElement | undefined)[] = [
    xml(DOMAIN, 'name', name),
    partsOf('add', add),
    partsOf('rem', remove),
    // RFC 3915 uses an empty <chg> if only the extension contains changes.
    changed.length > 0 || restore ? xml(DOMAIN, 'chg', changed) : undefined,
  ];
  const secDns = dsData
    ? xml(SEC_DNS, 'update', [
        removeAll ? xml(SEC_DNS, 'rem', [xml(SEC_DNS, 'all', 'true')]) : undefined,
        removed.length > 0 ? xml(SEC_DNS, 'rem', removed.map(dsOf)) : undefined,
        added.length > 0 ? xml(SEC_DNS, 'add', added.map(dsOf)) : undefined,
      ])
    : undefined;
  const rgp = restore ? xml(RGP, 'update', [restoreOf(restore)]) : undefined;
  const extensions = [secDns, rgp, fee && feeOf('update', fee)].filter(
    (each) => each !== undefined,
  );
  return { ...about('update', DOMAIN, parts), extensions };
}

function restoreOf(restore: NonNullable<DomainUpdate['restore']>): XmlElement {
  if (restore === 'request') return xml(RGP, 'restore', [], { op: 'request' });
  const { before, after, deletedAt, restoredAt, reason, statements } = restore;
  const report = xml(RGP, 'report', [
    xml(RGP, 'preData', before),
    xml(RGP, 'postData', after),
    xml(RGP, 'delTime', deletedAt.toISOString()),
    xml(RGP, 'resTime', restoredAt.toISOString()),
    xml(RGP, 'resReason', reason),
    ...statements.map((statement) => xml(RGP, 'statement', statement)),
  ]);
  return xml(RGP, 'restore', [report], { op: 'report' });
}

/**
 * @param renewal.expiresOn the current expiry day, such as `2026-11-21`: a repeated command cannot renew twice
 * @param renewal.fee the exact fee that the registry may charge (RFC 8748)
 */
export function renewDomain(
  name: string,
  { expiresOn, years, fee }: { expiresOn: string; years: number; fee?: Money | undefined },
): EppCommand {
  return {
    ...about('renew', DOMAIN, [
      xml(DOMAIN, 'name', name),
      xml(DOMAIN, 'curExpDate', expiresOn),
      period(years),
    ]),
    ...(fee && { extensions: [feeOf('renew', fee)] }),
  };
}

export function deleteDomain(name: string): EppCommand {
  return about('delete', DOMAIN, [xml(DOMAIN, 'name', name)]);
}

/** Requests, queries or cancels a transfer to us, or approves or rejects a transfer of one of our domains. */
export type TransferOperation = 'request' | 'query' | 'cancel' | 'approve' | 'reject';

/**
 * @param options.years the years by which the transfer renews it; defaults to the registry's own term
 * @param options.fee the fee that the registry may charge (RFC 8748)
 */
export function transferDomain(
  op: TransferOperation,
  name: string,
  {
    authInfo,
    years,
    fee,
  }: {
    authInfo?: string | undefined;
    years?: number | undefined;
    fee?: Money | undefined;
  } = {},
): EppCommand {
  const object = xml(DOMAIN, 'transfer', [
    xml(DOMAIN, 'name', name),
    period(years),
    authInfo === undefined ? undefined : authInfoOf(DOMAIN, authInfo),
  ]);
  return {
    verb: xml(EPP, 'transfer', [object], { op }),
    ...(fee && { extensions: [feeOf('transfer', fee)] }),
  };
}

export function checkContacts(ids: readonly string[]): EppCommand {
  return about(
    'check',
    CONTACT,
    ids.map((id) => xml(CONTACT, 'id', id)),
  );
}

export function infoContact(id: string): EppCommand {
  return about('info', CONTACT, [xml(CONTACT, 'id', id)]);
}

/** @param extension the registry's additional registrant data */
export function createContact(contact: NewContact, extension?: XmlElement): EppCommand {
  const command = about('create', CONTACT, [
    xml(CONTACT, 'id', contact.id),
    ...contact.postalInfo.map(postalInfoOf),
    optional(CONTACT, 'voice', contact.voice),
    xml(CONTACT, 'email', contact.email),
    authInfoOf(CONTACT, contact.authInfo),
    contact.disclosure && disclosureOf(contact.disclosure),
  ]);
  return extension ? { ...command, extensions: [extension] } : command;
}

/** Changes the given fields of a contact. */
export function updateContact(change: ContactChange): EppCommand {
  return about('update', CONTACT, [
    xml(CONTACT, 'id', change.id),
    xml(CONTACT, 'chg', [
      ...(change.postalInfo ?? []).map(postalInfoOf),
      optional(CONTACT, 'voice', change.voice),
      optional(CONTACT, 'email', change.email),
      change.authInfo === undefined ? undefined : authInfoOf(CONTACT, change.authInfo),
      change.disclosure && disclosureOf(change.disclosure),
    ]),
  ]);
}

export function deleteContact(id: string): EppCommand {
  return about('delete', CONTACT, [xml(CONTACT, 'id', id)]);
}

export function checkHosts(names: readonly string[]): EppCommand {
  return about('check', HOST, namesOf(HOST, names));
}

export function infoHost(name: string): EppCommand {
  return about('info', HOST, [xml(HOST, 'name', name)]);
}

export function createHost(name: string, addresses: readonly EppHostAddress[] = []): EppCommand {
  return about('create', HOST, [xml(HOST, 'name', name), ...addresses.map(addressOf)]);
}

/** Adds and removes addresses of a host. */
export function updateHost(change: HostChange): EppCommand {
  const { name, add = [], remove = [] } = change;
  return about('update', HOST, [
    xml(HOST, 'name', name),
    add.length > 0 ? xml(HOST, 'add', add.map(addressOf)) : undefined,
    remove.length > 0 ? xml(HOST, 'rem', remove.map(addressOf)) : undefined,
  ]);
}

export function deleteHost(name: string): EppCommand {
  return about('delete', HOST, [xml(HOST, 'name', name)]);
}

function about(
  verb: string,
  namespace: string,
  content: readonly (XmlElement | undefined)[],
): EppCommand {
  return { verb: xml(EPP, verb, [xml(namespace, verb, content)]) };
}

function optional(namespace: string, name: string, text: string | undefined) {
  return text === undefined ? undefined : xml(namespace, name, text);
}

const namesOf = (namespace: string, names: readonly string[]) =>
  names.map((name) => xml(namespace, 'name', name));

const period = (years: number | undefined) =>
  years === undefined ? undefined : xml(DOMAIN, 'period', String(years), { unit: 'y' });

const feePeriod = (years: number) => xml(FEE, 'period', String(years), { unit: 'y' });

const feeOf = (command: 'renew' | 'transfer' | 'update', fee: Money) =>
  xml(FEE, command, [xml(FEE, 'currency', fee.currency), xml(FEE, 'fee', decimalAmount(fee))]);

const nameserversOf = (hosts: readonly string[]) =>
  hosts.length === 0
    ? undefined
    : xml(
        DOMAIN,
        'ns',
        hosts.map((host) => xml(DOMAIN, 'hostObj', host)),
      );

const contactOf = ({ type, id }: DomainContact) => xml(DOMAIN, 'contact', id, { type });

/** @param password null removes it */
const authInfoOf = (namespace: string, password: string | null) =>
  xml(namespace, 'authInfo', [
    password === null ? xml(namespace, 'null') : xml(namespace, 'pw', password),
  ]);

const addressOf = ({ ip, address }: EppHostAddress) => xml(HOST, 'addr', address, { ip });

function partsOf(name: 'add' | 'rem', parts: DomainParts | undefined): XmlElement | undefined {
  const { nameservers = [], contacts = [], statuses = [] } = parts ?? {};
  const content = [
    nameserversOf(nameservers),
    ...contacts.map(contactOf),
    ...statuses.map((status) => xml(DOMAIN, 'status', [], { s: status })),
  ].filter((each) => each !== undefined);
  return content.length > 0 ? xml(DOMAIN, name, content) : undefined;
}

const dsOf = ({ keyTag, alg, digestType, digest }: DsData) =>
  xml(SEC_DNS, 'dsData', [
    xml(SEC_DNS, 'keyTag', String(keyTag)),
    xml(SEC_DNS, 'alg', String(alg)),
    xml(SEC_DNS, 'digestType', String(digestType)),
    xml(SEC_DNS, 'digest', digest),
  ]);

/** Hides or shows every field for which RFC 5733 allows it. */
function disclosureOf({ shown, types }: NonNullable<ContactChange['disclosure']>): XmlElement {
  const ofTypes = (name: string) => types.map((type) => xml(CONTACT, name, [], { type }));
  return xml(
    CONTACT,
    'disclose',
    [
      ...['name', 'org', 'addr'].flatMap(ofTypes),
      ...['voice', 'fax', 'email'].map((name) => xml(CONTACT, name)),
    ],
    { flag: shown ? '1' : '0' },
  );
}

const postalInfoOf = (postal: PostalInfo) =>
  xml(
    CONTACT,
    'postalInfo',
    [
      xml(CONTACT, 'name', postal.name),
      optional(CONTACT, 'org', postal.organization),
      xml(CONTACT, 'addr', [
        ...(postal.street ?? []).map((line) => xml(CONTACT, 'street', line)),
        xml(CONTACT, 'city', postal.city),
        optional(CONTACT, 'sp', postal.state),
        optional(CONTACT, 'pc', postal.postalCode),
        xml(CONTACT, 'cc', postal.country),
      ]),
    ],
    { type: postal.type },
  );

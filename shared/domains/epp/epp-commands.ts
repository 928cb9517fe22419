import { CONTACT, DOMAIN, EPP, EXTENSIONS, HOST, OBJECTS, RGP, SEC_DNS } from './epp-namespaces.ts';
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

// The documents that a client sends. The order of the elements is that of the schemas.

/** Asks for the greeting; keeps a session from being closed as idle. */
export const HELLO: XmlElement = xml(EPP, 'epp', [xml(EPP, 'hello')]);

/** A command by its verb, not yet named. */
export interface EppCommand {
  readonly verb: XmlElement;
  readonly extension?: XmlElement | undefined;
}

/** The document of a command. @param clTRID our name for this one command, 3 to 64 characters */
export function commandDocument({ verb, extension }: EppCommand, clTRID: string): XmlElement {
  return xml(EPP, 'epp', [
    xml(EPP, 'command', [
      verb,
      extension && xml(EPP, 'extension', [extension]),
      xml(EPP, 'clTRID', clTRID),
    ]),
  ]);
}

/** Begins a session for what we understand of what the greeting offers. */
export function login(options: {
  clientId: string;
  password: string;
  /** Takes the place of the password, from the next session on. */
  newPassword?: string | undefined;
  offered: { objects: readonly string[]; extensions: readonly string[] };
}): EppCommand {
  const { clientId, password, newPassword, offered } = options;
  const extensions = EXTENSIONS.filter((uri) => offered.extensions.includes(uri));
  return {
    verb: xml(EPP, 'login', [
      xml(EPP, 'clID', clientId),
      xml(EPP, 'pw', password),
      optional(EPP, 'newPW', newPassword),
      xml(EPP, 'options', [xml(EPP, 'version', '1.0'), xml(EPP, 'lang', 'en')]),
      xml(EPP, 'svcs', [
        ...OBJECTS.filter((uri) => offered.objects.includes(uri)).map((uri) =>
          xml(EPP, 'objURI', uri),
        ),
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

/** Ends a session. */
export const LOGOUT: EppCommand = { verb: xml(EPP, 'logout') };

/** Asks for the oldest message of the queue. */
export const POLL_REQUEST: EppCommand = { verb: xml(EPP, 'poll', [], { op: 'req' }) };

/** Takes a message off the queue. */
export function pollAck(messageId: string): EppCommand {
  return { verb: xml(EPP, 'poll', [], { op: 'ack', msgID: messageId }) };
}

/** Asks whether domains can be registered. */
export function checkDomains(names: readonly string[]): EppCommand {
  return about('check', DOMAIN, namesOf(DOMAIN, names));
}

/** @param authInfo shows what only the holder may see to somebody else */
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
    extension: dsData && dsData.length > 0 ? xml(SEC_DNS, 'create', dsData.map(dsOf)) : undefined,
  };
}

export function updateDomain(update: DomainUpdate): EppCommand {
  const { name, add, remove, registrant, authInfo, dsData, restore } = update;
  const changed = [
    optional(DOMAIN, 'registrant', registrant),
    authInfo === undefined ? undefined : authInfoOf(DOMAIN, authInfo),
  ].filter((each) => each !== undefined);
  const { add: added = [], removeAll } = dsData ?? {};
  const parts: (XmlElement | undefined)[] = [
    xml(DOMAIN, 'name', name),
    partsOf('add', add),
    partsOf('rem', remove),
    // RFC 3915 has an empty <chg> where the extension alone says what changes.
    changed.length > 0 || restore ? xml(DOMAIN, 'chg', changed) : undefined,
  ];
  const secDns = dsData
    ? xml(SEC_DNS, 'update', [
        removeAll ? xml(SEC_DNS, 'rem', [xml(SEC_DNS, 'all', 'true')]) : undefined,
        added.length > 0 ? xml(SEC_DNS, 'add', added.map(dsOf)) : undefined,
      ])
    : undefined;
  const rgp = restore
    ? xml(RGP, 'update', [xml(RGP, 'restore', [], { op: 'request' })])
    : undefined;
  return { ...about('update', DOMAIN, parts), extension: secDns ?? rgp };
}

/** @param expiresOn the day on which it expires now, as `2026-11-21`: a repetition cannot renew it twice */
export function renewDomain(name: string, expiresOn: string, years: number): EppCommand {
  return about('renew', DOMAIN, [
    xml(DOMAIN, 'name', name),
    xml(DOMAIN, 'curExpDate', expiresOn),
    period(years),
  ]);
}

export function deleteDomain(name: string): EppCommand {
  return about('delete', DOMAIN, [xml(DOMAIN, 'name', name)]);
}

/** Asks for a transfer to us, says where one stands, ends one of ours, or answers one of our domains. */
export type TransferOperation = 'request' | 'query' | 'cancel' | 'approve' | 'reject';

/** @param options.years by which the transfer renews it; the registry's own term when left out */
export function transferDomain(
  op: TransferOperation,
  name: string,
  { authInfo, years }: { authInfo?: string | undefined; years?: number | undefined } = {},
): EppCommand {
  const object = xml(DOMAIN, 'transfer', [
    xml(DOMAIN, 'name', name),
    period(years),
    authInfo === undefined ? undefined : authInfoOf(DOMAIN, authInfo),
  ]);
  return { verb: xml(EPP, 'transfer', [object], { op }) };
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

export function createContact(contact: NewContact): EppCommand {
  return about('create', CONTACT, [
    xml(CONTACT, 'id', contact.id),
    ...contact.postalInfo.map(postalInfoOf),
    optional(CONTACT, 'voice', contact.voice),
    xml(CONTACT, 'email', contact.email),
    authInfoOf(CONTACT, contact.authInfo),
  ]);
}

/** Changes what is given of a contact. */
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

const nameserversOf = (hosts: readonly string[]) =>
  hosts.length === 0
    ? undefined
    : xml(
        DOMAIN,
        'ns',
        hosts.map((host) => xml(DOMAIN, 'hostObj', host)),
      );

const contactOf = ({ type, id }: DomainContact) => xml(DOMAIN, 'contact', id, { type });

/** @param password null for none any more */
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

/** All that RFC 5733 lets a contact hide or show. */
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

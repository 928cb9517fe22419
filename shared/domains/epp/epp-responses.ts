import { CONTACT, DOMAIN, EPP, HOST, RGP, SEC_DNS } from './epp-namespaces.ts';
import {
  type Availability,
  type ContactInfo,
  DOMAIN_STATUSES,
  type DomainContact,
  type DomainInfo,
  type DsData,
  EPP_TRANSFER_STATUSES,
  type HostInfo,
  type PollMessage,
  type PostalInfo,
  type TransferInfo,
} from './epp-objects.ts';
import { isResultCode, type ResultCode } from './epp-result-codes.ts';
import {
  childOf,
  childrenOf,
  EppXmlError,
  findChild,
  textOf,
  textsOf,
  type XmlElement,
} from './epp-xml.ts';

/** What a server offers, said when a connection opens and at each `<hello>`. */
export interface Greeting {
  serverId: string;
  objects: string[];
  extensions: string[];
}

/** The answer to a command. */
export interface EppResponse {
  code: ResultCode;
  /** The server's words for it, and the reasons that it gave; for people. */
  message: string;
  clTRID: string | null;
  /** The server's name for the command, to ask its staff about. */
  svTRID: string;
  messages: { id: string; count: number; queuedAt: Date | null; text: string } | null;
  data: XmlElement | undefined;
  extension: XmlElement | undefined;
}

/** @throws EppXmlError when the document is no greeting */
export function readGreeting(document: XmlElement): Greeting {
  const greeting = topOf(document, 'greeting');
  const menu = childOf(greeting, 'svcMenu');
  return {
    serverId: needed(textOf(greeting, 'svID'), 'svID'),
    objects: textsOf(menu, 'objURI'),
    extensions: textsOf(childOf(menu, 'svcExtension'), 'extURI'),
  };
}

/** @throws EppXmlError when the document is no response, or has a result that RFC 5730 does not know */
export function readResponse(document: XmlElement): EppResponse {
  const response = topOf(document, 'response');
  const results = childrenOf(response, 'result');
  const code = Number(results[0]?.attributes.code);
  if (!isResultCode(code)) throw new EppXmlError(`the result ${code} is unknown`);
  const reasons = results.flatMap((result) => [
    textOf(result, 'msg'),
    ...childrenOf(result, 'extValue').map((each) => textOf(each, 'reason')),
  ]);
  const queue = childOf(response, 'msgQ');
  const trID = childOf(response, 'trID');
  return {
    code,
    message: reasons.filter((reason) => reason !== null).join('; '),
    clTRID: textOf(trID, 'clTRID'),
    svTRID: textOf(trID, 'svTRID') ?? '',
    messages: queue
      ? {
          id: queue.attributes.id ?? '',
          count: Number(queue.attributes.count),
          queuedAt: instantOf(queue, 'qDate'),
          text: textOf(queue, 'msg') ?? '',
        }
      : null,
    data: childOf(response, 'resData'),
    extension: childOf(response, 'extension'),
  };
}

/** The answers to a check of domains or hosts by name, or of contacts by id. */
export function readAvailability(
  { data }: EppResponse,
  namespace: typeof DOMAIN | typeof CONTACT | typeof HOST,
): Availability[] {
  return childrenOf(findChild(data, namespace, 'chkData'), 'cd').map((cd) => {
    const about = childOf(cd, namespace === CONTACT ? 'id' : 'name');
    return {
      name: needed(about?.text, 'the name of a check'),
      available: isTrue(about?.attributes.avail),
      reason: textOf(cd, 'reason'),
    };
  });
}

/** @throws EppXmlError when the response is about no domain */
export function readDomainInfo({ data, extension }: EppResponse): DomainInfo {
  const domain = dataOf(data, DOMAIN, 'infData');
  const ns = childOf(domain, 'ns');
  const attributes = childrenOf(ns, 'hostAttr').flatMap((each) => textsOf(each, 'hostName'));
  return {
    name: needed(textOf(domain, 'name'), 'name').toLowerCase(),
    roid: textOf(domain, 'roid') ?? '',
    statuses: statusesOf(domain).filter((status) => isOneOf(DOMAIN_STATUSES, status)),
    registrant: textOf(domain, 'registrant'),
    contacts: childrenOf(domain, 'contact').map(({ text, attributes: { type } }) => ({
      type: (type ?? 'admin') as DomainContact['type'],
      id: text,
    })),
    nameservers: [...textsOf(ns, 'hostObj'), ...attributes].map((host) => host.toLowerCase()),
    hosts: textsOf(domain, 'host'),
    clID: needed(textOf(domain, 'clID'), 'clID'),
    createdAt: instantOf(domain, 'crDate'),
    updatedAt: instantOf(domain, 'upDate'),
    expiresAt: instantOf(domain, 'exDate'),
    transferredAt: instantOf(domain, 'trDate'),
    authInfo: textOf(childOf(domain, 'authInfo'), 'pw'),
    dsData: childrenOf(findChild(extension, SEC_DNS, 'infData'), 'dsData').map(dsDataOf),
    rgpStatuses: childrenOf(findChild(extension, RGP, 'infData'), 'rgpStatus').map(
      ({ attributes: { s } }) => s ?? '',
    ),
  };
}

/** Where the transfer of a response stands. @throws EppXmlError when it tells of none */
export function readTransferInfo({ data }: EppResponse): TransferInfo {
  return transferOf(dataOf(data, DOMAIN, 'trnData'));
}

/** When a domain that was created or renewed expires; null when the registry does not say. */
export function readExpiry({ data }: EppResponse): Date | null {
  const domain = findChild(data, DOMAIN, 'creData') ?? findChild(data, DOMAIN, 'renData');
  return instantOf(domain, 'exDate');
}

/** @throws EppXmlError when the response is about no contact */
export function readContactInfo({ data }: EppResponse): ContactInfo {
  const contact = dataOf(data, CONTACT, 'infData');
  return {
    id: needed(textOf(contact, 'id'), 'id'),
    roid: textOf(contact, 'roid') ?? '',
    statuses: statusesOf(contact),
    postalInfo: childrenOf(contact, 'postalInfo').map(postalOf),
    voice: textOf(contact, 'voice'),
    email: textOf(contact, 'email'),
    shown: shownOf(childOf(contact, 'disclose')),
    clID: needed(textOf(contact, 'clID'), 'clID'),
  };
}

/** What is said of the name goes for all: we hide and show them together. */
function shownOf(disclose: XmlElement | undefined): boolean | null {
  if (!disclose || childrenOf(disclose, 'name').length === 0) return null;
  return ['1', 'true'].includes(disclose.attributes.flag ?? '');
}

/** @throws EppXmlError when the response is about no host */
export function readHostInfo({ data }: EppResponse): HostInfo {
  const host = dataOf(data, HOST, 'infData');
  return {
    name: needed(textOf(host, 'name'), 'name').toLowerCase(),
    roid: textOf(host, 'roid') ?? '',
    statuses: statusesOf(host),
    addresses: childrenOf(host, 'addr').map(({ text, attributes: { ip } }) => ({
      ip: ip === 'v6' ? 'v6' : 'v4',
      address: text,
    })),
    clID: needed(textOf(host, 'clID'), 'clID'),
  };
}

/** The message of a poll; undefined when the queue is empty. */
export function readPollMessage({ code, messages, data }: EppResponse): PollMessage | undefined {
  if (code !== 1301 || !messages) return undefined;
  const transfer = findChild(data, DOMAIN, 'trnData');
  const action = findChild(data, DOMAIN, 'panData');
  const name = childOf(action, 'name');
  const trID = findChild(childOf(action, 'paTRID'), EPP, 'svTRID');
  return {
    ...messages,
    transfer: transfer ? transferOf(transfer) : null,
    action: name
      ? {
          name: name.text.toLowerCase(),
          succeeded: isTrue(name.attributes.paResult),
          clTRID: findChild(childOf(action, 'paTRID'), EPP, 'clTRID')?.text ?? null,
          svTRID: trID?.text ?? '',
        }
      : null,
  };
}

function transferOf(transfer: XmlElement): TransferInfo {
  const status = textOf(transfer, 'trStatus');
  if (!isOneOf(EPP_TRANSFER_STATUSES, status)) {
    throw new EppXmlError(`the status of a transfer, ${status}, is unknown`);
  }
  const requestedAt = instantOf(transfer, 'reDate');
  const actionAt = instantOf(transfer, 'acDate');
  if (!requestedAt || !actionAt) throw new EppXmlError('a transfer has no date');
  return {
    name: needed(textOf(transfer, 'name'), 'name').toLowerCase(),
    status,
    reID: needed(textOf(transfer, 'reID'), 'reID'),
    requestedAt,
    acID: needed(textOf(transfer, 'acID'), 'acID'),
    actionAt,
  };
}

function postalOf(postal: XmlElement): PostalInfo {
  const address = childOf(postal, 'addr');
  const organization = textOf(postal, 'org');
  const state = textOf(address, 'sp');
  const postalCode = textOf(address, 'pc');
  return {
    type: postal.attributes.type === 'loc' ? 'loc' : 'int',
    name: textOf(postal, 'name') ?? '',
    ...(organization !== null && { organization }),
    street: textsOf(address, 'street'),
    city: textOf(address, 'city') ?? '',
    ...(state !== null && { state }),
    ...(postalCode !== null && { postalCode }),
    country: textOf(address, 'cc') ?? '',
  };
}

const dsDataOf = (ds: XmlElement): DsData => ({
  keyTag: Number(textOf(ds, 'keyTag')),
  alg: Number(textOf(ds, 'alg')),
  digestType: Number(textOf(ds, 'digestType')),
  digest: textOf(ds, 'digest') ?? '',
});

const statusesOf = (object: XmlElement): string[] =>
  childrenOf(object, 'status').map(({ attributes: { s } }) => s ?? '');

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

function isOneOf<T extends string>(values: readonly T[], value: string | null): value is T {
  return (values as readonly (string | null)[]).includes(value);
}

function topOf(document: XmlElement, name: string): XmlElement {
  const found = document.name === 'epp' && document.namespace === EPP && childOf(document, name);
  if (!found) throw new EppXmlError(`the document is no ${name}`);
  return found;
}

function dataOf(data: XmlElement | undefined, namespace: string, name: string): XmlElement {
  const found = findChild(data, namespace, name);
  if (!found) throw new EppXmlError(`the response has no ${name}`);
  return found;
}

function needed(text: string | null | undefined, what: string): string {
  if (!text) throw new EppXmlError(`${what} is missing`);
  return text;
}

/** @throws EppXmlError when it is there and no instant */
function instantOf(element: XmlElement | undefined, name: string): Date | null {
  const text = textOf(element, name);
  if (text === null) return null;
  // xsd:dateTime may leave its zone out; EPP's are in UTC.
  const at = new Date(/(Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}Z`);
  if (Number.isNaN(at.getTime())) throw new EppXmlError(`${name} is no instant`);
  return at;
}

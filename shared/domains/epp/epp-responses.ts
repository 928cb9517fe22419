import { Money, parseDecimalAmount } from '../../platform/money.ts';
import type { EppDocument } from './epp-connection.ts';
import { EppRefused } from './epp-errors.ts';
import {
  CHANGE_POLL,
  CONTACT,
  DOMAIN,
  EPP,
  FEE,
  HOST,
  LOGIN_SECURITY,
  MAINTENANCE,
  RGP,
  SEC_DNS,
} from './epp-namespaces.ts';
import {
  type Availability,
  type ChangeNotice,
  type ContactInfo,
  DOMAIN_STATUSES,
  type DomainContact,
  type DomainFees,
  type DomainInfo,
  type DsData,
  EPP_TRANSFER_STATUSES,
  type HostInfo,
  type LoginEvent,
  type MaintenanceNotice,
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

/** The services that a server announces on connection and at each `<hello>`. */
export interface Greeting {
  serverId: string;
  objects: string[];
  extensions: string[];
}

/** The response to a command. */
export interface EppResponse {
  code: ResultCode;
  /** The server's message and reasons, for people to read. */
  message: string;
  clTRID: string | null;
  /** The server's transaction ID, to quote to its support. */
  svTRID: string;
  /** `text` is null if it contains elements. */
  messages: {
    id: string;
    count: number | null;
    queuedAt: Date | null;
    text: string | null;
  } | null;
  data: XmlElement | undefined;
  extension: XmlElement | undefined;
  /** Data that the registry sets aside because we did not announce its namespace (RFC 9038). */
  unhandled: readonly XmlElement[];
  /** The document from which the response was read. */
  raw: Uint8Array;
}

/** Reads a greeting. @throws EppXmlError if the document is not a greeting */
export function readGreeting(document: XmlElement): Greeting {
  const greeting = topOf(document, 'greeting');
  const menu = childOf(greeting, 'svcMenu');
  return {
    serverId: needed(textOf(greeting, 'svID'), 'svID'),
    objects: textsOf(menu, 'objURI'),
    extensions: textsOf(childOf(menu, 'svcExtension'), 'extURI'),
  };
}

/** Reads a response. @throws EppXmlError if the document is not a response or has a code unknown to RFC 5730 */
export function readResponse({ root, bytes }: EppDocument): EppResponse {
  const response = topOf(root, 'response');
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
          count: /^\d{1,9}$/.test(queue.attributes.count ?? '')
            ? Number(queue.attributes.count)
            : null,
          queuedAt: instantOf(queue, 'qDate'),
          text: childOf(queue, 'msg')?.children.length ? null : (textOf(queue, 'msg') ?? ''),
        }
      : null,
    data: childOf(response, 'resData'),
    extension: childOf(response, 'extension'),
    unhandled: results
      .flatMap((result) => childrenOf(result, 'extValue'))
      .filter((each) => textOf(each, 'reason')?.endsWith('not in login services'))
      .flatMap((each) => childOf(each, 'value')?.children ?? []),
    raw: bytes,
  };
}

/** Converts a response to an {@link EppRefused} error. */
export function refusal({ code, message, svTRID }: EppResponse): EppRefused {
  return new EppRefused(code, message, svTRID);
}

/** Reads the results of a check of domains or hosts by name, or of contacts by ID. */
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

/** Reads the fees; domains without prices are omitted. */
export function readFees({ extension }: EppResponse): DomainFees[] {
  const fees = findChild(extension, FEE, 'chkData');
  const currency = textOf(fees, 'currency');
  if (currency === null) return [];
  return childrenOf(fees, 'cd').flatMap((cd) => {
    const name = textOf(cd, 'objID')?.toLowerCase();
    const commands = childrenOf(cd, 'command');
    if (name === undefined || commands.length === 0) return [];
    const of = (command: string) => commands.find(({ attributes }) => attributes.name === command);
    const totalOf = (command: string) => feeOf(of(command), currency);
    const feeClass = textOf(cd, 'class');
    return {
      name,
      feeClass,
      // A registry without classes marks its standard prices (RFC 8748, section 3.7).
      isPremium:
        feeClass === null
          ? !isTrue(of('renew')?.attributes.standard)
          : feeClass.toLowerCase() !== 'standard',
      create: totalOf('create'),
      renew: totalOf('renew'),
      transfer: totalOf('transfer'),
      restore: totalOf('restore'),
    };
  });
}

/** Returns the fees of a command minus its credits; null if there are none or one is unreadable. */
function feeOf(command: XmlElement | undefined, currency: string): Money | null {
  const fees = textsOf(command, 'fee').map((text) => centsOf(text, currency));
  const credits = textsOf(command, 'credit').map((text) =>
    centsOf(text.replace('-', ''), currency),
  );
  if (fees.length === 0) return null;
  let total = 0;
  for (const fee of fees) total += fee ?? Number.NaN;
  for (const credit of credits) total -= credit ?? Number.NaN;
  return Number.isSafeInteger(total) ? new Money(total, currency) : null;
}

/** Parses an amount. Registries may write more decimals than the currency has, such as `500.000`. */
const centsOf = (text: string, currency: string) =>
  parseDecimalAmount(text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''), currency);

/** Reads the registry's warnings and errors about our password, certificate or connection (RFC 8807). */
export function readLoginEvents({ extension }: EppResponse): LoginEvent[] {
  return childrenOf(findChild(extension, LOGIN_SECURITY, 'loginSecData'), 'event').map(
    ({ attributes: { type, name, level, exDate }, text }) => ({
      type: type ?? 'custom',
      name: name ?? null,
      level: level === 'error' ? 'error' : 'warning',
      expiresAt: dateOf(exDate ?? null),
      text,
    }),
  );
}

/** Reads a domain. @throws EppXmlError if the response contains none */
export function readDomainInfo({
  data,
  extension,
}: Pick<EppResponse, 'data' | 'extension'>): DomainInfo {
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

/** Reads a transfer. @throws EppXmlError if the response contains none, or no known status */
export function readTransferInfo({ data }: EppResponse): TransferInfo {
  const transfer = transferOf(dataOf(data, DOMAIN, 'trnData'));
  const name = needed(transfer.name, 'name');
  if (!transfer.status) throw new EppXmlError('the status of a transfer is unknown');
  return { ...transfer, name, status: transfer.status };
}

/** Reads the expiry of a created or renewed domain; null if the registry does not give it. */
export function readExpiry({ data }: EppResponse): Date | null {
  const domain = findChild(data, DOMAIN, 'creData') ?? findChild(data, DOMAIN, 'renData');
  return instantOf(domain, 'exDate');
}

/** Reads a contact. @throws EppXmlError if the response contains none */
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

/** Reads the disclosure from the name: we hide and show all fields together. */
function shownOf(disclose: XmlElement | undefined): boolean | null {
  if (!disclose || childrenOf(disclose, 'name').length === 0) return null;
  return ['1', 'true'].includes(disclose.attributes.flag ?? '');
}

/** Reads a host. @throws EppXmlError if the response contains none */
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

/**
 * Reads a poll message; undefined if the queue is empty. Never fails for its content: unreadable parts are described in
 * `fault`, since a message left in the queue blocks all behind it.
 */
export function readPollMessage({
  code,
  messages,
  data,
  extension,
  unhandled,
  raw,
}: EppResponse): PollMessage | undefined {
  const isMessage = code === 1301 || (messages?.id && messages.count !== 0);
  if (code === 1300 || !isMessage) return undefined;
  const transferData = findChild(data, DOMAIN, 'trnData');
  const actionData = findChild(data, DOMAIN, 'panData');
  const transfer = transferData && transferOf(transferData);
  const action = actionData && actionOf(actionData);
  const changeData = findChild(extension, CHANGE_POLL, 'changeData');
  const change = changeData && changeOf(changeData, { data, extension });
  const maintenanceData = findChild(data, MAINTENANCE, 'infData');
  const maintenance = childrenOf(maintenanceData, 'item').map(maintenanceOf);
  const known = [transferData, actionData, changeData, maintenanceData];
  // The state of a changed domain, with its grace periods and DS records.
  const isOfChange = ({ namespace, name }: XmlElement) =>
    change?.domain && name === 'infData' && STATE_OF_DOMAIN.includes(namespace);
  const unknown = [...(data?.children ?? []), ...(extension?.children ?? [])].filter(
    (each) => !known.includes(each) && !isOfChange(each),
  );
  const faults = [
    !messages?.id && 'It has no ID.',
    messages?.text === null && 'Its text has elements.',
    transferData && transferFault(transferData),
    actionData && !action?.name && 'An action has no domain.',
    change &&
      !(change.operation && change.at && change.by) &&
      'A change without what, when or who.',
    maintenanceData && !maintenance.some(isTimed) && 'A maintenance without begin and end.',
    ...[...unknown, ...unhandled].map(
      ({ namespace, name }) => `${name} (${namespace}) is unknown.`,
    ),
  ].filter((fault) => typeof fault === 'string');
  return {
    id: messages?.id ?? '',
    count: messages?.count ?? null,
    queuedAt: messages?.queuedAt ?? null,
    text: messages?.text ?? '',
    domain: transfer?.name || action?.name || change?.domain?.name || null,
    transfer: transfer?.name ? { ...transfer, name: transfer.name } : null,
    action: action?.name ? { ...action, name: action.name } : null,
    change: change ?? null,
    maintenance,
    fault: faults.length > 0 ? faults.join(' ').slice(0, MAX_FAULT) : null,
    raw,
  };
}

const STATE_OF_DOMAIN: readonly string[] = [DOMAIN, RGP, SEC_DNS];

/** In characters; the raw response has the rest. */
const MAX_FAULT = 500;

type Said<T> = { [Key in keyof T]: T[Key] | null };

/** Reads a transfer as far as possible. */
function transferOf(transfer: XmlElement): Said<TransferInfo> {
  const status = textOf(transfer, 'trStatus');
  return {
    name: textOf(transfer, 'name')?.toLowerCase() ?? null,
    status: isOneOf(EPP_TRANSFER_STATUSES, status) ? status : null,
    reID: textOf(transfer, 'reID'),
    requestedAt: instantOf(transfer, 'reDate'),
    acID: textOf(transfer, 'acID'),
    actionAt: instantOf(transfer, 'acDate'),
  };
}

/** Describes the parts of a transfer that RFC 5731 requires and that could not be read. */
function transferFault(element: XmlElement): string | undefined {
  const { name, status, reID, requestedAt, acID, actionAt } = transferOf(element);
  const said = {
    name,
    trStatus: status,
    reID,
    reDate: requestedAt,
    acID,
    acDate: actionAt,
  };
  const unread = Object.entries(said).flatMap(([part, value]) => (value ? [] : [part]));
  return unread.length > 0
    ? `A transfer without ${unread.join(', ')} that can be read.`
    : undefined;
}

/** @param about the parts of the message that hold the state of the domain */
function changeOf(
  change: XmlElement,
  about: Pick<EppResponse, 'data' | 'extension'>,
): ChangeNotice {
  const operation = childOf(change, 'operation');
  const caseId = childOf(change, 'caseId');
  return {
    operation: [operation?.text, operation?.attributes.op].filter(Boolean).join(' '),
    at: instantOf(change, 'date'),
    by: textOf(change, 'who'),
    reason: textOf(change, 'reason'),
    caseId: caseId ? `${caseId.attributes.name ?? caseId.attributes.type} ${caseId.text}` : null,
    state: change.attributes.state === 'before' ? 'before' : 'after',
    domain: domainIn(about),
  };
}

/** Reads a domain; null if there is none or it is unreadable. */
function domainIn(about: Pick<EppResponse, 'data' | 'extension'>): DomainInfo | null {
  try {
    return readDomainInfo(about);
  } catch (error) {
    if (error instanceof EppXmlError) return null;
    throw error;
  }
}

function maintenanceOf(item: XmlElement): MaintenanceNotice {
  return {
    kind: textOf(item, 'pollType'),
    systems: childrenOf(childOf(item, 'systems'), 'system').flatMap((each) =>
      textsOf(each, 'name'),
    ),
    start: instantOf(item, 'start'),
    end: instantOf(item, 'end'),
    reason: textOf(item, 'reason'),
    detail: textOf(item, 'detail'),
  };
}

const isTimed = ({ start, end }: MaintenanceNotice) => start !== null && end !== null;

function actionOf(action: XmlElement) {
  const name = childOf(action, 'name');
  const trID = childOf(action, 'paTRID');
  return {
    name: name?.text.toLowerCase(),
    succeeded: isTrue(name?.attributes.paResult),
    clTRID: findChild(trID, EPP, 'clTRID')?.text ?? null,
    svTRID: findChild(trID, EPP, 'svTRID')?.text ?? '',
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

/** An `xsd:dateTime`. Date ignores digits beyond milliseconds. */
const DATE_TIME = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/i;

/** Reads an instant from a child element; null if there is none or it is unreadable. */
function instantOf(element: XmlElement | undefined, name: string): Date | null {
  return dateOf(textOf(element, name));
}

function dateOf(text: string | null): Date | null {
  if (text === null || !DATE_TIME.test(text)) return null;
  // xsd:dateTime may omit the time zone; EPP instants are in UTC.
  const at = new Date(/(Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

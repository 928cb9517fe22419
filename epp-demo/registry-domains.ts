import { DOMAIN, RGP, SEC_DNS } from '../shared/domains/epp/epp-namespaces.ts';
import type {
  ClientDomainStatus,
  DomainContact,
  DomainStatus,
  DsData,
} from '../shared/domains/epp/epp-objects.ts';
import {
  childOf,
  childrenOf,
  findChild,
  textOf,
  textsOf,
  type XmlElement,
  xml,
} from '../shared/domains/epp/epp-xml.ts';
import { charge, checkedFees } from './registry-fees.ts';
import type { DomainRecord, RegistryState, TransferRecord } from './registry-objects.ts';
import {
  completeTransfer,
  nextNumber,
  notify,
  Refusal,
  type RegistryContext,
  type RegistryPolicy,
  type Result,
  renewed,
} from './registry-rules.ts';

const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const CLIENT_STATUSES = [
  'clientDeleteProhibited',
  'clientHold',
  'clientRenewProhibited',
  'clientTransferProhibited',
  'clientUpdateProhibited',
];

/** Checks which names are available. */
export function checkDomains(
  context: RegistryContext,
  command: XmlElement,
  extension: XmlElement | undefined,
): Result {
  const { state } = context;
  const data = textsOf(command, 'name').map((raw) => {
    const name = raw.toLowerCase();
    const taken = Object.hasOwn(state.domains, name);
    const reason = taken ? 'In use' : NAME.test(name) ? undefined : 'Invalid domain name';
    return xml(DOMAIN, 'cd', [
      xml(DOMAIN, 'name', raw, { avail: reason === undefined ? '1' : '0' }),
      reason === undefined ? undefined : xml(DOMAIN, 'reason', reason),
    ]);
  });
  const fees = checkedFees(context, textsOf(command, 'name'), extension);
  return { code: 1000, data: xml(DOMAIN, 'chkData', data), extensions: [fees] };
}

/** Returns a domain; never its authInfo, but to its own account whether one is set (RFC 9154, section 5.3). */
export function infoDomain(context: RegistryContext, command: XmlElement): Result {
  const { name, domain } = find(context, command);
  const known = authInfoIn(command);
  if (childOf(command, 'authInfo') && !isAuthorized(domain, known)) {
    throw new Refusal(2202, 'wrong authInfo');
  }
  const isHolder = domain.clID === context.account;
  return {
    code: 1000,
    data: domainData(context.state, name, domain, { isHolder }),
    extensions: extensionsOf(domain),
  };
}

/** Builds the domain data for responses and messages. */
export function domainData(
  state: RegistryState,
  name: string,
  domain: DomainRecord,
  { isHolder }: { isHolder: boolean },
): XmlElement {
  const date = (tag: string, at: string | null) => (at === null ? undefined : xml(DOMAIN, tag, at));
  const subordinate = Object.keys(state.hosts).filter((host) => host.endsWith(`.${name}`));
  return xml(DOMAIN, 'infData', [
    xml(DOMAIN, 'name', name),
    xml(DOMAIN, 'roid', domain.roid),
    ...toldStatuses(domain).map((s) => xml(DOMAIN, 'status', [], { s })),
    domain.registrant === null ? undefined : xml(DOMAIN, 'registrant', domain.registrant),
    ...domain.contacts.map(({ type, id }) => xml(DOMAIN, 'contact', id, { type })),
    domain.nameservers.length === 0
      ? undefined
      : xml(
          DOMAIN,
          'ns',
          domain.nameservers.map((host) => xml(DOMAIN, 'hostObj', host)),
        ),
    ...subordinate.map((host) => xml(DOMAIN, 'host', host)),
    xml(DOMAIN, 'clID', domain.clID),
    xml(DOMAIN, 'crID', domain.crID),
    xml(DOMAIN, 'crDate', domain.createdAt),
    domain.updatedAt === null ? undefined : xml(DOMAIN, 'upID', domain.clID),
    date('upDate', domain.updatedAt),
    date('exDate', domain.expiresAt),
    date('trDate', domain.transferredAt),
    isHolder && domain.authInfo !== null ? xml(DOMAIN, 'authInfo', [xml(DOMAIN, 'pw')]) : undefined,
  ]);
}

/** Registers a domain for the account. */
export function createDomain(
  context: RegistryContext,
  command: XmlElement,
  extension: XmlElement | undefined,
): Result {
  const { state, clock, account } = context;
  const name = nameIn(command);
  if (!NAME.test(name)) throw new Refusal(2005, 'invalid domain name');
  if (Object.hasOwn(state.domains, name)) throw new Refusal(2302, `${name} is taken`);
  if (!childOf(command, 'authInfo')) throw new Refusal(2003, 'authInfo is missing');
  const registrant = textOf(command, 'registrant');
  const contacts = contactsIn(command);
  const nameservers = nameserversIn(command);
  mustExist(context, {
    contacts: [...contacts.map(({ id }) => id), ...(registrant === null ? [] : [registrant])],
    hosts: nameservers,
  });
  const now = clock.now();
  const years = yearsIn(command);
  const expiresAt = renewed(now.toISOString(), years, now);
  const fee = charge(context, { name, command: 'create', years }, extension);
  const domain: DomainRecord = {
    roid: `D${nextNumber(state)}-DEMO`,
    statuses: [],
    registrant,
    contacts,
    nameservers,
    clID: account,
    crID: account,
    createdAt: now.toISOString(),
    updatedAt: null,
    expiresAt,
    transferredAt: null,
    authInfo: authInfoIn(command),
    dsData: childrenOf(findChild(extension, SEC_DNS, 'create'), 'dsData').map(dsDataOf),
    rgpStatus: null,
    transfer: null,
  };
  state.domains[name] = domain;
  return {
    code: 1000,
    data: xml(DOMAIN, 'creData', [
      xml(DOMAIN, 'name', name),
      xml(DOMAIN, 'crDate', domain.createdAt),
      xml(DOMAIN, 'exDate', domain.expiresAt),
    ]),
    extensions: [fee],
  };
}

/** Changes a domain of the account. */
export function updateDomain(
  context: RegistryContext,
  command: XmlElement,
  extension: XmlElement | undefined,
): Result {
  const { name, domain } = findOwn(context, command);
  const [added, removed] = [childOf(command, 'add'), childOf(command, 'rem')];
  const changed = childOf(command, 'chg');
  const restore = childOf(findChild(extension, RGP, 'update'), 'restore');
  const unlocks = statusesIn(removed).includes('clientUpdateProhibited');
  if (isProhibited(domain, 'Update') && !unlocks) {
    throw new Refusal(2304, 'updates are prohibited');
  }
  mustBeSettled(domain, restore !== undefined);
  const registrant = childOf(changed, 'registrant')?.text;
  mustExist(context, {
    contacts: [
      ...contactsIn(added).map(({ id }) => id),
      ...(registrant === undefined || registrant === '' ? [] : [registrant]),
    ],
    hosts: nameserversIn(added),
  });
  const statuses = [...statusesIn(added), ...statusesIn(removed)];
  if (statuses.some((status) => !CLIENT_STATUSES.includes(status))) {
    throw new Refusal(2306, 'only statuses of the client can be set');
  }
  const next = structuredClone(domain);
  next.nameservers = merge(next.nameservers, nameserversIn(added), nameserversIn(removed));
  next.statuses = merge(
    next.statuses,
    statusesIn(added) as ClientDomainStatus[],
    statusesIn(removed) as ClientDomainStatus[],
  );
  const gone = contactsIn(removed);
  next.contacts = [
    ...next.contacts.filter(
      ({ type, id }) => !gone.some((each) => each.type === type && each.id === id),
    ),
    ...contactsIn(added),
  ];
  if (registrant !== undefined) next.registrant = registrant === '' ? null : registrant;
  // An empty code means no code (RFC 9154, section 5.2).
  if (childOf(changed, 'authInfo')) next.authInfo = authInfoIn(changed);
  const secDns = findChild(extension, SEC_DNS, 'update');
  if (secDns) {
    const out = childOf(secDns, 'rem');
    const lost = childrenOf(out, 'dsData').map((ds) => keyOf(dsDataOf(ds)));
    const all = textOf(out, 'all') === 'true' || textOf(out, 'all') === '1';
    next.dsData = next.dsData.filter((ds) => !all && !lost.includes(keyOf(ds)));
    next.dsData.push(...childrenOf(childOf(secDns, 'add'), 'dsData').map(dsDataOf));
  }
  if (restore) restoreDomain(next, restore, context.policy);
  const isRequest = restore?.attributes.op === 'request';
  const fee = isRequest ? charge(context, { name, command: 'restore' }, extension) : undefined;
  next.updatedAt = context.clock.now().toISOString();
  Object.assign(domain, next);
  const rgp = restore ? rgpData('upData', domain.rgpStatus) : undefined;
  return { code: 1000, extensions: [rgp, fee] };
}

/** Renews a domain of the account; refuses if the given expiry day is wrong. */
export function renewDomain(
  context: RegistryContext,
  command: XmlElement,
  extension: XmlElement | undefined,
): Result {
  const { name, domain } = findOwn(context, command);
  if (isProhibited(domain, 'Renew')) throw new Refusal(2304, 'renewals are prohibited');
  mustBeSettled(domain, false);
  const expected = textOf(command, 'curExpDate');
  if (expected?.slice(0, 10) !== domain.expiresAt.slice(0, 10)) {
    throw new Refusal(2306, `the domain expires on ${domain.expiresAt.slice(0, 10)}`);
  }
  const years = yearsIn(command);
  const expiresAt = renewed(domain.expiresAt, years, context.clock.now());
  const fee = charge(context, { name, command: 'renew', years }, extension);
  domain.expiresAt = expiresAt;
  return {
    code: 1000,
    data: xml(DOMAIN, 'renData', [
      xml(DOMAIN, 'name', name),
      xml(DOMAIN, 'exDate', domain.expiresAt),
    ]),
    extensions: [fee],
  };
}

/** Deletes a domain: immediately in the add grace period, otherwise after its redemption period. */
export function deleteDomain(context: RegistryContext, command: XmlElement): Result {
  const { name, domain } = findOwn(context, command);
  const { state, clock, policy } = context;
  if (isProhibited(domain, 'Delete')) throw new Refusal(2304, 'deletion is prohibited');
  mustBeSettled(domain, false);
  if (Object.keys(state.hosts).some((host) => host.endsWith(`.${name}`))) {
    throw new Refusal(2305, 'hosts below the domain exist');
  }
  const age = clock.now().getTime() - Date.parse(domain.createdAt);
  if (age < policy.addGraceMs) {
    delete state.domains[name];
    return { code: 1000 };
  }
  domain.statuses.push('pendingDelete');
  domain.rgpStatus = 'redemptionPeriod';
  return { code: 1001 };
}

/** Requests, queries, cancels, approves or rejects a transfer. */
export function transferDomain(
  context: RegistryContext,
  command: XmlElement,
  extension: XmlElement | undefined,
  op: string | undefined,
): Result {
  const { name, domain } = find(context, command);
  const { account, clock, policy } = context;
  const { transfer } = domain;
  const known = authInfoIn(command);
  switch (op) {
    case 'query': {
      if (!transfer) throw new Refusal(2301, 'no transfer was ever requested');
      const isParty = [transfer.reID, transfer.acID, domain.clID].includes(account);
      if (!isParty && !isAuthorized(domain, known)) throw new Refusal(2201, 'not yours to see');
      return { code: 1000, data: transferData(name, transfer) };
    }
    case 'request': {
      if (domain.clID === account) throw new Refusal(2106, 'the domain is yours');
      if (!isAuthorized(domain, known)) throw new Refusal(2202, 'wrong authInfo');
      if (transfer?.status === 'pending') throw new Refusal(2300, 'a transfer is pending');
      if (isProhibited(domain, 'Transfer')) throw new Refusal(2304, 'transfers are prohibited');
      mustBeSettled(domain, false);
      const now = clock.now();
      const since = Date.parse(domain.transferredAt ?? domain.createdAt);
      if (now.getTime() - since < policy.transferLockMs) {
        throw new Refusal(2106, 'the domain was created or transferred too recently');
      }
      const years = yearsIn(command);
      const fee = charge(context, { name, command: 'transfer', years }, extension);
      const requested: TransferRecord = {
        status: 'pending',
        reID: account,
        requestedAt: now.toISOString(),
        acID: domain.clID,
        actionAt: new Date(now.getTime() + policy.transferMs).toISOString(),
        years,
      };
      domain.transfer = requested;
      notify(context, domain.clID, {
        text: 'Transfer requested.',
        transfer: { name, at: { ...requested } },
      });
      return { code: 1001, data: transferData(name, requested), extensions: [fee] };
    }
    case 'cancel':
    case 'approve':
    case 'reject': {
      if (transfer?.status !== 'pending') throw new Refusal(2301, 'no transfer is pending');
      const answers = op === 'cancel' ? transfer.reID : transfer.acID;
      if (answers !== account) throw new Refusal(2201, 'not yours to answer');
      completeTransfer(context, name, domain, ENDS[op]);
      return { code: 1000, data: transferData(name, transfer) };
    }
    default:
      throw new Refusal(2005, 'unknown operation of a transfer');
  }
}

const ENDS = {
  cancel: 'clientCancelled',
  approve: 'clientApproved',
  reject: 'clientRejected',
} as const;

/** Builds the transfer data for responses and messages. */
export function transferData(name: string, transfer: TransferRecord): XmlElement {
  return xml(DOMAIN, 'trnData', [
    xml(DOMAIN, 'name', name),
    xml(DOMAIN, 'trStatus', transfer.status),
    xml(DOMAIN, 'reID', transfer.reID),
    xml(DOMAIN, 'reDate', transfer.requestedAt),
    xml(DOMAIN, 'acID', transfer.acID),
    xml(DOMAIN, 'acDate', transfer.actionAt),
  ]);
}

const nameIn = (command: XmlElement) => (textOf(command, 'name') ?? '').toLowerCase();
const authInfoIn = (command: XmlElement | undefined) => textOf(childOf(command, 'authInfo'), 'pw');
const yearsIn = (command: XmlElement) => Number(textOf(command, 'period') ?? '1');
const nameserversIn = (parts: XmlElement | undefined) =>
  textsOf(childOf(parts, 'ns'), 'hostObj').map((host) => host.toLowerCase());
const statusesIn = (parts: XmlElement | undefined) =>
  childrenOf(parts, 'status').map(({ attributes: { s } }) => s ?? '');
const contactsIn = (parts: XmlElement | undefined) =>
  childrenOf(parts, 'contact').map(({ text, attributes: { type } }) => ({
    type: type as DomainContact['type'],
    id: text,
  }));

const keyOf = ({ keyTag, alg, digestType, digest }: DsData) =>
  `${keyTag} ${alg} ${digestType} ${digest.toLowerCase()}`;

const dsDataOf = (ds: XmlElement): DsData => ({
  keyTag: Number(textOf(ds, 'keyTag')),
  alg: Number(textOf(ds, 'alg')),
  digestType: Number(textOf(ds, 'digestType')),
  digest: textOf(ds, 'digest') ?? '',
});

function find({ state }: RegistryContext, command: XmlElement) {
  const name = nameIn(command);
  const domain = Object.hasOwn(state.domains, name) ? state.domains[name] : undefined;
  if (!domain) throw new Refusal(2303, `${name} is not registered`);
  return { name, domain };
}

function findOwn(context: RegistryContext, command: XmlElement) {
  const found = find(context, command);
  if (found.domain.clID !== context.account) throw new Refusal(2201, 'the domain is not yours');
  return found;
}

function mustExist(
  { state }: RegistryContext,
  { contacts, hosts }: { contacts: readonly string[]; hosts: readonly string[] },
): void {
  const lost = [
    ...contacts.filter((id) => !Object.hasOwn(state.contacts, id)),
    ...hosts.filter((host) => !Object.hasOwn(state.hosts, host)),
  ];
  if (lost.length > 0) throw new Refusal(2303, `${lost.join(', ')} does not exist`);
}

function mustBeSettled(domain: DomainRecord, restoring: boolean): void {
  if (domain.transfer?.status === 'pending') throw new Refusal(2304, 'a transfer is pending');
  if (!restoring && domain.statuses.includes('pendingDelete')) {
    throw new Refusal(2304, 'the domain is being deleted');
  }
}

/** Returns whether a code is right. A domain without a code cannot be transferred (RFC 9154, section 5.4). */
const isAuthorized = ({ authInfo }: DomainRecord, given: string | null): boolean =>
  authInfo !== null && given === authInfo;

function isProhibited(
  { statuses }: DomainRecord,
  what: 'Update' | 'Renew' | 'Delete' | 'Transfer',
): boolean {
  return (
    statuses.includes(`client${what}Prohibited`) || statuses.includes(`server${what}Prohibited`)
  );
}

function restoreDomain(
  domain: DomainRecord,
  restore: XmlElement,
  { restoresAtOnce = false }: RegistryPolicy,
): void {
  const { op } = restore.attributes;
  if (op === 'report' && !childOf(restore, 'report'))
    throw new Refusal(2003, 'the report is missing');
  const isRequest = op === 'request' && domain.rgpStatus === 'redemptionPeriod';
  if (isRequest && !restoresAtOnce) {
    domain.rgpStatus = 'pendingRestore';
  } else if (isRequest || (op === 'report' && domain.rgpStatus === 'pendingRestore')) {
    domain.rgpStatus = null;
    domain.statuses = domain.statuses.filter((status) => status !== 'pendingDelete');
  } else {
    throw new Refusal(2304, 'the domain cannot be restored now');
  }
}

function toldStatuses(domain: DomainRecord): DomainStatus[] {
  const told: DomainStatus[] = [...domain.statuses];
  if (domain.transfer?.status === 'pending') told.push('pendingTransfer');
  if (domain.nameservers.length === 0) told.push('inactive');
  return told.length > 0 ? told : ['ok'];
}

function extensionsOf(domain: DomainRecord): (XmlElement | undefined)[] {
  return [rgpData('infData', domain.rgpStatus), signers(domain)];
}

function signers(domain: DomainRecord): XmlElement | undefined {
  if (domain.dsData.length === 0) return undefined;
  return xml(
    SEC_DNS,
    'infData',
    domain.dsData.map(({ keyTag, alg, digestType, digest }) =>
      xml(SEC_DNS, 'dsData', [
        xml(SEC_DNS, 'keyTag', String(keyTag)),
        xml(SEC_DNS, 'alg', String(alg)),
        xml(SEC_DNS, 'digestType', String(digestType)),
        xml(SEC_DNS, 'digest', digest),
      ]),
    ),
  );
}

function rgpData(name: 'infData' | 'upData', status: string | null): XmlElement | undefined {
  if (status === null) return undefined;
  return xml(RGP, name, [xml(RGP, 'rgpStatus', [], { s: status })]);
}

function merge<T>(values: readonly T[], added: readonly T[], removed: readonly T[]): T[] {
  return [...new Set([...values, ...added])].filter((value) => !removed.includes(value));
}

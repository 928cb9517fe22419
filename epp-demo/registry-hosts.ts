import { HOST } from '../shared/domains/epp/epp-namespaces.ts';
import type { EppHostAddress } from '../shared/domains/epp/epp-objects.ts';
import {
  childOf,
  childrenOf,
  textOf,
  type XmlElement,
  xml,
} from '../shared/domains/epp/epp-xml.ts';
import {
  checkObjects,
  nextNumber,
  Refusal,
  type RegistryContext,
  type Result,
} from './registry-rules.ts';

/** Checks which host names are available. */
export function checkHosts({ state }: RegistryContext, command: XmlElement): Result {
  return checkObjects(command, { namespace: HOST, tag: 'name' }, (name) =>
    Object.hasOwn(state.hosts, name.toLowerCase()),
  );
}

/** Returns a host. */
export function infoHost(context: RegistryContext, command: XmlElement): Result {
  const { name, host } = find(context, command);
  return {
    code: 1000,
    data: xml(HOST, 'infData', [
      xml(HOST, 'name', name),
      xml(HOST, 'roid', host.roid),
      xml(HOST, 'status', [], { s: isLinked(context, name) ? 'linked' : 'ok' }),
      ...host.addresses.map(({ ip, address }) => xml(HOST, 'addr', address, { ip })),
      xml(HOST, 'clID', host.clID),
      xml(HOST, 'crID', host.crID),
      xml(HOST, 'crDate', host.createdAt),
    ]),
  };
}

/** Creates a host; a subordinate host requires its domain in the same account. */
export function createHost(context: RegistryContext, command: XmlElement): Result {
  const { state, clock, account } = context;
  const name = (textOf(command, 'name') ?? '').toLowerCase();
  if (!name.includes('.')) throw new Refusal(2005, 'invalid host name');
  if (Object.hasOwn(state.hosts, name)) throw new Refusal(2302, `${name} exists`);
  const parent = Object.entries(state.domains).find(([domain]) => name.endsWith(`.${domain}`));
  if (parent && parent[1].clID !== account) {
    throw new Refusal(2201, 'the domain above it is not yours');
  }
  const createdAt = clock.now().toISOString();
  state.hosts[name] = {
    roid: `H${nextNumber(state)}-DEMO`,
    addresses: addressesIn(command),
    clID: account,
    crID: account,
    createdAt,
  };
  return {
    code: 1000,
    data: xml(HOST, 'creData', [xml(HOST, 'name', name), xml(HOST, 'crDate', createdAt)]),
  };
}

/** Changes the addresses of a host of the account. */
export function updateHost(context: RegistryContext, command: XmlElement): Result {
  const { host } = findOwn(context, command);
  if (childOf(childOf(command, 'chg'), 'name')) throw new Refusal(2102, 'hosts keep their name');
  const gone = addressesIn(childOf(command, 'rem')).map(({ address }) => address);
  host.addresses = [
    ...host.addresses.filter(({ address }) => !gone.includes(address)),
    ...addressesIn(childOf(command, 'add')),
  ];
  return { code: 1000 };
}

/** Deletes a host that no domain uses. */
export function deleteHost(context: RegistryContext, command: XmlElement): Result {
  const { name } = findOwn(context, command);
  if (isLinked(context, name)) throw new Refusal(2305, 'a domain uses the host');
  delete context.state.hosts[name];
  return { code: 1000 };
}

function find({ state }: RegistryContext, command: XmlElement) {
  const name = (textOf(command, 'name') ?? '').toLowerCase();
  const host = Object.hasOwn(state.hosts, name) ? state.hosts[name] : undefined;
  if (!host) throw new Refusal(2303, `${name} does not exist`);
  return { name, host };
}

function findOwn(context: RegistryContext, command: XmlElement) {
  const found = find(context, command);
  if (found.host.clID !== context.account) throw new Refusal(2201, 'the host is not yours');
  return found;
}

function isLinked({ state }: RegistryContext, name: string): boolean {
  return Object.values(state.domains).some(({ nameservers }) => nameservers.includes(name));
}

const addressesIn = (parts: XmlElement | undefined): EppHostAddress[] =>
  childrenOf(parts, 'addr').map(({ text, attributes: { ip } }) => ({
    ip: ip === 'v6' ? 'v6' : 'v4',
    address: text,
  }));

import { CONTACT } from '../shared/domains/epp/epp-namespaces.ts';
import type { PostalInfo } from '../shared/domains/epp/epp-objects.ts';
import {
  childOf,
  childrenOf,
  textOf,
  textsOf,
  type XmlElement,
  xml,
} from '../shared/domains/epp/epp-xml.ts';
import type { ContactRecord } from './registry-objects.ts';
import {
  checkObjects,
  nextNumber,
  Refusal,
  type RegistryContext,
  type Result,
} from './registry-rules.ts';

/** Checks which IDs are available. */
export function checkContacts({ state }: RegistryContext, command: XmlElement): Result {
  return checkObjects(command, { namespace: CONTACT, tag: 'id' }, (id) =>
    Object.hasOwn(state.contacts, id),
  );
}

/** Returns a contact; its authInfo only to its own account. */
export function infoContact(context: RegistryContext, command: XmlElement): Result {
  const { id, contact } = find(context, command);
  return {
    code: 1000,
    data: xml(CONTACT, 'infData', [
      xml(CONTACT, 'id', id),
      xml(CONTACT, 'roid', contact.roid),
      xml(CONTACT, 'status', [], { s: isLinked(context, id) ? 'linked' : 'ok' }),
      ...contact.postalInfo.map(postalData),
      contact.voice === null ? undefined : xml(CONTACT, 'voice', contact.voice),
      contact.fax === null ? undefined : xml(CONTACT, 'fax', contact.fax),
      xml(CONTACT, 'email', contact.email),
      xml(CONTACT, 'clID', contact.clID),
      xml(CONTACT, 'crID', contact.crID),
      xml(CONTACT, 'crDate', contact.createdAt),
      contact.clID === context.account
        ? xml(CONTACT, 'authInfo', [xml(CONTACT, 'pw', contact.authInfo)])
        : undefined,
      contact.disclosure ? disclosureData(contact.disclosure) : undefined,
    ]),
  };
}

/** Creates a contact in the account. */
export function createContact(
  context: RegistryContext,
  command: XmlElement,
  extension: XmlElement | undefined,
): Result {
  const { state, clock, account } = context;
  const id = textOf(command, 'id') ?? '';
  if (id.length < 3 || id.length > 16) throw new Refusal(2005, 'an id has 3 to 16 characters');
  if (Object.hasOwn(state.contacts, id)) throw new Refusal(2302, `${id} is taken`);
  const email = textOf(command, 'email');
  const authInfo = textOf(childOf(command, 'authInfo'), 'pw');
  const postalInfo = childrenOf(command, 'postalInfo').map(postalIn);
  if (email === null || authInfo === null || postalInfo.length === 0) {
    throw new Refusal(2003, 'postalInfo, email and authInfo are needed');
  }
  const createdAt = clock.now().toISOString();
  state.contacts[id] = {
    roid: `C${nextNumber(state)}-DEMO`,
    postalInfo,
    voice: textOf(command, 'voice'),
    fax: textOf(command, 'fax'),
    email,
    disclosure: disclosureIn(childOf(command, 'disclose')),
    authInfo,
    extension: extension?.children[0] ?? null,
    clID: account,
    crID: account,
    createdAt,
  };
  return {
    code: 1000,
    data: xml(CONTACT, 'creData', [xml(CONTACT, 'id', id), xml(CONTACT, 'crDate', createdAt)]),
  };
}

/** Changes a contact of the account. */
export function updateContact(context: RegistryContext, command: XmlElement): Result {
  const { contact } = findOwn(context, command);
  const changed = childOf(command, 'chg');
  for (const postal of childrenOf(changed, 'postalInfo').map(postalIn)) {
    contact.postalInfo = [...contact.postalInfo.filter(({ type }) => type !== postal.type), postal];
  }
  contact.voice = textOf(changed, 'voice') ?? contact.voice;
  contact.fax = textOf(changed, 'fax') ?? contact.fax;
  contact.email = textOf(changed, 'email') ?? contact.email;
  contact.authInfo = textOf(childOf(changed, 'authInfo'), 'pw') ?? contact.authInfo;
  contact.disclosure = disclosureIn(childOf(changed, 'disclose')) ?? contact.disclosure;
  return { code: 1000 };
}

/** Deletes a contact that no domain uses. */
export function deleteContact(context: RegistryContext, command: XmlElement): Result {
  const { id } = findOwn(context, command);
  if (isLinked(context, id)) throw new Refusal(2305, 'a domain names the contact');
  delete context.state.contacts[id];
  return { code: 1000 };
}

function find({ state }: RegistryContext, command: XmlElement) {
  const id = textOf(command, 'id') ?? '';
  const contact = Object.hasOwn(state.contacts, id) ? state.contacts[id] : undefined;
  if (!contact) throw new Refusal(2303, `${id} does not exist`);
  return { id, contact };
}

function findOwn(context: RegistryContext, command: XmlElement) {
  const found = find(context, command);
  if (found.contact.clID !== context.account) throw new Refusal(2201, 'the contact is not yours');
  return found;
}

function isLinked({ state }: RegistryContext, id: string): boolean {
  return Object.values(state.domains).some(
    ({ registrant, contacts }) => registrant === id || contacts.some((each) => each.id === id),
  );
}

type Disclosure = ContactRecord['disclosure'];

function disclosureIn(disclose: XmlElement | undefined): Disclosure {
  if (!disclose) return null;
  return {
    shown: disclose.attributes.flag === '1' || disclose.attributes.flag === 'true',
    elements: disclose.children.map(({ name, attributes: { type = null } }) => ({ name, type })),
  };
}

function disclosureData({ shown, elements }: NonNullable<Disclosure>): XmlElement {
  return xml(
    CONTACT,
    'disclose',
    elements.map(({ name, type }) => xml(CONTACT, name, [], type === null ? {} : { type })),
    { flag: shown ? '1' : '0' },
  );
}

function postalIn(postal: XmlElement): PostalInfo {
  const address = childOf(postal, 'addr');
  const optional = (of: XmlElement | undefined, key: string, tag: string) => {
    const text = textOf(of, tag);
    return text === null ? {} : { [key]: text };
  };
  return {
    type: postal.attributes.type === 'loc' ? 'loc' : 'int',
    name: textOf(postal, 'name') ?? '',
    ...optional(postal, 'organization', 'org'),
    street: textsOf(address, 'street'),
    city: textOf(address, 'city') ?? '',
    ...optional(address, 'state', 'sp'),
    ...optional(address, 'postalCode', 'pc'),
    country: textOf(address, 'cc') ?? '',
  };
}

function postalData(postal: PostalInfo): XmlElement {
  const optional = (name: string, text: string | undefined) =>
    text === undefined ? undefined : xml(CONTACT, name, text);
  const address = xml(CONTACT, 'addr', [
    ...(postal.street ?? []).map((line) => xml(CONTACT, 'street', line)),
    xml(CONTACT, 'city', postal.city),
    optional('sp', postal.state),
    optional('pc', postal.postalCode),
    xml(CONTACT, 'cc', postal.country),
  ]);
  return xml(
    CONTACT,
    'postalInfo',
    [xml(CONTACT, 'name', postal.name), optional('org', postal.organization), address],
    { type: postal.type },
  );
}

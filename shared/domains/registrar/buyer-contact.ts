import { createHmac } from 'node:crypto';
import anyAscii from 'any-ascii';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { EppClient } from '../epp/epp-client.ts';
import { EppNotOffered } from '../epp/epp-errors.ts';
import type { ContactInfo, NewContact, PostalInfo } from '../epp/epp-objects.ts';
import { question } from '../epp/epp-send.ts';
import { writeXml } from '../epp/epp-xml.ts';
import type { Registrant } from '../registrants/registrant.ts';
import { contactExtensions, contactName, ExtraNotCarried } from './contact-extensions.ts';
import type { Change, RegistryCommands } from './registry-commands.ts';

/** Returns the contact ID of a push's buyer: always the same for a push, with the 16 characters of RFC 5733. */
export function buyerHandle(clientReference: string): string {
  return `B${createHmac('sha256', 'handle').update(clientReference).digest('hex').slice(0, 15)}`;
}

/** Returns whether a contact ID was made for the buyer of one domain. */
export function isBuyerHandle(id: string): boolean {
  return /^B[0-9a-f]{15}$/.test(id);
}

/**
 * Builds the contact of a registrant. It has the address as entered (`loc`), and in ASCII (`int`) for registries that
 * accept nothing else, unless the conversion leaves a required part empty.
 * @throws ExtraNotCarried
 */
export function buyerContact(
  id: string,
  { domain, registrant, authInfo }: { domain: string; registrant: Registrant; authInfo: string },
): NewContact {
  const named = { ...registrant, name: contactName(domain, registrant) };
  const localized = postalInfoOf('loc', named);
  const international = postalInfoOf('int', named, inAscii);
  const { name, city, street = [] } = international;
  const isWhole = [name, city, ...street].every((each) => each !== '');
  return {
    id,
    postalInfo: isWhole ? [international, localized] : [localized],
    voice: eppPhone(registrant.phone),
    email: registrant.email,
    authInfo,
    extensions: contactExtensions(domain, registrant),
  };
}

/** Creates or updates a contact so that the registry has it as wanted. @throws ExtraNotCarried */
export async function placeContact(
  { client, commands }: { client: EppClient; commands: RegistryCommands },
  change: Change,
  contact: NewContact,
): Promise<void> {
  const known = await client.findContact(contact.id, question(change.signal));
  // An extension's data can be neither read back nor updated: a contact from an incomplete attempt with other extension
  // data is deleted and created again.
  const detail = digestOfExtension(contact);
  const isOther =
    known !== undefined &&
    detail !== undefined &&
    !known.statuses.includes('linked') &&
    detail !== (await commands.lastDetail(change));
  if (isOther) {
    const deletion = { ...change, step: `${change.step}-other` };
    await commands.send(deletion, (name) => client.deleteContact(contact.id, name));
  }
  if (!known || isOther) {
    try {
      const creation = { ...change, ...(detail !== undefined && { detail }) };
      await commands.send(creation, (name) => client.createContact(contact, name));
    } catch (error) {
      throw error instanceof EppNotOffered ? new ExtraNotCarried() : error;
    }
  } else if (!isContactOf(known, contact)) {
    // The registrant changed after an incomplete attempt.
    await commands.send(change, (name) => client.updateContact(contact, name));
  }
}

/** Digests a contact's extension to detect changes; reveals nothing to anyone without the contact's authInfo. */
function digestOfExtension({ extensions = [], authInfo }: NewContact): string | undefined {
  const [first] = extensions;
  return first && createHmac('sha256', authInfo).update(writeXml(first)).digest('base64url');
}

/** Returns whether a contact at the registry has the wanted data. */
function isContactOf(found: ContactInfo, wanted: NewContact): boolean {
  const contentOf = ({
    email,
    voice,
    postalInfo,
  }: Pick<ContactInfo, 'email' | 'voice' | 'postalInfo'>) =>
    [email, voice, ...postalInfo.map(linesOf).toSorted()].join('\n');
  const { email, voice = null, postalInfo } = wanted;
  return contentOf(found) === contentOf({ email, voice, postalInfo: [...postalInfo] });
}

function linesOf(postal: PostalInfo): string {
  const { type, name, organization, street = [], city, state, postalCode, country } = postal;
  return [type, name, organization, street.join(), city, state, postalCode, country].join('|');
}

function postalInfoOf(
  type: PostalInfo['type'],
  { name, organization, street, city, state, postalCode, country }: Registrant,
  write: (text: string) => string = (text) => text,
): PostalInfo {
  return {
    type,
    name: write(name),
    ...(organization !== null && { organization: write(organization) }),
    street: street.map(write),
    city: write(city),
    ...(state !== null && { state: write(state) }),
    ...(postalCode !== null && { postalCode: write(postalCode) }),
    country,
  };
}

/** Transliterates text of any script to ASCII. */
function inAscii(text: string): string {
  return anyAscii(text).replace(/\s+/g, ' ').trim();
}

/** Formats `+4930123456` as `+49.30123456` (RFC 5733). @throws Error for a number that is not E.164 */
function eppPhone(phone: string): string {
  const number = parsePhoneNumberFromString(phone);
  if (!number) throw new Error('a registrant has a phone number that is none');
  return `+${number.countryCallingCode}.${number.nationalNumber}`;
}

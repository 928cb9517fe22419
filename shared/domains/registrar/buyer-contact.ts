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

/** The id of the contact of a push's buyer: the same whenever it is asked for, of the 16 characters of RFC 5733. */
export function buyerHandle(clientReference: string): string {
  return `B${createHmac('sha256', 'handle').update(clientReference).digest('hex').slice(0, 15)}`;
}

/** Whether a contact was made for the buyer of one domain. */
export function isBuyerHandle(id: string): boolean {
  return /^B[0-9a-f]{15}$/.test(id);
}

/**
 * The contact of a registrant at a registry. Its address stands there as it was written (`loc`), and in ASCII (`int`)
 * where that leaves nothing empty, for registries that take no other.
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

/** Has a contact of this id at the registry, as it is wanted. @throws ExtraNotCarried */
export async function placeContact(
  { client, commands }: { client: EppClient; commands: RegistryCommands },
  change: Change,
  contact: NewContact,
): Promise<void> {
  const known = await client.findContact(contact.id, question(change.signal));
  // What an extension said can be neither read back nor changed: a contact of an attempt that came only so far, and said
  // something else, is made anew.
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
    // The registrant was changed after an attempt that came only so far.
    await commands.send(change, (name) => client.updateContact(contact, name));
  }
}

/** Tells what the extension of a contact says from what it said before, to nobody who has not the contact's code. */
function digestOfExtension({ extensions = [], authInfo }: NewContact): string | undefined {
  const [first] = extensions;
  return first && createHmac('sha256', authInfo).update(writeXml(first)).digest('base64url');
}

/** Whether a registry has a contact as it is wanted. */
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

/** Text of any script in Latin letters, as near as they come. */
function inAscii(text: string): string {
  return anyAscii(text).replace(/\s+/g, ' ').trim();
}

/** `+49.30123456`, as RFC 5733 writes `+4930123456`. @throws Error for a number that is not E.164 */
function eppPhone(phone: string): string {
  const number = parsePhoneNumberFromString(phone);
  if (!number) throw new Error('a registrant has a phone number that is none');
  return `+${number.countryCallingCode}.${number.nationalNumber}`;
}

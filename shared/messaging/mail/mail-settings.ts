import { idPage } from '../../platform/database/id-page.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { idOf, type ListPage, type ListSort, type Page, readPage } from '../../platform/page.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { sendMailJob } from './mail.jobs.ts';
import {
  type MailWithBrand,
  type StoredMail,
  selectBouncedOf,
  selectMail,
  selectMails,
  updateRequeued,
} from './mail.store.ts';
import {
  EVERY_TOPIC,
  isMailAddress,
  isMailTopic,
  type MailOwner,
  type MailState,
  type MailTopic,
  normalizeAddress,
  type SuppressionReason,
} from './mail.ts';
import * as store from './mail-settings.store.ts';

export type { Brand } from './mail-settings.store.ts';
export type { MailWithBrand, StoredMail };

/** Returns a page of mails, newest first; `before` is the last id of the previous page. */
export function listMails(
  { db }: { db: Database },
  filter: { state: MailState | null; recipient: string | null },
  page: ListPage,
): Promise<Page<StoredMail>> {
  const recipient = filter.recipient && normalizeAddress(filter.recipient);
  const read = (limit: number) =>
    selectMails[page.sort].all(db.knex, { ...filter, recipient, ...idPage('mail', page, limit) });
  return readPage(page.limit, read, idOf);
}

/** Returns the newest mails about a partner that bounced for its members or contacts. */
export function listBouncedOf(
  { db }: { db: Database },
  owner: MailOwner,
  limit: number,
): Promise<StoredMail[]> {
  const { partnerId, environment } = owner;
  return selectBouncedOf.all(db.knex, { partnerId, environment, limit });
}

/** Returns a mail with its partner's brand. @throws not_found */
export async function readMail({ db }: { db: Database }, id: string): Promise<MailWithBrand> {
  const mail = await selectMail.first(db.knex, { id });
  if (!mail) throw mailNotFound();
  return mail;
}

/**
 * Requeues a mail that bounced or was suppressed, with a full set of attempts.
 * @throws not_found, conflict (invalid_state)
 */
export async function requeueMail(uow: UnitOfWork, id: string): Promise<void> {
  const mail = await selectMail.first(uow.sql, { id });
  if (!mail) throw mailNotFound();
  if ((await updateRequeued.run(uow.sql, { id })) === 0) {
    throw conflict(
      'invalid_state',
      `The email is ${mail.state}. Only one that bounced or was suppressed can be sent again.`,
    );
  }
  uow.jobs.add(sendMailJob, { mailId: id });
}

function mailNotFound() {
  return fail('not_found', { message: 'No email has this ID.' });
}

/** Returns an address in its stored form. @throws validation_error if it is not a valid address */
function parseAddress(email: string, path = '/email'): string {
  const address = normalizeAddress(email);
  if (!isMailAddress(address)) throw invalid([{ path, message: 'must be an email address' }]);
  return address;
}

const MAX_LINK = 500;

/** Returns a URL that buyers may be sent to, in canonical form. @throws validation_error */
function parseLink(given: string | null, path: string): string | null {
  if (given === null) return null;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const plain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  if (!url || !plain || url.href.length > MAX_LINK) {
    throw invalid([
      { path, message: `must be an https address of at most ${MAX_LINK} characters` },
    ]);
  }
  return url.href;
}

/** Adds a contact for notices to a partner, or to staff for null. @throws validation_error */
export async function addContact(
  uow: UnitOfWork,
  partnerId: string | null,
  email: string,
): Promise<string> {
  const address = parseAddress(email);
  await store.insertContact.run(uow.sql, { partnerId, email: address, now: uow.now });
  return address;
}

/** Removes a contact. @throws not_found if the address is not a contact */
export async function removeContact(
  uow: UnitOfWork,
  partnerId: string | null,
  email: string,
): Promise<string> {
  const address = normalizeAddress(email);
  if ((await store.deleteContact.run(uow.sql, { partnerId, email: address })) === 0) {
    throw fail('not_found', { message: `${address} is not a contact.` });
  }
  return address;
}

/** Returns the contacts for notices to a partner, or to staff for null. */
export async function listContacts(
  { db }: { db: Database },
  partnerId: string | null,
): Promise<string[]> {
  const contacts = await store.selectContacts.all(db.knex, { partnerId });
  return contacts.map(({ email }) => email);
}

/** Returns a partner's brand. */
export async function readBrand({ db }: { db: Database }, partnerId: string): Promise<store.Brand> {
  const brand = await store.selectBrand.first(db.knex, { partnerId });
  return (
    brand ?? {
      partnerId,
      displayName: null,
      supportEmail: null,
      accentColor: null,
      logoUrl: null,
      supportUrl: null,
      termsUrl: null,
      buyerMail: true,
    }
  );
}

/** Updates a partner's brand. @throws validation_error */
export async function writeBrand(uow: UnitOfWork, brand: store.Brand): Promise<store.Brand> {
  const accentColor = brand.accentColor?.toLowerCase() ?? null;
  if (accentColor !== null && !/^#[0-9a-f]{6}$/.test(accentColor)) {
    throw invalid([{ path: '/accent_color', message: 'must be a color such as #3346d3' }]);
  }
  const written = {
    ...brand,
    accentColor,
    supportEmail: brand.supportEmail && parseAddress(brand.supportEmail, '/support_email'),
    logoUrl: parseLink(brand.logoUrl, '/logo_url'),
    supportUrl: parseLink(brand.supportUrl, '/support_url'),
    termsUrl: parseLink(brand.termsUrl, '/terms_url'),
  };
  await store.upsertBrand.run(uow.sql, written);
  return written;
}

/** Returns the suppressions of one address, or of all, newest first. */
export function listSuppressions(
  { db }: { db: Database },
  { sort, after, ...page }: ListPage<ListSort, SuppressionPosition>,
): Promise<Page<store.Suppression, SuppressionPosition>> {
  const place = { afterEmail: after?.email ?? null, afterTopic: after?.topic ?? null };
  const read = (limit: number) =>
    store.selectSuppressions[sort].all(db.knex, { ...page, ...place, limit });
  return readPage(page.limit, read, ({ email, topic }) => ({ email, topic }));
}

/** The position of a suppression in the list. */
export interface SuppressionPosition {
  email: string;
  topic: string;
}

/** Returns the suppressions of an address. */
export function listSuppressionsOf(
  { db }: { db: Database },
  email: string,
): Promise<store.Suppression[]> {
  return store.selectSuppressionsOf.all(db.knex, { email: normalizeAddress(email) });
}

/** Suppresses a topic, or all mail (`all`), for an address. @throws validation_error */
export async function suppress(
  uow: UnitOfWork,
  { email, topic, reason }: { email: string; topic: string; reason: SuppressionReason },
): Promise<{ email: string; topic: string }> {
  const address = parseAddress(email);
  requireTopic(topic);
  await store.insertSuppression.run(uow.sql, { email: address, topic, reason, now: uow.now });
  return { email: address, topic };
}

/** Ends a suppression. @throws not_found if there is none */
export async function allowAgain(
  uow: UnitOfWork,
  { email, topic }: { email: string; topic: string },
): Promise<{ email: string; topic: string }> {
  const address = normalizeAddress(email);
  if ((await store.deleteSuppression.run(uow.sql, { email: address, topic })) === 0) {
    throw fail('not_found', { message: `${address} is not on the suppression list for ${topic}.` });
  }
  return { email: address, topic };
}

function requireTopic(topic: string): void {
  if (topic !== EVERY_TOPIC && !isMailTopic(topic)) {
    throw invalid([{ path: '/topic', message: 'must be a topic of mail, or all' }]);
  }
}

/** Unsubscribes a recipient from a topic or resubscribes them, at their own request. Idempotent. */
export async function chooseTopic(
  { db }: { db: Database },
  { email, topic }: { email: string; topic: MailTopic },
  wanted: boolean,
): Promise<void> {
  await db.transact(async ({ sql, now }) => {
    if (wanted) await store.deleteSuppression.run(sql, { email, topic });
    else await store.insertSuppression.run(sql, { email, topic, reason: 'unsubscribed', now });
  });
}

import {
  addContact,
  allowAgain,
  type Brand,
  readBrand,
  removeContact,
  requeueMail,
  suppress,
  writeBrand,
} from '../../messaging/mail/mail-settings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { requireOneLine } from '../../platform/one-line.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { readPartner } from './read-partners.ts';

interface Deps {
  db: Database;
}

const STAFF = 'staff';

/** Adds an address that gets the notices of a partner, or of staff (null). @throws not_found, validation_error */
export async function addContactForOps(
  { db }: Deps,
  actor: string,
  partnerId: string | null,
  email: string,
): Promise<string> {
  if (partnerId !== null) await readPartner({ db }, partnerId);
  return db.transact(async (uow) => {
    const address = await addContact(uow, partnerId, email);
    const subject = partnerId ?? STAFF;
    await recordAudit(uow, { actor, action: 'contact:add', subject, after: { email: address } });
    return address;
  });
}

/** Removes an address that gets the notices of a partner, or of staff (null). @throws not_found */
export async function removeContactForOps(
  { db }: Deps,
  actor: string,
  partnerId: string | null,
  email: string,
): Promise<string> {
  return db.transact(async (uow) => {
    const address = await removeContact(uow, partnerId, email);
    const subject = partnerId ?? STAFF;
    const before = { email: address };
    await recordAudit(uow, { actor, action: 'contact:remove', subject, before });
    return address;
  });
}

/** Changes how a partner appears to its buyers. Fields left out stay. @throws not_found, validation_error */
export async function changeBrand(
  { db }: Deps,
  actor: string,
  { partnerId, ...changes }: Pick<Brand, 'partnerId'> & Partial<Brand>,
): Promise<Brand> {
  requireOneLine('/display_name', changes.displayName);
  await readPartner({ db }, partnerId);
  const before = await readBrand({ db }, partnerId);
  return db.transact(async (uow) => {
    const after = await writeBrand(uow, { ...before, ...changes });
    const action = 'partner:brand';
    await recordAudit(uow, { actor, action, subject: partnerId, before, after });
    return after;
  });
}

/** Stops all mails of a topic, or all mails (`all`), to an address. @throws validation_error */
export function suppressForOps(
  { db }: Deps,
  actor: string,
  request: { email: string; topic: string },
): Promise<{ email: string; topic: string }> {
  return db.transact(async (uow) => {
    const after = await suppress(uow, { ...request, reason: 'ops' });
    await recordAudit(uow, { actor, action: 'mail:suppress', subject: after.email, after });
    return after;
  });
}

/** Allows the mails to an address that {@link suppressForOps} stopped. @throws not_found */
export function allowForOps(
  { db }: Deps,
  actor: string,
  request: { email: string; topic: string },
): Promise<{ email: string; topic: string }> {
  return db.transact(async (uow) => {
    const before = await allowAgain(uow, request);
    await recordAudit(uow, { actor, action: 'mail:allow', subject: before.email, before });
    return before;
  });
}

/** Resends a mail that bounced or was suppressed. @throws not_found, conflict (invalid_state) */
export function resendMail({ db }: Deps, actor: string, mailId: string): Promise<void> {
  return db.transact(async (uow) => {
    await requeueMail(uow, mailId);
    await recordAudit(uow, { actor, action: 'mail:resend', subject: mailId });
  });
}

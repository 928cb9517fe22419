import { createHash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { type Clock, formatDay, formatInstant } from '../../platform/clock.ts';
import type {
  ChangeNotice,
  LoginEvent,
  MaintenanceNotice,
  PollMessage,
} from '../epp/epp-objects.ts';
import { insertMessage } from './epp-registrar.store.ts';

/** Returns what staff must know about a message, in plain words; null if the service handles it alone. */
export function wordsForStaff({ fault, change, maintenance }: PollMessage): string | null {
  const words = [
    fault,
    change && changeInWords(change),
    ...maintenance.map((each) => maintenanceInWords(each)),
  ].filter((each) => each !== null);
  return words.length > 0 ? words.join(' ') : null;
}

function changeInWords(change: ChangeNotice): string {
  const { operation, at, by, reason, caseId, state, domain } = change;
  const parts = [
    `The registry changed the domain (${operation}${at ? `, ${formatInstant(at)}` : ''})`,
    by && `by: ${by}`,
    reason && `reason: ${reason}`,
    caseId && `case: ${caseId}`,
  ].filter(Boolean);
  if (!domain) return `${parts.join('; ')}.`;
  const { statuses, nameservers, registrant, expiresAt } = domain;
  const facts = [
    `statuses ${statuses.join(', ') || 'none'}`,
    `name servers ${nameservers.join(', ') || 'none'}`,
    registrant && `registrant ${registrant}`,
    expiresAt && `expires ${formatDay(expiresAt)}`,
  ].filter(Boolean);
  return `${parts.join('; ')}. ${state === 'before' ? 'Before' : 'Afterwards'}: ${facts.join('; ')}.`;
}

function maintenanceInWords({ systems, start, end, kind, reason, detail }: MaintenanceNotice) {
  const from = start ? formatInstant(start) : 'an unknown time';
  const until = end ? formatInstant(end) : 'an unknown time';
  const more = [kind, reason, detail].filter(Boolean).join(', ');
  return `Maintenance of ${systems.join(', ') || 'the registry'} from ${from} to ${until}${more && ` (${more})`}.`;
}

/** Stores a registry's login warning or error for staff, once however often it is repeated. */
export async function keepLoginEvent(
  { db, clock, registry }: { db: Database; clock: Clock; registry: string },
  { type, name, level, expiresAt, text }: LoginEvent,
): Promise<void> {
  const about = JSON.stringify([type, name, level, expiresAt]);
  const ends = expiresAt ? ` It expires ${formatInstant(expiresAt)}.` : '';
  await insertMessage.run(db.knex, {
    registry,
    id: `login-${createHash('sha256').update(about).digest('hex').slice(0, 32)}`,
    queuedAt: null,
    text,
    domain: null,
    transferStatus: null,
    fault: `A login ${level} about our ${name ? `${type} ${name}` : type}.${ends}`,
    raw: null,
    toCheck: false,
    now: clock.now(),
  });
}

/** Stores a notice for staff about our own action at the registry, once per `id`. */
export async function keepOwnNotice(
  uow: UnitOfWork,
  { about, id, domain, fault }: { about: string; id: string; domain: string; fault: string },
): Promise<void> {
  await insertMessage.run(uow.sql, {
    registry: about,
    id,
    queuedAt: null,
    text: '',
    domain,
    transferStatus: null,
    fault,
    raw: null,
    toCheck: false,
    now: uow.now,
  });
}

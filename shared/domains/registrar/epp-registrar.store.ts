import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { DomainStatus } from '../epp/epp-objects.ts';
import type { TransferMethod } from './registrar.ts';

export type PushStatus = 'open' | 'completed' | 'failed' | 'cancelled';
/** The outcome of a command; null in the table while unknown. */
export type CommandOutcome = 'done' | 'refused' | 'not_made';
/** The commands of a push. */
export type PushStep = 'request' | 'contact' | 'registrant' | 'cancel' | 'reject';

/** Inserts a new push; does nothing if the reference exists. */
export const insertPush = defineStatement({
  params: {
    clientReference: text,
    domain: text,
    status: textOf<PushStatus>(),
    handsOver: boolean,
    now: timestamptz,
  },
  text: `insert into registrar_pushes (client_reference, domain, status, hands_over, created_at, updated_at)
    values (:clientReference, :domain, :status, :handsOver, :now, :now)
    on conflict (client_reference) do nothing`,
});

/** Selects a push. */
export const selectPush = defineStatement({
  params: { clientReference: text },
  row: {
    clientReference: text,
    domain: text,
    method: nullable(textOf<TransferMethod>()),
    status: textOf<PushStatus>(),
    reason: nullable(text),
    handsOver: boolean,
    createdAt: timestamptz,
  },
  text: `select client_reference as "clientReference", domain, method, status, reason,
      hands_over as "handsOver", created_at as "createdAt"
    from registrar_pushes where client_reference = :clientReference`,
});

/** Sets the method of an open push. */
export const updatePushMethod = defineStatement({
  params: { clientReference: text, method: textOf<TransferMethod>(), now: timestamptz },
  text: `update registrar_pushes set method = :method, updated_at = :now
    where client_reference = :clientReference and status = 'open' and method is distinct from :method`,
});

/** Ends an open push and clears the buyer's data stored by earlier releases. Leaves an ended push unchanged. */
export const updatePushEnded = defineStatement({
  params: {
    clientReference: text,
    status: textOf<Exclude<PushStatus, 'open'>>(),
    reason: nullable(text),
    now: timestamptz,
  },
  text: `update registrar_pushes
    set status = :status, reason = :reason, registrant = null, updated_at = :now
    where client_reference = :clientReference and status = 'open'`,
});

/** Selects whether a domain belongs to an owner and has no authorization code out. */
export const selectKeptByOwner = defineStatement({
  params: { domain: text },
  row: { found: boolean },
  text: `select exists (select from owned_domains where domain = :domain)
      and not exists (select from transfers_out where domain = :domain and ended_at is null) as found`,
});

/** Selects the oldest open push of a domain. */
export const selectOpenPushOf = defineStatement({
  params: { domain: text },
  row: { clientReference: text, createdAt: timestamptz },
  text: `select client_reference as "clientReference", created_at as "createdAt"
    from registrar_pushes where domain = :domain and status = 'open' order by created_at limit 1`,
});

const CLAIM = {
  clTRID: text,
  clientReference: text,
  step: text,
  domain: text,
  detail: nullable(text),
  duringLegalHold: boolean,
  now: timestamptz,
  busyUntil: timestamptz,
};
/**
 * The condition for sending a command: no legal hold on the domain, unless the command is allowed during a hold, and
 * for an approval, no transfer that the owner is stopping.
 */
const ALLOWED = `(:duringLegalHold or not exists (
    select from legal_holds h where h.domain = :domain and h.lifted_at is null))
  and (:step <> 'approve' or not exists (
    select from transfers_out t where t.domain = :domain and t.status = 'stopping'))`;
/** Selects whether a recorded command may still be sent. */
export const selectAllowed = defineStatement({
  params: { step: text, domain: text, duringLegalHold: boolean },
  row: { allowed: boolean },
  text: `select (${ALLOWED}) as allowed`,
});

const CLAIMED = { since: timestamptz, resumed: boolean, detail: nullable(text) };

/**
 * Records a command of a push before it is sent; `resumed` if it was recorded before with an unknown outcome. No row if
 * the push has ended, the domain is on legal hold, its transfer was stopped, the command was answered, or another
 * process may be sending it.
 */
export const claimPushCommand = defineStatement({
  params: CLAIM,
  row: CLAIMED,
  // The lock makes a cancellation of the push see this command.
  text: `with push as (
      select client_reference from registrar_pushes
      where client_reference = :clientReference and status = 'open' for update
    )
    insert into registrar_commands as c (cl_trid, client_reference, step, domain, detail, first_sent_at,
      sent_at, busy_until)
    select :clTRID, client_reference, :step, :domain, :detail::text, :now::timestamptz, :now::timestamptz,
      :busyUntil::timestamptz from push where ${ALLOWED}
    on conflict (cl_trid) do update set sent_at = excluded.sent_at, busy_until = excluded.busy_until
      where c.answered_at is null and (c.busy_until is null or c.busy_until <= :now)
    returning c.first_sent_at as since, (xmax <> 0) as resumed, c.detail`,
});

/** Like {@link claimPushCommand}, for a command that needs no open push. */
export const claimCommand = defineStatement({
  params: CLAIM,
  row: CLAIMED,
  text: `insert into registrar_commands as c (cl_trid, client_reference, step, domain, detail, first_sent_at,
      sent_at, busy_until)
    select :clTRID, :clientReference, :step, :domain, :detail::text, :now::timestamptz,
      :now::timestamptz, :busyUntil::timestamptz where ${ALLOWED}
    on conflict (cl_trid) do update set sent_at = excluded.sent_at, busy_until = excluded.busy_until
      where c.answered_at is null and (c.busy_until is null or c.busy_until <= :now)
    returning c.first_sent_at as since, (xmax <> 0) as resumed, c.detail`,
});

/** Records the outcome of a command, once. */
export const updateCommandAnswered = defineStatement({
  params: {
    clTRID: text,
    outcome: textOf<CommandOutcome>(),
    code: nullable(integer),
    now: timestamptz,
  },
  text: `update registrar_commands set outcome = :outcome, code = :code, answered_at = :now,
      busy_until = null
    where cl_trid = :clTRID and answered_at is null`,
});

/** Releases an unanswered command: no process is sending it any more. */
export const updateCommandReleased = defineStatement({
  params: { clTRID: text },
  text: 'update registrar_commands set busy_until = null where cl_trid = :clTRID',
});

/** Marks all unanswered commands of a completed push as done. */
export const updateCommandsDone = defineStatement({
  params: { clientReference: text, now: timestamptz },
  text: `update registrar_commands set outcome = 'done', answered_at = :now, busy_until = null
    where client_reference = :clientReference and answered_at is null`,
});

/** Selects the commands of a reference, oldest first. */
export const selectCommands = defineStatement({
  params: { clientReference: text },
  row: {
    clTRID: text,
    step: text,
    since: timestamptz,
    sentAt: timestamptz,
    busyUntil: nullable(timestamptz),
    answeredAt: nullable(timestamptz),
    outcome: nullable(textOf<CommandOutcome>()),
    code: nullable(integer),
    detail: nullable(text),
  },
  text: `select cl_trid as "clTRID", step, first_sent_at as since, sent_at as "sentAt", busy_until as "busyUntil",
      answered_at as "answeredAt", outcome, code, detail
    from registrar_commands where client_reference = :clientReference order by first_sent_at, cl_trid`,
});

/** Selects when requests of other registrars for a domain in our account were rejected, newest first. */
export const selectRejections = defineStatement({
  params: { domain: text, since: timestamptz, limit: bigint },
  row: { at: present(timestamptz, 'a command that was carried out has its time') },
  text: `select answered_at as at from registrar_commands
    where domain = :domain and step = 'reject' and outcome = 'done' and answered_at >= :since
      and (client_reference like 'message-%' or client_reference like 'tro_%')
    order by answered_at desc limit :limit`,
});

const SETTINGS = {
  domain: text,
  autoRenew: boolean,
  privacy: boolean,
  /** The statuses that a legal hold added. */
  holdStatuses: arrayOf(textOf<DomainStatus>()),
  version: bigint,
};
const SETTINGS_COLUMNS = `d.domain, d.auto_renew as "autoRenew", d.privacy,
  d.hold_statuses as "holdStatuses", d.version`;

/** Selects settings of domains in our account that the registry does not store. */
export const selectSettings = defineStatement({
  params: { domains: arrayOf(text) },
  row: SETTINGS,
  text: `select ${SETTINGS_COLUMNS} from registrar_domains d where d.domain = any(:domains)`,
  plan: 'once',
});

/** Records a domain change and its settings; null leaves a setting unchanged. */
export const upsertSettings = defineStatement({
  params: { domain: text, autoRenew: nullable(boolean), privacy: nullable(boolean) },
  row: SETTINGS,
  text: `insert into registrar_domains as d (domain, auto_renew, privacy, version)
    values (:domain, coalesce(:autoRenew, false), coalesce(:privacy, false), 2)
    on conflict (domain) do update set auto_renew = coalesce(:autoRenew, d.auto_renew),
      privacy = coalesce(:privacy, d.privacy), version = d.version + 1
    returning ${SETTINGS_COLUMNS}`,
});

/** Records the statuses that a legal hold is about to add, in addition to those of earlier holds. */
export const noteHoldStatuses = defineStatement({
  params: { domain: text, statuses: arrayOf(text) },
  text: `insert into registrar_domains as d (domain, auto_renew, privacy, version, hold_statuses)
    values (:domain, false, false, 1, :statuses)
    on conflict (domain) do update set hold_statuses = array(
      select distinct s from unnest(d.hold_statuses || excluded.hold_statuses) s order by s)`,
});

/** Clears the recorded hold statuses after their removal. */
export const forgetHoldStatuses = defineStatement({
  params: { domain: text },
  text: `update registrar_domains set hold_statuses = '{}' where domain = :domain`,
});

/** Stores a registry message; existing ones stay unchanged. */
export const insertMessage = defineStatement({
  params: {
    registry: text,
    id: text,
    queuedAt: nullable(timestamptz),
    text,
    domain: nullable(text),
    transferStatus: nullable(text),
    fault: nullable(text),
    raw: nullable(bytea),
    toCheck: boolean,
    now: timestamptz,
  },
  text: `insert into registrar_messages (registry, id, queued_at, text, domain, transfer_status, fault, raw,
      to_check, recorded_at)
    values (:registry, :id, :queuedAt, :text, :domain, :transferStatus, :fault, :raw, :toCheck, :now)
    on conflict (registry, id) do nothing`,
});

/** Records why a message blocks the queue, and marks it as unseen for staff. */
export const updateMessageFault = defineStatement({
  params: { registry: text, id: text, fault: text, raw: bytea },
  text: `update registrar_messages set fault = :fault, raw = :raw, seen_at = null
    where registry = :registry and id = :id and fault is distinct from :fault`,
});

/** Selects unchecked messages that may announce a transfer away, newest first. */
export const selectMessagesToCheck = defineStatement({
  params: { registry: text, limit: bigint },
  row: { id: text, domain: present(text, 'only those that name one are looked into') },
  text: `select id, domain from registrar_messages
    where registry = :registry and to_check and domain is not null
    order by recorded_at desc, id limit :limit`,
});

const UNREAD = {
  registry: text,
  id: text,
  queuedAt: nullable(timestamptz),
  text,
  domain: nullable(text),
  fault: present(text, 'the statement asks for it'),
  raw: nullable(bytea),
  seenAt: nullable(timestamptz),
  recordedAt: timestamptz,
};
/** A registry message that people must read; `fault` says why. */
export type UnreadMessage = RowOf<typeof UNREAD>;
const UNREAD_COLUMNS = `registry, id, queued_at as "queuedAt", text, domain, fault, raw, seen_at as "seenAt",
  recorded_at as "recordedAt"`;

/** Selects messages that staff have not seen, using the index `registrar_messages_unseen`. */
export const selectUnseenMessages = variantsOf(LIST_SORTS, (sort) => {
  const direction = sort === 'newest' ? 'desc' : 'asc';
  return defineStatement({
    params: {
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      after: nullable(text),
      limit: bigint,
    },
    row: UNREAD,
    text: `select ${UNREAD_COLUMNS} from registrar_messages m
      where fault is not null and seen_at is null
        and (:from::timestamptz is null or recorded_at >= :from)
        and (:to::timestamptz is null or recorded_at < :to)
        and (:after::text is null or (recorded_at, id) ${sort === 'newest' ? '<' : '>'}
          (select a.recorded_at, a.id from registrar_messages a where a.id = :after
           order by a.recorded_at limit 1))
      order by recorded_at ${direction}, id ${direction} limit :limit`,
  });
});

/** Selects a message for staff by ID; the later one if two registries use the same ID. */
export const selectUnreadMessage = defineStatement({
  params: { id: text },
  row: UNREAD,
  text: `select ${UNREAD_COLUMNS} from registrar_messages
    where id = :id and fault is not null order by recorded_at desc limit 1`,
});

/** Marks a message as seen by staff. */
export const updateMessageSeen = defineStatement({
  params: { registry: text, id: text, now: timestamptz },
  text: `update registrar_messages set seen_at = :now
    where registry = :registry and id = :id and fault is not null and seen_at is null`,
});

/** Marks a message as checked for a transfer. */
export const updateMessageChecked = defineStatement({
  params: { registry: text, id: text },
  text: 'update registrar_messages set to_check = false where registry = :registry and id = :id',
});

/** Sets the sealed authorization code of a domain. */
export const upsertAuthCode = defineStatement({
  params: { domain: text, sealed: bytea, now: timestamptz },
  text: `insert into domain_auth_codes (domain, sealed, updated_at) values (:domain, :sealed, :now)
    on conflict (domain) do update set sealed = excluded.sealed, updated_at = excluded.updated_at`,
});

/** Selects the sealed authorization code of a domain. */
export const selectAuthCode = defineStatement({
  params: { domain: text },
  row: { sealed: bytea, updatedAt: timestamptz },
  text: `select sealed, updated_at as "updatedAt" from domain_auth_codes where domain = :domain`,
});

/** Deletes the code of a domain after its delivery, which made the code void. */
export const deleteAuthCode = defineStatement({
  params: { domain: text },
  text: 'delete from domain_auth_codes where domain = :domain',
});

/** Selects the next sealed codes, by domain. */
export const selectAuthCodes = defineStatement({
  params: { after: text, limit: bigint },
  row: { domain: text, sealed: bytea },
  text: `select domain, sealed from domain_auth_codes where domain > :after order by domain limit :limit`,
});

/** Replaces sealed codes, except those changed meanwhile. */
export const updateAuthCodesSealed = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update domain_auth_codes d set sealed = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where d.domain = r.id and d.sealed = r.before`,
});

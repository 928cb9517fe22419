import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  present,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { DsData } from '../epp/epp-objects.ts';
import type { ChangeRequest, DomainChange, DomainFacts } from './registrar.ts';

/** A change as stored, without personal data. */
type NotedChange = Exclude<DomainChange, { kind: 'registrant' }> | { kind: 'registrant' };

type SandboxTransferStatus = 'requested' | 'approved' | 'rejected' | 'cleared';
type PushStatus = 'pending' | 'completed' | 'failed' | 'cancelled';

/** Inserts a new push; does nothing if the reference exists. */
export const insertPush = defineStatement({
  params: {
    clientReference: text,
    domain: text,
    status: textOf<PushStatus>(),
    acceptedAt: timestamptz,
    readyAt: timestamptz,
  },
  text: `insert into sandbox_registrar_pushes (client_reference, domain, status, accepted_at, ready_at)
    values (:clientReference, :domain, :status, :acceptedAt, :readyAt)
    on conflict (client_reference) do nothing`,
  plan: 'once',
});

/** Ends a pending push; leaves an ended push unchanged. */
export const updatePushEnded = defineStatement({
  params: { clientReference: text, status: textOf<PushStatus>(), reason: nullable(text) },
  text: `update sandbox_registrar_pushes set status = :status, reason = :reason
    where client_reference = :clientReference and status = 'pending'`,
  plan: 'once',
});

/** Selects a push. */
export const selectPush = defineStatement({
  params: { clientReference: text },
  row: { domain: text, status: textOf<PushStatus>(), reason: nullable(text), readyAt: timestamptz },
  text: `select domain, status, reason, ready_at as "readyAt" from sandbox_registrar_pushes
    where client_reference = :clientReference`,
  plan: 'once',
});

/**
 * Records a code and when its transfer request arrives (null for never), replacing the domain's code that still
 * waits for one. Does nothing if the reference exists or a transfer is pending.
 */
export const insertAuthCode = defineStatement({
  params: {
    clientReference: text,
    domain: text,
    now: timestamptz,
    askedAt: nullable(timestamptz),
  },
  text: `with noted as (
      insert into sandbox_registrar_transfers (client_reference, domain, status, issued_at, asked_at)
      select :clientReference, :domain, 'requested', :now::timestamptz, :askedAt::timestamptz
      where not exists (
        select from sandbox_registrar_transfers
        where domain = :domain and status = 'requested' and asked_at <= :now)
      on conflict (client_reference) do nothing
      returning client_reference
    )
    update sandbox_registrar_transfers t set status = 'cleared' from noted
    where t.domain = :domain and t.status = 'requested' and t.client_reference <> noted.client_reference`,
});

/** Selects the status of a code. */
export const selectAuthCode = defineStatement({
  params: { clientReference: text },
  row: { status: textOf<SandboxTransferStatus>() },
  text: 'select status from sandbox_registrar_transfers where client_reference = :clientReference',
});

/** Removes a code that no transfer request has used. */
export const updateAuthCodeCleared = defineStatement({
  params: { clientReference: text, now: timestamptz },
  text: `update sandbox_registrar_transfers set status = 'cleared'
    where client_reference = :clientReference and status = 'requested'
      and (asked_at is null or asked_at > :now)`,
});

/** Selects the last requested transfer of a domain. */
export const selectTransfer = defineStatement({
  params: { domain: text, now: timestamptz },
  row: {
    status: textOf<Exclude<SandboxTransferStatus, 'cleared'>>(),
    askedAt: present(timestamptz, 'the statement asks for it'),
    answeredAt: nullable(timestamptz),
  },
  text: `select status, asked_at as "askedAt", answered_at as "answeredAt"
    from sandbox_registrar_transfers
    where domain = :domain and status <> 'cleared' and asked_at <= :now
    order by issued_at desc limit 1`,
});

/** Answers the pending transfer of a domain. */
export const updateTransferAnswered = defineStatement({
  params: { domain: text, status: textOf<'approved' | 'rejected'>(), now: timestamptz },
  text: `update sandbox_registrar_transfers set status = :status, answered_at = :now
    where domain = :domain and status = 'requested' and asked_at <= :now`,
});

/** Brings forward the transfer requests of these codes. */
export const updateTransfersHastened = defineStatement({
  params: { clientReferences: arrayOf(text), byMs: bigint },
  text: `update sandbox_registrar_transfers
    set asked_at = asked_at - :byMs::bigint * interval '1 millisecond'
    where client_reference = any(:clientReferences::text[]) and status = 'requested'`,
});

/** Brings forward the end of pending pushes. */
export const updatePushesHastened = defineStatement({
  params: { clientReferences: arrayOf(text), byMs: bigint },
  text: `update sandbox_registrar_pushes set ready_at = ready_at - :byMs::bigint * interval '1 millisecond'
    where client_reference = any(:clientReferences::text[]) and status = 'pending'`,
});

const COLUMNS = `d.domain, d.nameservers, d.locked, d.auto_renew as "autoRenew", d.privacy,
  d.held, d.signers, null::timestamptz as "registeredAt", null::timestamptz as "transferredAt",
  d.expires_at as "expiresAt", d.version`;
const FACTS = {
  domain: text,
  nameservers: arrayOf(text),
  locked: boolean,
  autoRenew: boolean,
  privacy: boolean,
  held: boolean,
  signers: jsonb<readonly DsData[]>(),
  registeredAt: nullable(timestamptz),
  transferredAt: nullable(timestamptz),
  expiresAt: timestamptz,
  version: bigint,
};

/** Inserts unknown domains, all with the same data; known ones stay unchanged. */
export const insertDomains = defineStatement({
  params: { domains: arrayOf(text), nameservers: arrayOf(text), expiresAt: timestamptz },
  text: `insert into sandbox_registrar_domains
      (domain, nameservers, locked, auto_renew, privacy, expires_at, version)
    select d, :nameservers, true, false, true, :expiresAt, 1
    from unnest(:domains::text[]) d order by d collate "C"
    on conflict (domain) do nothing`,
});

/** Selects the records of these domains. */
export const selectDomains = defineStatement({
  params: { domains: arrayOf(text) },
  row: FACTS,
  text: `select ${COLUMNS} from sandbox_registrar_domains d where d.domain = any(:domains)`,
  plan: 'once',
});

/**
 * Makes a change and records its reference in one statement. No row and no change if the reference was recorded before
 * or the domain would be renewed beyond `latestExpiry`. Null values stay unchanged.
 */
export const updateDomain = defineStatement({
  params: {
    reference: text,
    domain: text,
    change: jsonb<NotedChange>(),
    now: timestamptz,
    latestExpiry: timestamptz,
    years: integer,
    nameservers: nullable(arrayOf(text)),
    locked: nullable(boolean),
    autoRenew: nullable(boolean),
    privacy: nullable(boolean),
    held: nullable(boolean),
    signers: nullable(jsonb<readonly DsData[]>()),
  },
  row: FACTS,
  text: `with held as (
      select domain from sandbox_registrar_domains
      where domain = :domain and (:years = 0
        or (expires_at at time zone 'UTC' + make_interval(years => :years)) at time zone 'UTC' <= :latestExpiry)
      for update
    ), noted as (
      insert into sandbox_registrar_effects (client_reference, domain, change, made_at)
      select :reference, domain, :change::jsonb, :now::timestamptz from held
      on conflict (client_reference) do nothing
      returning domain
    )
    update sandbox_registrar_domains d set
      nameservers = coalesce(:nameservers::text[], d.nameservers),
      locked = coalesce(:locked, d.locked),
      auto_renew = coalesce(:autoRenew, d.auto_renew),
      privacy = coalesce(:privacy, d.privacy),
      held = coalesce(:held, d.held),
      signers = coalesce(:signers::jsonb, d.signers),
      expires_at = (d.expires_at at time zone 'UTC' + make_interval(years => :years)) at time zone 'UTC',
      version = d.version + 1
    from noted where d.domain = noted.domain
    returning ${COLUMNS}`,
  plan: 'once',
});

/** Selects the change made under this reference. */
export const selectChange = defineStatement({
  params: { clientReference: text },
  row: { change: jsonb<NotedChange>() },
  text: 'select change from sandbox_registrar_effects where client_reference = :clientReference',
});

/**
 * Makes the change and records its reference. Returns undefined and changes nothing if the reference was recorded
 * before or the domain would be renewed beyond `latestExpiry`.
 */
export function makeChange(
  sql: Sql,
  { clientReference, domain, change }: ChangeRequest,
  at: { now: Date; latestExpiry: Date },
): Promise<DomainFacts | undefined> {
  return updateDomain.first(sql, {
    reference: clientReference,
    domain,
    change: change.kind === 'registrant' ? { kind: change.kind } : change,
    now: at.now,
    latestExpiry: at.latestExpiry,
    ...UNCHANGED,
    ...changedBy(change),
  });
}

const UNCHANGED = {
  years: 0,
  nameservers: null,
  locked: null,
  autoRenew: null,
  privacy: null,
  held: null,
  signers: null,
};

type Changed = Partial<
  Pick<DomainFacts, 'nameservers' | 'locked' | 'autoRenew' | 'privacy' | 'held' | 'signers'> & {
    years: number;
  }
>;

/** Returns the values that a change sets. A missing kind does not compile, so no change can be reported as made. */
function changedBy(change: DomainChange): Changed {
  switch (change.kind) {
    case 'nameservers':
      return { nameservers: [...change.nameservers] };
    case 'lock':
      return { locked: change.enabled };
    case 'hold':
      return { held: change.enabled };
    case 'signers':
      return { signers: change.signers };
    case 'auto_renew':
      return { autoRenew: change.enabled };
    case 'privacy':
      return { privacy: change.enabled };
    case 'renew':
      return { years: change.years };
    // The renewal that follows ends the redemption period.
    case 'restore':
      return {};
    // The sandbox stores domains, not people.
    case 'registrant':
      return {};
    // Staff enforce the hold; the sandbox has no such status.
    case 'legal_hold':
      return {};
  }
}

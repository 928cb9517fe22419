import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
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
import type { DomainRegistrant } from './domain-registrant.ts';

const REGISTRANT = {
  id: text,
  environment: textOf<Environment>(),
  domain: text,
  partnerId: nullable(text),
  orderId: nullable(text),
  sealed: bytea,
  verification: textOf<DomainRegistrant['verification']>(),
  round: integer,
  verifyBy: timestamptz,
  mails: integer,
  mailedAt: nullable(timestamptz),
  hold: textOf<DomainRegistrant['hold']>(),
  changedAt: nullable(timestamptz),
  registeredAt: timestamptz,
};
const COLUMNS = `id, environment, domain, partner_id as "partnerId", order_id as "orderId", sealed, verification,
  round, verify_by as "verifyBy", mails, mailed_at as "mailedAt", hold, changed_at as "changedAt",
  registered_at as "registeredAt"`;

/**
 * Records the registrant of a domain and replaces any earlier one. An unverified address starts a new round. With
 * `keepsHold` an earlier hold stays until an address is verified; otherwise it is marked `asked`, to be lifted.
 */
export const upsertRegistrant = defineStatement({
  params: {
    id: text,
    environment: textOf<Environment>(),
    domain: text,
    partnerId: nullable(text),
    orderId: nullable(text),
    sealed: bytea,
    digest: bytea,
    verification: textOf<DomainRegistrant['verification']>(),
    verifyBy: timestamptz,
    changedAt: nullable(timestamptz),
    keepsHold: boolean,
    now: timestamptz,
  },
  row: REGISTRANT,
  text: `insert into domain_registrants as r (id, environment, domain, partner_id, order_id, sealed, address_digest,
      verification, verify_by, changed_at, registered_at, updated_at)
    values (:id, :environment, :domain, :partnerId, :orderId, :sealed, :digest, :verification, :verifyBy,
      :changedAt, :now, :now)
    on conflict (environment, domain) do update set partner_id = excluded.partner_id,
      order_id = excluded.order_id, sealed = excluded.sealed, address_digest = excluded.address_digest,
      verification = excluded.verification, round = r.round + 1, verify_by = excluded.verify_by, mails = 0,
      mailed_at = null, hold = case when :keepsHold or r.hold = 'none' then r.hold else 'asked' end,
      hold_refused_at = null, hold_refusal = null, changed_at = excluded.changed_at, registered_at = excluded.registered_at,
      updated_at = excluded.updated_at
    returning ${COLUMNS}`,
});

/** Selects the registrant of a domain. */
export const selectRegistrant = defineStatement({
  params: { environment: textOf<Environment>(), domain: text },
  row: REGISTRANT,
  text: `select ${COLUMNS} from domain_registrants where environment = :environment and domain = :domain`,
});

/** Selects when the registrants of these domains changed to somebody else; no row for those that never did. */
export const selectChanged = defineStatement({
  params: { environment: textOf<Environment>(), domains: arrayOf(text) },
  row: { domain: text, changedAt: present(timestamptz, 'the WHERE bounds it') },
  text: `select domain, changed_at as "changedAt" from domain_registrants
    where environment = :environment and domain = any(:domains) and changed_at is not null`,
});

/** Selects the registrant of an order's domain. */
export const selectRegistrantOfOrder = defineStatement({
  params: { orderId: text },
  row: REGISTRANT,
  text: `select ${COLUMNS} from domain_registrants where order_id = :orderId order by registered_at desc limit 1`,
});

/** Selects the registrants of these orders' domains. */
export const selectRegistrantsOfOrders = defineStatement({
  params: { orderIds: arrayOf(text) },
  row: REGISTRANT,
  text: `select ${COLUMNS} from domain_registrants where order_id = any(:orderIds)`,
});

/** Selects a registrant by ID. */
export const selectRegistrantById = defineStatement({
  params: { id: text },
  row: REGISTRANT,
  text: `select ${COLUMNS} from domain_registrants where id = :id`,
});

/** Like {@link selectRegistrantById}, but locks the row until the transaction ends. */
export const selectRegistrantForUpdate = defineStatement({
  params: { id: text },
  row: REGISTRANT,
  text: `select ${COLUMNS} from domain_registrants where id = :id for update`,
});

/** Selects whether the same person has verified the same address, for this domain or another one. */
export const selectIsVerified = defineStatement({
  params: { digest: bytea },
  row: { found: boolean },
  text: `select exists (select from domain_registrants
    where address_digest = :digest and verification = 'verified') as found`,
});

/** Counts one more mail to the registrant. */
export const updateMailed = defineStatement({
  params: { id: text, now: timestamptz },
  row: { mails: integer },
  text: `update domain_registrants set mails = mails + 1, mailed_at = :now, updated_at = :now
    where id = :id returning mails`,
});

/** Selects unverified registrants with the same person and address as this one, itself first. */
export const selectSameAddress = defineStatement({
  params: { id: text },
  row: { id: text, orderId: nullable(text) },
  text: `select o.id, o.order_id as "orderId" from domain_registrants r
      join domain_registrants o on o.address_digest = r.address_digest and o.verification = 'pending'
    where r.id = :id order by o.id <> r.id, o.id`,
});

/** Updates the data of the same registrant. */
export const updateCorrected = defineStatement({
  params: { id: text, sealed: bytea, digest: bytea, now: timestamptz },
  text: `update domain_registrants set sealed = :sealed, address_digest = :digest, updated_at = :now
    where id = :id`,
});

/** Marks a registrant's address as verified. */
export const updateVerified = defineStatement({
  params: { id: text, now: timestamptz },
  text: `update domain_registrants set verification = 'verified', updated_at = :now
    where id = :id and verification = 'pending'`,
});

/** Records the state of the hold at the registry. */
export const updateHold = defineStatement({
  params: { id: text, hold: textOf<DomainRegistrant['hold']>(), now: timestamptz },
  text: `update domain_registrants set hold = :hold, hold_refused_at = null, hold_refusal = null,
      updated_at = :now
    where id = :id`,
});

/** Records that the registry refused the last hold or lift request, and since when it refuses. */
export const updateHoldRefused = defineStatement({
  params: { id: text, refusal: text, now: timestamptz },
  text: `update domain_registrants set hold_refused_at = coalesce(hold_refused_at, :now),
      hold_refusal = :refusal, updated_at = :now
    where id = :id`,
});

const REFUSED_HOLD = {
  id: text,
  domain: text,
  orderId: nullable(text),
  verification: textOf<DomainRegistrant['verification']>(),
  refusedAt: present(timestamptz, 'the WHERE asks for it'),
  refusal: present(text, 'it is written with the time'),
};
/** A LIVE domain whose registry refused to set or lift the hold for the registrant's address. */
export type RefusedHold = RowOf<typeof REFUSED_HOLD>;

/** Selects refused holds by registrant ID, using the index `domain_registrants_hold_refused`. */
export const selectRefusedHolds = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: ID_PAGE,
    row: REFUSED_HOLD,
    text: `select id, domain, order_id as "orderId", verification, hold_refused_at as "refusedAt",
        hold_refusal as refusal
      from domain_registrants
      where hold_refused_at is not null and environment = 'LIVE' and ${idPageSql('id', sort)}`,
  }),
);

/**
 * Deletes the registrant of a domain that has left us or changed owners, only if registered for `orderId` unless that is
 * null, and returns the state of their hold.
 */
export const deleteRegistrant = defineStatement({
  params: { environment: textOf<Environment>(), domain: text, orderId: nullable(text) },
  row: { id: text, hold: textOf<DomainRegistrant['hold']>() },
  text: `delete from domain_registrants where environment = :environment and domain = :domain
      and (:orderId::text is null or order_id = :orderId)
    returning id, hold`,
});

/** Selects unverified registrants of a partner's sandbox. */
export const selectPendingOfSandbox = defineStatement({
  params: { partnerId: text, limit: bigint },
  row: { id: text },
  text: `select id from domain_registrants
    where partner_id = :partnerId and environment = 'SANDBOX' and verification = 'pending'
    order by id limit :limit`,
});

/** Selects registrants of the next owned LIVE domains, by ID. */
export const selectOwnedAfter = defineStatement({
  params: { after: text, limit: bigint },
  row: { id: text, environment: textOf<Environment>(), domain: text, sealed: bytea },
  text: `select id, environment, domain, sealed from domain_registrants r
    where id > :after and environment = 'LIVE'
      and exists (select from owned_domains o where o.domain = r.domain)
    order by id limit :limit`,
});

/** Selects the next sealed registrants, by ID. */
export const selectSealed = defineStatement({
  params: { after: text, limit: bigint },
  row: { id: text, environment: textOf<Environment>(), domain: text, sealed: bytea },
  text: `select id, environment, domain, sealed from domain_registrants
    where id > :after order by id limit :limit`,
});

/** Replaces sealed registrants, except those changed meanwhile. */
export const updateSealed = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update domain_registrants d set sealed = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where d.id = r.id and d.sealed = r.before`,
});

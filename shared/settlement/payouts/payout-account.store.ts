import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bytea,
  integer,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

/** The revision of an account, and the users who set and approved it. */
const DESTINATION = {
  revision: integer,
  setBy: nullable(text),
  usableFrom: nullable(timestamptz),
  approvedBy: nullable(text),
};
const DESTINATION_COLUMNS = `revision, set_by as "setBy", usable_from as "usableFrom", approved_by as "approvedBy"`;
/** Starts the next revision for a changed account, not approved yet. */
const NEXT_REVISION = (
  table: string,
) => `revision = ${table}.revision + 1, set_by = excluded.set_by,
      usable_from = excluded.usable_from, approved_by = null, approved_at = null, updated_at = excluded.updated_at`;

/** Serializes changes to a partner's accounts until the transaction ends; a first account has no row to lock. */
export const lockAccounts = defineStatement({
  params: { partnerId: text },
  row: { id: text },
  text: 'select id from partners where id = :partnerId for no key update',
});

/** Sets a partner's bank account. */
export const upsertAccount = defineStatement({
  params: {
    partnerId: text,
    holder: text,
    iban: bytea,
    ibanEnd: text,
    bic: nullable(text),
    setBy: text,
    usableFrom: nullable(timestamptz),
    now: timestamptz,
  },
  text: `insert into payout_accounts (partner_id, holder, iban, iban_end, bic, set_by, usable_from, updated_at)
    values (:partnerId, :holder, :iban, :ibanEnd, :bic, :setBy, :usableFrom, :now)
    on conflict (partner_id) do update set holder = excluded.holder, iban = excluded.iban,
      iban_end = excluded.iban_end, bic = excluded.bic, ${NEXT_REVISION('payout_accounts')}`,
});

const ACCOUNT = {
  partnerId: text,
  holder: text,
  iban: bytea,
  ibanEnd: text,
  bic: nullable(text),
  ...DESTINATION,
};
const COLUMNS = `partner_id as "partnerId", holder, iban, iban_end as "ibanEnd", bic, ${DESTINATION_COLUMNS}`;

/** Selects the bank accounts of these partners; no row for a partner without one. */
export const selectAccounts = defineStatement({
  params: { partnerIds: arrayOf(text) },
  row: ACCOUNT,
  text: `select ${COLUMNS} from payout_accounts where partner_id = any(:partnerIds)`,
});

/** Selects a partner's bank account, locked until the transaction ends. */
export const selectAccountForUpdate = defineStatement({
  params: { partnerId: text },
  row: ACCOUNT,
  text: `select ${COLUMNS} from payout_accounts where partner_id = :partnerId for update`,
});

/** Records who approved a changed account. */
export const updateAccountApproved = defineStatement({
  params: { partnerId: text, approvedBy: text, now: timestamptz },
  text: `update payout_accounts set approved_by = :approvedBy, approved_at = :now
    where partner_id = :partnerId`,
});

/** Selects the encrypted account numbers, by partner. */
export const selectSealedAccounts = defineStatement({
  params: { after: text, limit: bigint },
  row: { partnerId: text, iban: bytea },
  text: `select partner_id as "partnerId", iban from payout_accounts
    where partner_id > :after order by partner_id limit :limit`,
});

/** Re-encrypts account numbers, except those changed meanwhile. */
export const updateAccountsSealed = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update payout_accounts a set iban = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where a.partner_id = r.id and a.iban = r.before`,
});

/** Sets a partner's connected account at the payment provider. */
export const upsertConnectedAccount = defineStatement({
  params: {
    partnerId: text,
    account: text,
    setBy: text,
    usableFrom: nullable(timestamptz),
    now: timestamptz,
  },
  text: `insert into connected_accounts (partner_id, account, set_by, usable_from, updated_at)
    values (:partnerId, :account, :setBy, :usableFrom, :now)
    on conflict (partner_id) do update set account = excluded.account, ${NEXT_REVISION('connected_accounts')}`,
});

const CONNECTED_COLUMNS = `account, ${DESTINATION_COLUMNS}`;

/** Selects a partner's connected account at the payment provider; no row without one. */
export const selectConnectedAccount = defineStatement({
  params: { partnerId: text },
  row: { account: text, ...DESTINATION },
  text: `select ${CONNECTED_COLUMNS} from connected_accounts where partner_id = :partnerId`,
});

/** Like {@link selectConnectedAccount}, but locks the row until the transaction ends. */
export const selectConnectedAccountForUpdate = defineStatement({
  params: { partnerId: text },
  row: { account: text, ...DESTINATION },
  text: `select ${CONNECTED_COLUMNS} from connected_accounts where partner_id = :partnerId for update`,
});

/** Records who approved a changed connected account. */
export const updateConnectedAccountApproved = defineStatement({
  params: { partnerId: text, approvedBy: text, now: timestamptz },
  text: `update connected_accounts set approved_by = :approvedBy, approved_at = :now
    where partner_id = :partnerId`,
});

/** Selects a partner's accounts, the bank account first; columns of the other kind are empty. */
export const selectDestinations = defineStatement({
  params: { partnerId: text },
  row: {
    kind: textOf<'bank' | 'provider'>(),
    holder: text,
    ibanEnd: text,
    account: text,
    ...DESTINATION,
  },
  text: `select 'bank' as kind, holder, iban_end as "ibanEnd", '' as account, ${DESTINATION_COLUMNS}
    from payout_accounts where partner_id = :partnerId
    union all
    select 'provider', '', '', account, ${DESTINATION_COLUMNS}
    from connected_accounts where partner_id = :partnerId
    order by kind`,
});

import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bytea,
  nullable,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';

/** Sets where a partner wants its money. */
export const upsertAccount = defineStatement({
  params: {
    partnerId: text,
    holder: text,
    iban: bytea,
    ibanEnd: text,
    bic: nullable(text),
    now: timestamptz,
  },
  text: `insert into payout_accounts (partner_id, holder, iban, iban_end, bic, updated_at)
    values (:partnerId, :holder, :iban, :ibanEnd, :bic, :now)
    on conflict (partner_id) do update set holder = excluded.holder, iban = excluded.iban,
      iban_end = excluded.iban_end, bic = excluded.bic, updated_at = excluded.updated_at`,
});

const ACCOUNT = { partnerId: text, holder: text, iban: bytea, ibanEnd: text, bic: nullable(text) };
const COLUMNS = 'partner_id as "partnerId", holder, iban, iban_end as "ibanEnd", bic';

/** Where these partners want their money; no row for one that did not say. */
export const selectAccounts = defineStatement({
  params: { partnerIds: arrayOf(text) },
  row: ACCOUNT,
  text: `select ${COLUMNS} from payout_accounts where partner_id = any(:partnerIds)`,
});

/** The sealed numbers of accounts, by partner. */
export const selectSealedAccounts = defineStatement({
  params: { after: text, limit: bigint },
  row: { partnerId: text, iban: bytea },
  text: `select partner_id as "partnerId", iban from payout_accounts
    where partner_id > :after order by partner_id limit :limit`,
});

/** Seals numbers anew; one that was set anew meanwhile stays as it is. */
export const updateAccountsSealed = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update payout_accounts a set iban = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where a.partner_id = r.id and a.iban = r.before`,
});

/** Sets where the payment provider sends a partner's money. */
export const upsertConnectedAccount = defineStatement({
  params: { partnerId: text, account: text, now: timestamptz },
  text: `insert into connected_accounts (partner_id, account, updated_at)
    values (:partnerId, :account, :now)
    on conflict (partner_id) do update set account = excluded.account, updated_at = excluded.updated_at`,
});

/** Where the payment provider sends a partner's money; no row for one that has no account there. */
export const selectConnectedAccount = defineStatement({
  params: { partnerId: text },
  row: { account: text },
  text: 'select account from connected_accounts where partner_id = :partnerId',
});

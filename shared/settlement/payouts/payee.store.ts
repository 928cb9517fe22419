import { defineStatement } from '../../platform/database/sql-statement.ts';
import { bigint, boolean, nullable, text } from '../../platform/database/sql-types.ts';

const PAYEE = {
  partnerId: text,
  legalName: text,
  holder: nullable(text),
  country: nullable(text),
  hasLists: boolean,
};
const COLUMNS = `p.id as "partnerId", coalesce(t.legal_name, p.name) as "legalName", a.holder, t.country,
  exists (select 1 from screening_lists) as "hasLists"`;
const FROM = `from partners p left join partner_tax_profiles t on t.partner_id = p.id
  left join payout_accounts a on a.partner_id = p.id`;

/** Selects the names under which a partner is paid, and whether there are sanctions lists to compare. */
export const selectPayee = defineStatement({
  params: { partnerId: text },
  row: PAYEE,
  text: `select ${COLUMNS} ${FROM} where p.id = :partnerId`,
});

/** Selects the next partners, by ID, that have an account or a pending LIVE payout. */
export const selectPayeesAfter = defineStatement({
  params: { after: text, limit: bigint },
  row: PAYEE,
  text: `select ${COLUMNS} ${FROM}
    where p.id > :after and (a.holder is not null
      or exists (select 1 from connected_accounts c where c.partner_id = p.id)
      or exists (select 1 from payouts y
        where y.partner_id = p.id and y.environment = 'LIVE' and y.status = 'pending'))
    order by p.id limit :limit`,
});

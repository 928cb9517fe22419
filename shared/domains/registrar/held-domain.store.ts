import { defineStatement } from '../../platform/database/sql-statement.ts';
import { boolean, text } from '../../platform/database/sql-types.ts';

/** Selects whether a LIVE domain is on legal hold. */
export const selectOnLegalHold = defineStatement({
  params: { domain: text },
  row: { found: boolean },
  text: `select exists (
      select from legal_holds where domain = :domain and lifted_at is null) as found`,
});

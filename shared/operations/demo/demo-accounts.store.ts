import { defineStatement } from '../../platform/database/sql-statement.ts';
import { arrayOf, text } from '../../platform/database/sql-types.ts';

/** Selects the ids of the demo accounts that are still usable. */
export const selectActiveDemoAccounts = defineStatement({
  row: { partners: arrayOf(text), users: arrayOf(text) },
  text: `select
      array(select id from partners where demo and status = 'active' order by id) as partners,
      array(select id from users where demo and disabled_at is null order by id) as users`,
});

import type { Knex } from 'knex';

const kinds = (more: string) => `
  alter table legal_holds drop constraint legal_holds_kind_check,
    add constraint legal_holds_kind_check
      check (kind in ('court_order', 'udrp', 'urs', 'law_enforcement', ${more}'other'))`;

/** Lets a legal hold exist because the registrant may be on a sanctions list. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(kinds("'sanctions', "));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`update legal_holds set kind = 'other' where kind = 'sanctions'`);
  await knex.raw(kinds(''));
}

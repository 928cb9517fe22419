import type { Knex } from 'knex';

export const config = { transaction: false };

const BATCH = 5_000;

/**
 * Gives the deliveries of before their type, some thousands at a time. One that is being written to is passed over,
 * and met again by the next round.
 */
export async function up(knex: Knex): Promise<void> {
  for (let left = true; left; ) left = await fillRound(knex);
}

/** Goes through all deliveries once; whether some without a type were met. */
async function fillRound(knex: Knex): Promise<boolean> {
  let met = false;
  for (let after = ''; ; ) {
    const { rows } = await knex.raw(
      `with lacking as (
         select id, event_id from webhook_deliveries
         where event_type is null and id > :after order by id limit ${BATCH}),
       free as (
         select d.id from webhook_deliveries d join lacking using (id) order by d.id for no key update of d skip locked),
       filled as (
         update webhook_deliveries d set event_type = e.type
         from free join lacking using (id) join events e on e.id = lacking.event_id where d.id = free.id)
       select max(id) as last from lacking`,
      { after },
    );
    if (rows[0].last === null) return met;
    met = true;
    after = rows[0].last;
  }
}

export async function down(): Promise<void> {}

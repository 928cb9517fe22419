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
      `select max(id) as last from (select id from webhook_deliveries
         where event_type is null and id > :after order by id limit ${BATCH}) lacking`,
      { after },
    );
    const [{ last }] = rows;
    if (last === null) return met;
    await fill(knex, after, last);
    met = true;
    after = last;
  }
}

/**
 * Those after `after` up to `last` that nobody is writing to. They are locked by a statement of its own: one that joins
 * and writes rows which change under it is worked out anew for each of them, and has read others' bytes for theirs.
 */
async function fill(knex: Knex, after: string, last: string): Promise<void> {
  await knex.transaction(async (tx) => {
    const { rows } = await tx.raw(
      `select id from webhook_deliveries
       where event_type is null and id > :after and id <= :last order by id for no key update skip locked`,
      { after, last },
    );
    await tx.raw(
      `update webhook_deliveries d set event_type = e.type from events e
       where e.id = d.event_id and d.id = any(:ids)`,
      { ids: rows.map(({ id }: { id: string }) => id) },
    );
  });
}

export async function down(): Promise<void> {}

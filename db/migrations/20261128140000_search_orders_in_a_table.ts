import type { Knex } from 'knex';

/** No transaction: orders are copied in batches, each in its own transaction. */
export const config = { transaction: false };

const PORTION = 20_000;

/**
 * The fields we search orders by hardly ever change, but every status change of an order wrote them to the index again.
 * The trigger adds orders that either release records while the older ones are being copied.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists order_search (
      order_id text collate "C" primary key references orders (id) on delete cascade,
      domain text not null,
      buyer_email text not null
    )`);
  await knex.raw(`create or replace function keep_order_search() returns trigger language plpgsql as $$
    begin
      insert into order_search (order_id, domain, buyer_email) values (new.id, new.domain, new.buyer_email)
      on conflict (order_id) do update set domain = excluded.domain, buyer_email = excluded.buyer_email;
      return null;
    end $$`);
  await knex.raw(`create or replace trigger orders_keep_search after insert or update of domain, buyer_email on orders
    for each row execute function keep_order_search()`);
  for (let after = ''; ; ) {
    const { rows } = await knex.raw(
      `with portion as (select id, domain, buyer_email from orders where id > ? order by id limit ${PORTION}),
         copied as (
           insert into order_search (order_id, domain, buyer_email) select id, domain, buyer_email from portion
           on conflict do nothing)
       select max(id) as last from portion`,
      [after],
    );
    if (rows[0].last === null) break;
    after = rows[0].last;
  }
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists order_search_parts');
  await knex.raw(
    'create index concurrently order_search_parts on order_search using gin (domain gin_trgm_ops, buyer_email gin_trgm_ops)',
  );
  await knex.raw('drop index concurrently if exists orders_search');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_search');
  await knex.raw(
    'create index concurrently orders_search on orders using gin (domain gin_trgm_ops, buyer_email gin_trgm_ops)',
  );
  await knex.raw('drop trigger if exists orders_keep_search on orders');
  await knex.raw('drop function if exists keep_order_search');
  await knex.raw('drop table if exists order_search');
}

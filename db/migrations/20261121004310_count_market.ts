import type { Knex } from 'knex';

/**
 * How many domains are on the public market, by suffix and category: kept as changes, which concurrent sales
 * can write without waiting for each other, and folded into tallies by a worker. A count is the sum of both,
 * so it is exact at any time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table market_tallies (
      tld text collate "C" not null,
      -- In lower case; empty for none.
      category text not null,
      listings bigint not null,
      primary key (tld, category)
    );
    create table market_deltas (
      id bigint generated always as identity primary key,
      tld text collate "C" not null,
      category text not null,
      listings bigint not null
    );

    insert into market_tallies (tld, category, listings)
    select tld, coalesce(lower(category), ''), count(*)
    from listings where environment = 'LIVE' and status = 'listed' group by 1, 2;

    create function tally_market() returns trigger language plpgsql as $$
    begin
      if tg_op = 'TRUNCATE' then
        truncate market_tallies, market_deltas;
      elsif tg_op = 'INSERT' then
        insert into market_deltas (tld, category, listings)
        select tld, coalesce(lower(category), ''), count(*) from added
        where environment = 'LIVE' and status = 'listed' group by 1, 2;
      elsif tg_op = 'DELETE' then
        insert into market_deltas (tld, category, listings)
        select tld, coalesce(lower(category), ''), -count(*) from removed
        where environment = 'LIVE' and status = 'listed' group by 1, 2;
      else
        insert into market_deltas (tld, category, listings)
        select tld, coalesce(lower(category), ''), sum(n)
        from (select 1 as n, environment, status, tld, category from added
              union all select -1, environment, status, tld, category from removed) l
        where environment = 'LIVE' and status = 'listed' group by 1, 2 having sum(n) <> 0;
      end if;
      return null;
    end $$;
    create trigger listings_tally_insert after insert on listings
      referencing new table as added for each statement execute function tally_market();
    create trigger listings_tally_update after update on listings
      referencing old table as removed new table as added
      for each statement execute function tally_market();
    create trigger listings_tally_delete after delete on listings
      referencing old table as removed for each statement execute function tally_market();
    create trigger listings_tally_truncate after truncate on listings
      for each statement execute function tally_market();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger listings_tally_insert on listings;
    drop trigger listings_tally_update on listings;
    drop trigger listings_tally_delete on listings;
    drop trigger listings_tally_truncate on listings;
    drop function tally_market();
    drop table market_deltas, market_tallies;
  `);
}

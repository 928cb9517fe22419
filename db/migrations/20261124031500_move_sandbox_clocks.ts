import type { Knex } from 'knex';

/**
 * How far each partner has moved its sandbox ahead of real time, and how far the owner of a hold had when it was
 * made, since holds are everybody's.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sandbox_clocks (
      partner_id text collate "C" primary key references partners (id),
      ahead_ms bigint not null default 0 check (ahead_ms between 0 and 63158400000),
      target timestamptz,
      advancing boolean not null default false,
      moved_at timestamptz not null,
      constraint sandbox_clocks_advance_somewhere check (not advancing or target is not null)
    );
    create function sandbox_clock_goes_forward() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' or new.partner_id <> old.partner_id or new.ahead_ms < old.ahead_ms then
        raise exception 'the clock of a sandbox only goes forward'
          using errcode = 'restrict_violation', constraint = 'sandbox_clock_goes_forward';
      end if;
      return new;
    end $$;
    create trigger sandbox_clocks_go_forward before update or delete on sandbox_clocks
      for each row execute function sandbox_clock_goes_forward();
    alter table quotes add column ahead_ms bigint not null default 0 check (ahead_ms >= 0);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table quotes drop column ahead_ms;
    drop table sandbox_clocks;
    drop function sandbox_clock_goes_forward();
  `);
}

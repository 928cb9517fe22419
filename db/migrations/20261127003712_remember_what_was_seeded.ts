import type { Knex } from 'knex';

/** What was seeded before this was remembered is seeded still: each part is known by what it made last. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table demo_seeds (
      part text primary key,
      seeded_at timestamptz not null
    );
    insert into demo_seeds (part, seeded_at)
      select 'accounts', now() where exists (select from users where demo and role = 'owner')
      union all
      select 'owned domains', now() where exists (
        select from owned_domains d join users u on u.id = d.user_id where u.demo)
      union all
      select 'inventory ' || environment, now() from listings
        where (environment, domain) in (('SANDBOX', 'tidycart.io'), ('LIVE', 'harborlantern.com'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table demo_seeds');
}

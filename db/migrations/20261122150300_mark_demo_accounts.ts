import type { Knex } from 'knex';

/**
 * What seeding made is known by a mark, so that production can refuse it. A key pair is of the demo when its
 * partner is. Who seeded before is told by the audit trail.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table partners add column demo boolean not null default false;
    alter table users add column demo boolean not null default false;
    update partners set demo = true where id in (
      select subject from audit_log where actor = 'seed' and action = 'partner:create');
    update users set demo = true where id in (
      select subject from audit_log where actor = 'seed' and action = 'user:create');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users drop column demo;
    alter table partners drop column demo;
  `);
}

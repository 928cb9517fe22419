import type { Knex } from 'knex';

/**
 * How a sold domain reaches its buyer: into an account with us, or to the partner's registrar. Older orders have no
 * delivery method: they use their partner's.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table partners add column delivery_method text not null default 'account',
      add constraint partners_delivery_method_check
        check (delivery_method in ('account', 'partner_registrar'));
    alter table orders add column delivery_method text,
      add column gaining_registrar text,
      add constraint orders_delivery_method_check
        check (delivery_method in ('account', 'partner_registrar'));
    alter table transfers add column delivery_method text not null default 'account',
      add constraint transfers_delivery_method_check
        check (delivery_method in ('account', 'partner_registrar'));
    alter table owned_domains add column bought_with text collate "C" references orders;
    alter table registrar_pushes add column hands_over boolean not null default true;
    create table deliveries (
      order_id text collate "C" not null primary key references orders,
      method text not null check (method in ('account', 'partner_registrar')),
      status text not null check (status in
        ('awaiting_claim', 'code_issued', 'pending_transfer', 'delivered', 'expired', 'failed')),
      since timestamptz not null,
      expires_at timestamptz,
      issue integer not null,
      issued_at timestamptz not null,
      code_hash bytea,
      requested_by text,
      created_at timestamptz not null
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table deliveries;
    alter table registrar_pushes drop column hands_over;
    alter table owned_domains drop column bought_with;
    alter table transfers drop column delivery_method;
    alter table orders drop column delivery_method, drop column gaining_registrar;
    alter table partners drop column delivery_method`);
}

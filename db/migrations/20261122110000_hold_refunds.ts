import type { Knex } from 'knex';

/**
 * A refund of an order whose push may have left waits for the registrar: the request stands in a table of its
 * own until the push is known to be stopped or staff decides, and its transfer says that it waits.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table transfers add column cancellation text
      constraint transfers_cancellation_check
      check (cancellation in ('requested', 'too_late', 'unanswered'));
    create index transfers_cancellation_open on transfers (updated_at) where cancellation is not null;

    create table refund_requests (
      id text collate "C" primary key,
      order_id text collate "C" not null references orders (id),
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      status text not null check (status in ('pending', 'completed', 'declined')),
      reason text not null,
      note text,
      requested_by text not null,
      created_at timestamptz not null,
      closed_at timestamptz,
      constraint refund_requests_closed_at_check check ((status = 'pending') = (closed_at is null))
    );
    create index refund_requests_by_order on refund_requests (order_id, created_at);
    create unique index refund_requests_one_pending on refund_requests (order_id) where status = 'pending';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table refund_requests;
    alter table transfers drop column cancellation;
  `);
}

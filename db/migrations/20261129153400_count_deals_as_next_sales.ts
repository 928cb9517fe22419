import type { Knex } from 'knex';

/**
 * Counts brokerage deals about domains that were bought here, and are not delivered yet, as the next sale of the
 * domain's listing, so that the owner cannot list it meanwhile. These orders had no listing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `with deals as (
       select o.id, l.id as listing_id, l.sale_number + 1 as sale_number
       from orders o
       join listings l on l.environment = o.environment and l.domain = o.domain and l.status = 'sold'
       where o.listing_id is null and o.transfer_completed_at is null
         and o.status not in ('REFUNDED', 'CANCELLED')
     ), sold as (
       update listings l set sale_number = d.sale_number from deals d where l.id = d.listing_id
     )
     update orders o set listing_id = d.listing_id, sale_number = d.sale_number from deals d
     where o.id = d.id`,
  );
}

/** The orders keep their listings, which the previous version can read. */
export async function down(): Promise<void> {}

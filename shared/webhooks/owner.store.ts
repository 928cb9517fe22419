import type { Sql } from '../platform/db.ts';
import type { EndpointOwner } from './endpoint.ts';

/** Whose delivery it is; for ops, who act for every partner. */
export async function findDeliveryOwner(sql: Sql, id: string): Promise<EndpointOwner | undefined> {
  const { rows } = await sql.raw(
    `select partner_id as "partnerId", environment from webhook_deliveries where id = :id`,
    { id },
  );
  return rows[0];
}

/** Whose event it is. */
export async function findEventOwner(sql: Sql, id: string): Promise<EndpointOwner | undefined> {
  const { rows } = await sql.raw(
    `select partner_id as "partnerId", environment from events where id = :id`,
    { id },
  );
  return rows[0];
}

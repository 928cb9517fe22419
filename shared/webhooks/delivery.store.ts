import type { Tx } from '../platform/db.ts';

export async function insertDeliveries(
  tx: Tx,
  owner: { partnerId: string; environment: string },
  batch: { ids: readonly string[]; eventIds: readonly string[]; now: Date },
): Promise<string[]> {
  const { rows } = await tx.raw(
    `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, next_attempt_at, created_at)
     select d.id, w.id, w.partner_id, w.environment, d.event_id, :now, :now
     from webhook_endpoints w, unnest(:ids::text[], :eventIds::text[]) as d (id, event_id)
     where w.partner_id = :partnerId and w.environment = :environment and w.active
     returning id`,
    { ...owner, ...batch },
  );
  return rows.map((row: { id: string }) => row.id);
}

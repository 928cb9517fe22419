import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { EndpointOwner } from '../../delivery/webhooks/endpoint.ts';
import { endpointNotFound } from '../../delivery/webhooks/manage-endpoint.ts';
import { fail } from '../../platform/errors.ts';
import * as store from './webhook-overview.store.ts';

export { COUNT_UP_TO, type OpsEndpoint } from './webhook-overview.store.ts';

/**
 * Endpoints of all partners: those that fail or were switched off for it, the longest failing first; or
 * every one. `next` is where the next page begins, null on the last one.
 */
export async function listEndpoints(
  { db }: { db: Database },
  page: { failing: boolean; after: string | null; limit: number },
): Promise<{ endpoints: store.OpsEndpoint[]; next: string | null }> {
  const select = page.failing ? store.selectFailingEndpoints : store.selectEndpoints;
  const found = await select.all(db.knex, { after: page.after, limit: page.limit + 1 });
  const endpoints = found.slice(0, page.limit);
  return { endpoints, next: found.length > page.limit ? (endpoints.at(-1)?.id ?? null) : null };
}

/** An endpoint of any partner, also a removed one. @throws not_found */
export async function readEndpointForOps(
  { db }: { db: Database },
  owner: EndpointOwner,
): Promise<store.OpsEndpoint> {
  const endpoint = await store.selectEndpoint.first(db.knex, owner);
  if (!endpoint) throw endpointNotFound();
  return endpoint;
}

/** A delivery of any partner and where it goes. @throws not_found */
export async function readDeliveryForOps(
  { db }: { db: Database },
  id: string,
): Promise<store.OpsDelivery> {
  const delivery = await store.selectDelivery.first(db.knex, { id });
  if (!delivery) throw fail('not_found', { message: 'There is no delivery with this id.' });
  return delivery;
}

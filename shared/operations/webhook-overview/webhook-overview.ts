import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { EndpointOwner } from '../../delivery/webhooks/endpoint.ts';
import { endpointNotFound } from '../../delivery/webhooks/manage-endpoint.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import * as store from './webhook-overview.store.ts';

export { COUNT_UP_TO, type OpsEndpoint } from './webhook-overview.store.ts';

/**
 * A page of the endpoints of all partners: those that fail or were switched off for it, the longest failing
 * first; or every one.
 */
export function listEndpoints(
  { db }: { db: Database },
  { failing, after, limit }: { failing: boolean; after: string | null; limit: number },
): Promise<Page<store.OpsEndpoint>> {
  const select = failing ? store.selectFailingEndpoints : store.selectEndpoints;
  return readPage(limit, (limit) => select.all(db.knex, { after, limit }), idOf);
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

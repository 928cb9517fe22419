import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { cancelPending } from './delivery.store.ts';
import { retireEndpoint } from './endpoint.store.ts';
import type { EndpointOwner } from './endpoint.ts';
import { endpointNotFound } from './read-endpoint.ts';

/** Removes the endpoint and cancels what was still to be sent. @throws not_found when none is registered */
export async function removeEndpoint(
  { db, clock }: { db: Database; clock: Clock },
  owner: EndpointOwner,
): Promise<void> {
  const now = clock.now();
  await db.transactFor(owner.partnerId, async (tx) => {
    const id = await retireEndpoint(tx, owner, now);
    if (id === undefined) throw endpointNotFound();
    await cancelPending(tx, id, now);
  });
}

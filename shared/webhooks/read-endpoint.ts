import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { findEndpoint } from './endpoint.store.ts';
import type { Endpoint, EndpointOwner } from './endpoint.ts';

/** The partner's endpoint and its health. @throws not_found when none is registered */
export async function readEndpoint(
  { db, clock }: { db: Database; clock: Clock },
  owner: EndpointOwner,
): Promise<Endpoint> {
  const endpoint = await findEndpoint(db.knex, owner);
  if (!endpoint) throw endpointNotFound();
  const { previousSecretUntil } = endpoint;
  const overlapping = previousSecretUntil !== null && previousSecretUntil > clock.now();
  return { ...endpoint, previousSecretUntil: overlapping ? previousSecretUntil : null };
}

/** The answer where there is no endpoint to speak of. */
export function endpointNotFound() {
  return fail('not_found', { message: 'No webhook endpoint is registered for this environment.' });
}

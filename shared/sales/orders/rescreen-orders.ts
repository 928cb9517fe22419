import { partiesOfRegistrant } from '../../domains/registrants/registrant-parties.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { screenParties } from '../../people/screening/screen-parties.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { selectBuyersAfter } from './order.store.ts';
import { registrantsOfOrders } from './order-registrant.ts';
import { partiesOf, SCREENED_STATUSES, type ScreenedPart, screenOrder } from './screen-order.ts';

/** Screens the buyers and registrants of the next undelivered LIVE orders, by id, against the lists again. */
export async function screenOpenOrders(
  { db, secrets }: { db: Database; secrets: SecretBox },
  after: string,
  limit: number,
): Promise<ScreenedPart> {
  const statuses = SCREENED_STATUSES;
  const orders = await selectBuyersAfter.all(db.knex, { statuses, after, limit });
  const registrants = await registrantsOfOrders(
    { db, secrets },
    orders.map(({ id }) => id),
  );
  const parties = orders.map(({ id, ...buyer }) => {
    const registrant = registrants.get(id);
    return [...partiesOf(buyer), ...(registrant ? partiesOfRegistrant(registrant) : [])];
  });
  const listed = new Set((await screenParties(db.knex, parties.flat())).map(({ party }) => party));
  let hits = 0;
  for (const [at, { id }] of orders.entries()) {
    const found = (parties[at] ?? []).filter((party) => listed.has(party));
    if (found.length > 0) hits += await db.transact((uow) => screenOrder(uow, id, found));
  }
  return { screened: orders.length, hits, last: orders.at(-1)?.id ?? null };
}

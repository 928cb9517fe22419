import {
  findRegistrantOfOrder,
  findRegistrantsOfOrders,
  openRegistrant,
  recordRegistered,
} from '../../domains/domain-registrants/registered-for.ts';
import { COMMON_RULES, readRegistrant } from '../../domains/registrants/read-registrant.ts';
import type { Registrant, RegistrantDraft } from '../../domains/registrants/registrant.ts';
import { partiesOfRegistrant } from '../../domains/registrants/registrant-parties.ts';
import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { RegistrantRules } from '../../market/tlds/tld.ts';
import type { TldCatalogue } from '../../market/tlds/tld-catalogue.ts';
import { findTldOf } from '../../market/tlds/tld-catalogue.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import { conflict } from '../../platform/errors.ts';
import { addTimelineEntry, lockOrderById } from './move-order.ts';
import { orderActionEvent } from './order.events.ts';
import { REMINDER_WAITS_MS, remindRegistrantJob, scheduleTransfer } from './order.jobs.ts';
import { orderActionMail, registrantMail } from './order.mails.ts';
import { updateActionDone } from './order.store.ts';
import {
  buyerOf,
  type DeliveryWish,
  isOpenOrder,
  ORDER_MOVES,
  type Order,
  type OrderStatus,
} from './order.ts';
import {
  deleteRegistrant,
  selectRegistrant,
  selectRegistrants,
  selectRegistrantsOf,
  updateRegistrantsSealed,
  upsertRegistrant,
} from './order-registrant.store.ts';
import { screenOrder } from './screen-order.ts';

/**
 * Returns what a sale without a registrant waits for. A registrar that fetches the domain provides its own registrant.
 * In the sandbox only names that ask for a registrant wait, so that orders of clients without support for them finish.
 */
export function actionOfNewOrder({
  environment,
  domain,
  delivery,
}: Pick<Order, 'environment' | 'domain'> & {
  delivery?: DeliveryWish | null;
}): Order['actionRequired'] {
  if (delivery?.method === 'partner_registrar') return null;
  const waits = environment === 'LIVE' || sandboxOutcome(environment, domain) === 'registrant';
  return waits ? 'registrant_required' : null;
}

/** Returns the rules of a domain's (A-labels) TLD for registrants. Unknown TLDs accept any address. */
export async function registrantRulesFor(
  tlds: TldCatalogue,
  domain: string,
): Promise<RegistrantRules> {
  return findTldOf(await tlds.read(), domain)?.rules ?? COMMON_RULES;
}

/**
 * Reads a registrant from a draft, by the rules of the domain's TLD.
 * @throws validation_error with paths that begin with `at`
 */
export async function readRegistrantFor(
  tlds: TldCatalogue,
  domain: string,
  draft: RegistrantDraft,
  at: string,
): Promise<Registrant> {
  return readRegistrant(draft, await registrantRulesFor(tlds, domain), at);
}

/** Stores the registrant for the domain of an order, sealed. */
export async function keepRegistrant(
  uow: UnitOfWork,
  secrets: SecretBox,
  orderId: string,
  registrant: Registrant,
): Promise<void> {
  const sealed = secrets.seal(JSON.stringify(registrant), contextOf(orderId));
  await upsertRegistrant.send(uow.pipeline, { orderId, sealed, now: uow.now });
}

/**
 * Returns the current or future registrant of an order's domain; undefined if none is set yet or it was erased.
 */
export async function registrantOfOrder(
  { db, secrets }: { db: Database; secrets: SecretBox },
  orderId: string,
): Promise<Registrant | undefined> {
  const row = await selectRegistrant.first(db.knex, { orderId });
  if (row) return JSON.parse(secrets.open(row.sealed, contextOf(orderId)));
  const registered = await findRegistrantOfOrder(db.knex, orderId);
  return registered && openRegistrant({ secrets }, registered);
}

/** Returns the current or future registrants of these orders' domains, by order id. */
export async function registrantsOfOrders(
  { db, secrets }: { db: Database; secrets: SecretBox },
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, Registrant>> {
  const asked = await selectRegistrantsOf.all(db.knex, { orderIds: [...orderIds] });
  const registered = await findRegistrantsOfOrders(db.knex, orderIds);
  return new Map([
    ...registered.map(
      (found) => [found.orderId ?? '', openRegistrant({ secrets }, found)] as const,
    ),
    ...asked.map(({ orderId, sealed }) => {
      const registrant: Registrant = JSON.parse(secrets.open(sealed, contextOf(orderId)));
      return [orderId, registrant] as const;
    }),
  ]);
}

/**
 * Records that the registry has registered an order's domain for its registrant, who is now stored with the domain
 * instead of the order. The order must be locked.
 */
export async function registerForBuyer(
  uow: UnitOfWork,
  deps: { config: Config; secrets: SecretBox },
  { id: orderId, partnerId, environment, domain }: Order,
): Promise<void> {
  const row = await selectRegistrant.first(uow.sql, { orderId });
  if (!row) return;
  const registrant = JSON.parse(deps.secrets.open(row.sealed, contextOf(orderId)));
  const of = { environment, domain, partnerId, orderId, registrant };
  await recordRegistered(uow, deps, { ...of, knownAddresses: [], keepsHold: false });
  await deleteRegistrant.send(uow.pipeline, { orderId });
}

/** Tells the buyer and the partner that a new order needs a registrant, and schedules the reminders. */
export async function askForRegistrant(uow: UnitOfWork, order: Order): Promise<void> {
  const note = 'registrant_required';
  await addTimelineEntry(uow, order.id, { at: uow.now, event: 'order.action_required', note });
  uow.events.add(order, orderActionEvent(order, note));
  writeForRegistrant(uow, order, 0);
}

/**
 * Asks for the registrant again if the order still waits for it. `reminder` counts from 1.
 * @throws not_found
 */
export async function remindOfRegistrant(
  uow: UnitOfWork,
  { orderId, reminder }: { orderId: string; reminder: number },
): Promise<void> {
  const order = await lockOrderById(uow, orderId);
  if (order.actionRequired === 'registrant_required') writeForRegistrant(uow, order, reminder);
}

/** Mails the buyer and the partner, and schedules the next reminder if there is one. */
function writeForRegistrant(uow: UnitOfWork, order: Order, reminder: number): void {
  const { id: orderId, domain, buyerName } = order;
  uow.mails.add(registrantMail, {
    to: buyerOf(order),
    of: order,
    data: { orderId, domain, buyerName, reminder },
  });
  uow.mails.add(orderActionMail, {
    to: 'contacts',
    of: order,
    data: { orderId, domain, reminder },
  });
  const waitMs = REMINDER_WAITS_MS[reminder];
  if (waitMs === undefined) return;
  const runAt = addMs(uow.now, waitMs);
  uow.jobs.add(remindRegistrantJob, { orderId, reminder: reminder + 1 }, { runAt });
}

/**
 * Sets the registrant for the domain of an order. An order that was waiting for it continues, unless the registrant
 * may be on a sanctions list.
 * @throws not_found, conflict (invalid_state) once the domain is registered or delivered, or the order was reversed
 */
export async function setRegistrant(
  uow: UnitOfWork,
  { config, secrets }: { config: Config; secrets: SecretBox },
  orderId: string,
  registrant: Registrant,
): Promise<Order> {
  const before = await lockOrderById(uow, orderId);
  if (!isOpenOrder(before.status)) {
    throw conflict(
      'invalid_state',
      `The order is ${before.status}; its registrant can be set until the domain is delivered.`,
    );
  }
  if (await findRegistrantOfOrder(uow.sql, orderId)) {
    throw conflict(
      'invalid_state',
      'The domain is registered. Its owner can change the registrant once they have it in their account.',
    );
  }
  await keepRegistrant(uow, secrets, orderId, registrant);
  const hits = await screenOrder(uow, orderId, partiesOfRegistrant(registrant));
  const order = hits > 0 ? await lockOrderById(uow, orderId) : before;
  if (order.actionRequired !== 'registrant_required') return order;
  await updateActionDone.send(uow.pipeline, { id: orderId, now: uow.now });
  const ready: Order = { ...order, actionRequired: null, updatedAt: uow.now };
  const startsFrom: readonly OrderStatus[] = ORDER_MOVES.start_transfer.from;
  if (startsFrom.includes(order.status)) scheduleTransfer(uow, config, ready);
  return ready;
}

/** Re-encrypts registrants of a previous SECRETS_KEY with the current one. */
export function resealRegistrants({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(after = '', limit) {
      const rows = await selectRegistrants.all(db.knex, { after, limit });
      return rows.map(({ orderId, sealed }) => ({
        id: orderId,
        sealed,
        context: contextOf(orderId),
      }));
    },
    replace: (reseals) =>
      updateRegistrantsSealed.run(db.knex, {
        ids: reseals.map(({ id }) => id),
        befores: reseals.map(({ before }) => before),
        afters: reseals.map(({ after }) => after),
      }),
  });
}

const contextOf = (orderId: string) => `registrant:${orderId}`;

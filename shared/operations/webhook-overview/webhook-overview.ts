import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { EndpointOwner } from '../../messaging/webhooks/endpoint.ts';
import { endpointNotFound, headerNamesOf } from '../../messaging/webhooks/manage-endpoint.ts';
import { type Replay, readReplay, replayNotFound } from '../../messaging/webhooks/replay.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import * as store from './webhook-overview.store.ts';

export { COUNT_UP_TO } from './webhook-overview.store.ts';

interface OverviewRuntime {
  db: Database;
  secrets: SecretBox;
}

/** An endpoint as operators see it: its owner, its event types, and what holds up its deliveries. */
export interface OpsEndpoint extends Omit<store.OpsEndpointRow, 'headers'> {
  /** Names of its own headers. */
  headerNames: readonly string[];
}

/**
 * A page of the endpoints of all partners: those that fail or were switched off for it, the longest failing
 * first; or every one.
 */
export async function listEndpoints(
  runtime: OverviewRuntime,
  { failing, after, limit }: { failing: boolean; after: string | null; limit: number },
): Promise<Page<OpsEndpoint>> {
  const select = failing ? store.selectFailingEndpoints : store.selectEndpoints;
  const read = (limit: number) => select.all(runtime.db.knex, { after, limit });
  const { rows, next } = await readPage(limit, read, idOf);
  return { rows: rows.map((row) => toEndpoint(runtime, row)), next };
}

/** Endpoints that the list of one partner has at most, removed ones included. */
const LISTED = 50;

/** The endpoints of one partner, the newest first, and after them those that were removed. */
export async function listEndpointsOf(
  runtime: OverviewRuntime,
  { partnerId, environment }: EndpointOwner,
): Promise<OpsEndpoint[]> {
  const owner = { partnerId, environment };
  const rows = await store.selectOwnEndpoints.all(runtime.db.knex, { ...owner, limit: LISTED });
  return rows.map((row) => toEndpoint(runtime, row));
}

/** An endpoint of any partner, also a removed one. @throws not_found */
export async function readEndpointForOps(
  runtime: OverviewRuntime,
  id: string,
): Promise<OpsEndpoint> {
  const found = await store.selectEndpoint.first(runtime.db.knex, { id });
  if (!found) throw endpointNotFound();
  return toEndpoint(runtime, found);
}

function toEndpoint(
  { secrets }: OverviewRuntime,
  { headers, ...row }: store.OpsEndpointRow,
): OpsEndpoint {
  return { ...row, headerNames: headerNamesOf(secrets, { id: row.id, headers }) };
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

/** A replay of any partner and how far it is. @throws not_found */
export async function readReplayForOps({ db }: { db: Database }, id: string): Promise<Replay> {
  const owner = await store.selectReplayOwner.first(db.knex, { id });
  if (!owner) throw replayNotFound();
  return readReplay({ db }, owner, id);
}

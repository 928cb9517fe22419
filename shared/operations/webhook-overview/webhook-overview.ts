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

/** An endpoint as operators see it: its owner, its event types, and what delays its deliveries. */
export interface OpsEndpoint extends Omit<store.OpsEndpointRow, 'headers'> {
  /** The names of the endpoint's custom headers. */
  headerNames: readonly string[];
}

/**
 * Returns a page of the endpoints of all partners: either those that are failing or were disabled because of failures,
 * longest failing first; or all.
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

/** The maximum number of endpoints listed for one partner, including removed ones. */
const LISTED = 50;

/** Returns one partner's endpoints, newest first, then the removed ones. */
export async function listEndpointsOf(
  runtime: OverviewRuntime,
  { partnerId, environment }: EndpointOwner,
): Promise<OpsEndpoint[]> {
  const owner = { partnerId, environment };
  const rows = await store.selectOwnEndpoints.all(runtime.db.knex, { ...owner, limit: LISTED });
  return rows.map((row) => toEndpoint(runtime, row));
}

/** Returns any partner's endpoint, even if removed. @throws not_found */
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

/** Returns any partner's delivery and its destination. @throws not_found */
export async function readDeliveryForOps(
  { db }: { db: Database },
  id: string,
): Promise<store.OpsDelivery> {
  const delivery = await store.selectDelivery.first(db.knex, { id });
  if (!delivery) throw fail('not_found', { message: 'There is no delivery with this ID.' });
  return delivery;
}

/** Returns any partner's replay and its progress. @throws not_found */
export async function readReplayForOps({ db }: { db: Database }, id: string): Promise<Replay> {
  const owner = await store.selectReplayOwner.first(db.knex, { id });
  if (!owner) throw replayNotFound();
  return readReplay({ db }, owner, id);
}

import { recordEvents } from '../../shared/events/record-events.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { DeliveryState } from '../../shared/webhooks/delivery.ts';
import type { EndpointOwner } from '../../shared/webhooks/endpoint.ts';
import { registerEndpoint } from '../../shared/webhooks/register-endpoint.ts';
import { recordedOrder } from './events.ts';
import { givenPartner, unique } from './factories.ts';

export const SECRET = 'whsec_c2VjcmV0LW9mLWFuLWV4YW1wbGUtcGFydG5lcg==';

/** A partner with an endpoint at `url`. */
export async function givenEndpoint(
  runtime: Runtime,
  url: string,
  options: { secret?: string; environment?: 'SANDBOX' | 'LIVE' } = {},
): Promise<EndpointOwner & { endpointId: string; keyId: string; keySecret: string }> {
  const { environment = 'SANDBOX', secret = SECRET } = options;
  const partner = await givenPartner(runtime, { environment });
  const owner: EndpointOwner = { partnerId: partner.partnerId, environment };
  await registerEndpoint(runtime, owner, { url, secret });
  const { id } = await runtime.db
    .knex('webhook_endpoints')
    .where('partner_id', owner.partnerId)
    .first('id');
  return { ...owner, endpointId: id, keyId: partner.keyId, keySecret: partner.secret };
}

/** Records `count` events in one transaction, which schedules their deliveries. */
export async function givenEvents(
  runtime: Runtime,
  { partnerId, environment }: EndpointOwner,
  count: number,
): Promise<void> {
  const events = Array.from({ length: count }, () => recordedOrder(`ord_example${unique()}`));
  await runtime.db.transact((tx) =>
    recordEvents(tx, { partnerId, environment }, events, runtime.clock.now()),
  );
}

export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  state: DeliveryState;
  attempts: number;
  epoch: number;
  next_attempt_at: Date;
  finished_at: Date | null;
  resend_of: string | null;
}

/** The deliveries of an endpoint, oldest first. */
export function deliveriesOf(runtime: Runtime, endpointId: string): Promise<DeliveryRow[]> {
  return runtime.db.knex('webhook_deliveries').where('endpoint_id', endpointId).orderBy('id');
}

/** How many deliveries there are of each state. */
export async function countStates(
  runtime: Runtime,
): Promise<Partial<Record<DeliveryState, number>>> {
  const rows = await runtime.db
    .knex('webhook_deliveries')
    .groupBy('state')
    .select('state', runtime.db.knex.raw('count(*)::int as count'));
  return Object.fromEntries(
    rows.map((row: { state: string; count: number }) => [row.state, row.count]),
  );
}

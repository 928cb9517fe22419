import assert from 'node:assert/strict';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { eventually } from './eventually.ts';
import { givenPartner, type PartnerFixture } from './factories.ts';
import { notOnce, type OrderEffects, orderEffects } from './order-effects.ts';
import { createTestRuntime, type Runtime, type TestRuntime } from './runtime.ts';
import { freePort, type ServiceProcess, serviceProcess } from './service-process.ts';
import type { TestSettings } from './settings.ts';
import { type SignedClient, signedClient } from './signed-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** The whole service in its own processes, a partner that sells, and its receiver. */
export interface RunningService {
  /** Direct access to Postgres and Redis, for checks afterwards. */
  runtime: TestRuntime;
  partner: PartnerFixture;
  receiver: WebhookReceiver;
  /** The URL of each API process, in order. */
  urls: readonly string[];
  clients: readonly SignedClient[];
  /** The client of the first process. */
  client: SignedClient;
  apis: ServiceProcess[];
  workers: ServiceProcess[];
  /** Waits until every API process responds, and registers the receiver as the partner's endpoint. */
  untilReady(): Promise<void>;
  /** Kills every process. */
  stop(): Promise<void>;
}

/**
 * Starts the processes and waits until they respond.
 * @param options.env for all processes
 * @param options.apis additional settings of each API process; one process by default
 * @param options.workers likewise for each worker process
 */
export async function startService({
  env = {},
  apis: apiEnvs = [{}],
  workers: workerEnvs = [{}],
}: {
  env?: TestSettings;
  apis?: readonly TestSettings[];
  workers?: readonly TestSettings[];
}): Promise<RunningService> {
  const ports = await Promise.all(apiEnvs.map(() => freePort()));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const runtime = await createTestRuntime({ BASE_URL: urls[0] ?? '', ...env });
  const partner = await givenPartner(runtime);
  const receiver = await startWebhookReceiver();
  const [client, ...others] = urls.map((url) => signedClient(url, partner));
  if (!client) throw new Error('without an API process there is nothing to sell with');
  const clients = [client, ...others];
  const apis = apiEnvs.map((own, at) =>
    serviceProcess('api/main.ts', { ...runtime.env, PORT: `${ports[at]}`, ...own }),
  );
  const workers = workerEnvs.map((own) =>
    serviceProcess('workers/main.ts', { ...runtime.env, ...own }),
  );
  const service: RunningService = {
    runtime,
    partner,
    receiver,
    urls,
    clients,
    client,
    apis,
    workers,
    async untilReady() {
      await Promise.all(clients.map((each) => untilRegistered(each, receiver.url)));
    },
    async stop() {
      await Promise.all([...apis, ...workers].map((each) => each.kill()));
      await receiver.close();
      await runtime.stop();
    },
  };
  try {
    for (const each of [...apis, ...workers]) each.start();
    await service.untilReady();
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

export const WEBHOOK_SECRET = 'a-secret-of-sixteen-or-more';

/** Registers an endpoint as soon as the API accepts it. */
export async function untilRegistered(
  client: SignedClient,
  url: string,
  withinMs?: number,
): Promise<void> {
  const put = () =>
    client.put('/webhooks', { body: { url, secret: WEBHOOK_SECRET } }).then(
      ({ status }) => status,
      () => 0,
    );
  await eventually(put, (status) => status === 200, {
    everyMs: 100,
    ...(withinMs !== undefined && { withinMs }),
  });
}

export async function orderCount({ db }: Runtime): Promise<number> {
  const [row] = await db.knex('orders').count({ count: '*' });
  return Number(row?.count);
}

/** Waits until this many orders are recorded. */
export async function untilOrders(
  runtime: Runtime,
  count: number,
  withinMs?: number,
): Promise<void> {
  await eventually(
    () => orderCount(runtime),
    (now) => now >= count,
    withinMs === undefined ? {} : { withinMs },
  );
}

/** Waits until this many more orders are recorded. */
export async function untilMoreOrders(runtime: Runtime, more: number): Promise<void> {
  await untilOrders(runtime, (await orderCount(runtime)) + more);
}

/** Returns the event ids in the history of one partner, or of all, in order. */
export async function historyOf({ db }: Runtime, partnerId?: string): Promise<string[]> {
  const query = db
    .knex('events')
    .whereNotNull('position')
    .orderBy('partner_id')
    .orderBy('position');
  return (partnerId ? query.where({ partner_id: partnerId }) : query).pluck('id');
}

/** Returns the events that a receiver got, including duplicates. */
function idsOf(receiver: WebhookReceiver): string[] {
  return receiver.received.map(({ event }) => event.id);
}

/** Returns the events of `history` that have not arrived. */
export function missingOf(history: readonly string[], arrived: readonly string[]): string[] {
  const seen = new Set(arrived);
  return history.filter((id) => !seen.has(id));
}

/**
 * Waits until each current order has every effect exactly once, and every event of the history has arrived.
 * @throws Error when that does not happen, or the ledger does not balance
 */
export async function untilEverythingHappenedOnce({
  runtime,
  receiver,
}: Pick<RunningService, 'runtime' | 'receiver'>): Promise<OrderEffects[]> {
  const orders = await orderCount(runtime);
  const effects = await eventually(
    () => orderEffects(runtime),
    (all) => all.length === orders && notOnce(all).length === 0,
    { everyMs: 100 },
  );
  const { ok, imbalances } = await checkLedger(runtime);
  assert(ok, JSON.stringify(imbalances));
  const history = await historyOf(runtime);
  await eventually(
    () => missingOf(history, idsOf(receiver)),
    (missing) => missing.length === 0,
    { everyMs: 100 },
  );
  return effects;
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerEndpoint } from '../../shared/webhooks/register-endpoint.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { type OwnRedis, startOwnRedis } from '../support/own-redis.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { orderBody } from '../support/sales.ts';
import { freePort, type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { type ClientAnswer, type SignedClient, signedClient } from '../support/signed-client.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import type { Trial } from './trial.ts';

/** A process of the service with the two lines that it hangs on. */
export interface Member extends ServiceProcess {
  postgres: TcpProxy;
  redis: TcpProxy;
}

export interface Listing {
  domain: string;
  priceCents: number;
}

/** The whole service in processes of its own, a partner that sells, and its receiver. */
export interface Market {
  trial: Trial;
  /** Straight to Postgres and Redis, for what is asked afterwards. */
  runtime: TestRuntime;
  redis: OwnRedis;
  apis: Member[];
  workers: Member[];
  partner: PartnerFixture;
  clients: SignedClient[];
  receiver: WebhookReceiver;
  /** Answers of the API to sellers by status; 0 is a connection that broke. */
  answers: Map<number, number>;
  /** A further worker process with settings of its own, not yet started. */
  hire(env?: Record<string, string>): Promise<Member>;
  /** Names the receiver as the partner's endpoint; done already where there is an API. */
  register(): Promise<void>;
  listings(count: number): Promise<Listing[]>;
  /** What a careful partner does: the same key until there is an answer. */
  sell(listing: Listing, idempotencyKey?: string): Promise<ClientAnswer>;
  /** Sells `count` fresh listings, some at a time. */
  sellAll(count: number, sellers?: number): Promise<void>;
  /** Waits until so many orders were recorded. */
  reach(orders: number): Promise<void>;
  /** One call of the API, which may break; what no document declares fails the run. */
  attempt(call: (client: SignedClient) => Promise<ClientAnswer>): Promise<ClientAnswer | undefined>;
  stop(): Promise<void>;
}

export interface MarketOptions {
  apis?: number;
  workers?: number;
  /** Arguments of the worker processes. */
  workerScript?: string;
  env?: Record<string, string>;
  /** A server other than the run's own. */
  postgres?: string;
}

export const WEBHOOK_SECRET = 'a-secret-of-sixteen-or-more';
const CALL_MS = 15_000;
const PATIENCE_MS = 180_000;

/** The waits of the product, shortened alike: what takes a minute in production takes two or three seconds. */
export const QUICK = {
  JOB_LOCK_MS: '1000',
  OUTBOX_LEASE_MS: '2500',
  WEBHOOK_TIMEOUT_MS: '1500',
  RECONCILE_MS: '300',
  TRANSFER_START_DELAY_MS: '50',
  TRANSFER_CONFIRM_DELAY_MS: '50',
  TRANSFER_POLL_MS: '50',
  SANDBOX_REGISTRAR_DELAY_MS: '50',
  WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400,6400,6400,6400',
};

export async function openMarket(trial: Trial, options: MarketOptions = {}): Promise<Market> {
  const redis = await startOwnRedis();
  const runtime = await createTestRuntime(
    { REDIS_URL: redis.url, ...QUICK, ...options.env },
    options.postgres,
  );
  const member = async (script: string, env: Record<string, string> = {}): Promise<Member> => {
    const postgres = await startTcpProxy(runtime.config.databaseUrl);
    const through = await startTcpProxy(redis.url);
    const lines = { DATABASE_URL: postgres.url, REDIS_URL: through.url };
    const service = serviceProcess(script, { ...runtime.env, ...lines, ...env });
    return Object.assign(service, { postgres, redis: through });
  };
  const ports = await Promise.all(Array.from({ length: options.apis ?? 1 }, freePort));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const apis = await Promise.all(
    ports.map((port) => member('api/main.ts', { PORT: `${port}`, BASE_URL: `${urls[0]}` })),
  );
  const workers = await Promise.all(
    Array.from({ length: options.workers ?? 2 }, () =>
      member(options.workerScript ?? 'workers/main.ts'),
    ),
  );
  const partner = await givenPartner(runtime);
  const clients = urls.map((url) => signedClient(url, partner));
  const receiver = await startWebhookReceiver();
  const market: Market = {
    trial,
    runtime,
    redis,
    apis,
    workers,
    partner,
    clients,
    receiver,
    answers: new Map(),
    async hire(env = {}) {
      const worker = await member(options.workerScript ?? 'workers/main.ts', env);
      workers.push(worker);
      return worker;
    },
    async register() {
      const endpoint = { url: receiver.url, secret: WEBHOOK_SECRET };
      await registerEndpoint(runtime, partner, endpoint);
    },
    listings: (count) => Promise.all(Array.from({ length: count }, () => givenListing(runtime))),
    async attempt(call) {
      const client = trial.random.pick(clients);
      const answer = await inTime(call(client)).catch((error: Error) => {
        if (error.message.includes('unlike its document')) trial.expect(false, error.message);
        return undefined;
      });
      const status = answer?.status ?? 0;
      market.answers.set(status, (market.answers.get(status) ?? 0) + 1);
      return answer;
    },
    async sell(listing, idempotencyKey = randomUUID()) {
      const body = orderBody(listing);
      const answer = await eventually(
        () => market.attempt((client) => client.post('/v1/orders', { body, idempotencyKey })),
        (latest) => latest?.status === 201,
        { withinMs: PATIENCE_MS, everyMs: 50 },
      );
      return answer as ClientAnswer;
    },
    async sellAll(count, sellers = 4) {
      const waiting = await market.listings(count);
      const seller = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await market.sell(next);
      };
      await Promise.all(Array.from({ length: sellers }, seller));
    },
    async reach(orders) {
      await eventually(
        () => orderCount(runtime),
        (count) => count >= orders,
        { withinMs: PATIENCE_MS },
      );
    },
    async stop() {
      const members = [...apis, ...workers];
      await Promise.all(members.map((each) => each.kill()));
      await Promise.all(members.flatMap((each) => [each.postgres.close(), each.redis.close()]));
      await receiver.close();
      await runtime.stop();
      await redis.remove();
    },
  };
  try {
    for (const each of [...apis, ...workers]) each.start();
    await Promise.all(clients.map((client) => untilRegistered(client, receiver.url)));
  } catch (error) {
    await market.stop();
    throw error;
  }
  return market;
}

/** Opens a market, does the work, and closes it whatever came of it. */
export async function withMarket(
  trial: Trial,
  options: MarketOptions,
  work: (market: Market) => Promise<void>,
): Promise<void> {
  const market = await openMarket(trial, options);
  try {
    await work(market);
  } finally {
    await market.stop();
  }
}

async function untilRegistered(client: SignedClient, url: string): Promise<void> {
  const body = { url, secret: WEBHOOK_SECRET };
  const put = () =>
    client.put('/webhooks', { body }).then(
      ({ status }) => status,
      () => 0,
    );
  await eventually(put, (status) => status === 200, { withinMs: 60_000, everyMs: 100 });
}

export async function orderCount(runtime: TestRuntime): Promise<number> {
  const [row] = await runtime.db.knex('orders').count({ count: '*' });
  return Number(row?.count);
}

/** @throws Error when nothing came back at all */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const ending = new AbortController();
  const late = sleep(CALL_MS, undefined, { signal: ending.signal }).then(() => {
    throw new Error('no answer');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    ending.abort();
    late.catch(() => {});
  }
}

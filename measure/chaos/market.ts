import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../db/seeds/random.ts';
import { DEFAULT_ENDPOINT, type EndpointOwner } from '../../shared/messaging/webhooks/endpoint.ts';
import {
  createEndpoint,
  registerEndpoint,
  updateEndpoint,
} from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { eventually } from '../../test/support/eventually.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../../test/support/factories.ts';
import { type OwnRedis, startOwnRedis } from '../../test/support/own-redis.ts';
import { QUICK } from '../../test/support/quick-fleet.ts';
import {
  untilOrders,
  untilRegistered,
  WEBHOOK_SECRET,
} from '../../test/support/running-service.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { orderBody } from '../../test/support/sales.ts';
import { freePort } from '../../test/support/service-process.ts';
import type { TestSettings } from '../../test/support/settings.ts';
import {
  type ClientAnswer,
  type SignedClient,
  signedClient,
} from '../../test/support/signed-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.ts';
import { apiMember, type Member, type MemberOptions, workerMember } from './member.ts';
import type { Trial } from './trial.ts';

export interface Listing {
  domain: string;
  priceCents: number;
}

type Call = (client: SignedClient) => Promise<ClientAnswer>;

/** The whole service in its own processes, with a partner that sells, and the partner's webhook receiver. */
export interface Market {
  trial: Trial;
  /** Connects straight to Postgres and Redis, for the checks. */
  runtime: TestRuntime;
  redis: OwnRedis;
  apis: Member[];
  workers: Member[];
  partner: PartnerFixture;
  /** URLs of the API processes. */
  urls: readonly string[];
  clients: SignedClient[];
  receiver: WebhookReceiver;
  /** Number of API answers to sellers by status; 0 is a broken connection. */
  answers: Map<number, number>;
  /** Starts another worker process with its own settings, and waits until it is up. */
  hire(env?: TestSettings): Promise<void>;
  /** Registers the receiver as the partner's endpoint. Already done if there is an API. */
  register(): Promise<void>;
  listings(count: number): Promise<Listing[]>;
  /** Retries with the same Idempotency-Key until the listing is sold. */
  sell(listing: Listing, idempotencyKey?: string): Promise<ClientAnswer>;
  /** Sells `count` new listings, `sellers` at a time. */
  sellAll(count: number, sellers?: number): Promise<void>;
  /** Waits until this many orders are recorded. */
  reach(orders: number): Promise<void>;
  /** Makes one API call; undefined if it broke. An answer that the API document doesn't declare fails the run. */
  attempt(call: Call, client?: SignedClient): Promise<ClientAnswer | undefined>;
  /** Repeats the call until the answer is below 500, as a careful partner does. */
  ask(call: Call, client?: SignedClient): Promise<ClientAnswer>;
  stop(): Promise<void>;
}

export interface MarketOptions {
  apis?: number;
  workers?: number;
  /** Leaves it to the run to start the workers. */
  idle?: boolean;
  /** Script of the worker processes. */
  workerScript?: string;
  env?: TestSettings;
  /** Returns extra settings for one process, by its index among those of its kind. */
  envOf?(kind: 'api' | 'worker', at: number): TestSettings;
  /** Share of requests that the receiver rejects. */
  refused?: number;
  /** URL of a server to use instead of the default one. */
  postgres?: string;
  /** Returns URL settings that bypass the proxies; `databaseUrl` is the run's database. */
  direct?(databaseUrl: string): Record<string, string>;
}

/** Longer than anything delays an answer: a connection to Postgres is given up after 35 s of silence. */
const CALL_MS = 60_000;
const PATIENCE_MS = 180_000;
/** Share of requests that a receiver rejects where the order is checked: a tenth of the events is sent again. */
export const REFUSED = 0.1;
/** The name of an endpoint that never answers. */
const DEAD_NEIGHBOR = 'dead-neighbor';

async function openMarket(trial: Trial, options: MarketOptions = {}): Promise<Market> {
  const redis = await startOwnRedis();
  const runtime = await createTestRuntime(
    { REDIS_URL: redis.url, ...QUICK, ...options.env },
    options.postgres,
  );
  const of = (script: string, env: TestSettings = {}): MemberOptions => ({
    script,
    env: { ...runtime.env, ...env },
    postgresUrl: runtime.config.databaseUrl,
    redisUrl: redis.url,
    ...(options.direct && { direct: options.direct(runtime.config.databaseUrl) }),
  });
  const newWorker = (env = {}) => workerMember(of(options.workerScript ?? 'workers/main.ts', env));
  const envOf = options.envOf ?? (() => ({}));
  const ports = await Promise.all(Array.from({ length: options.apis ?? 1 }, freePort));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const apis = await Promise.all(
    ports.map((port, at) =>
      apiMember(
        of('api/main.ts', { PORT: `${port}`, BASE_URL: `${urls[0]}`, ...envOf('api', at) }),
        `${urls[at]}`,
      ),
    ),
  );
  const workers = await Promise.all(
    Array.from({ length: options.workers ?? 2 }, (_, at) => newWorker(envOf('worker', at))),
  );
  const partner = await givenPartner(runtime);
  const clients = urls.map((url) => signedClient(url, partner));
  const receiver = await startWebhookReceiver();
  if (options.refused) refuseSome(trial, receiver, options.refused);
  const market: Market = {
    trial,
    runtime,
    redis,
    apis,
    workers,
    partner,
    urls,
    clients,
    receiver,
    answers: new Map(),
    async hire(env = {}) {
      const worker = await newWorker(env);
      workers.push(worker);
      worker.start();
      await worker.untilUp();
    },
    async register() {
      const endpoint = { url: receiver.url, secret: WEBHOOK_SECRET };
      await registerEndpoint(runtime, partner, endpoint);
      await keepOrderBesideDeadNeighbor(runtime, partner);
    },
    listings: (count) => Promise.all(Array.from({ length: count }, () => givenListing(runtime))),
    async attempt(call, client = trial.random.pick(clients)) {
      const answer = await inTime(call(client)).catch((error: Error) => {
        if (error.message.includes('unlike its document')) trial.expect(false, error.message);
        return undefined;
      });
      const status = answer?.status ?? 0;
      market.answers.set(status, (market.answers.get(status) ?? 0) + 1);
      return answer;
    },
    async ask(call, client) {
      const answer = await eventually(
        () => market.attempt(call, client),
        (latest) => latest !== undefined && latest.status < 500,
        { withinMs: PATIENCE_MS, everyMs: 50 },
      );
      return answer as ClientAnswer;
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
    reach: (orders) => untilOrders(runtime, orders, PATIENCE_MS),
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
    const members = options.idle ? apis : [...apis, ...workers];
    for (const each of members) each.start();
    await Promise.all(members.map((each) => each.untilUp()));
    await Promise.all(clients.map((client) => untilRegistered(client, receiver.url, PATIENCE_MS)));
    if (clients.length > 0) await keepOrderBesideDeadNeighbor(runtime, partner);
  } catch (error) {
    await market.stop();
    throw error;
  }
  return market;
}

/**
 * Sets the partner's endpoint to get each subject in order (which `verify.ts` checks), and adds another endpoint
 * that never answers.
 */
export async function keepOrderBesideDeadNeighbor(
  runtime: TestRuntime,
  { partnerId, environment }: EndpointOwner,
): Promise<void> {
  const owner = { partnerId, environment };
  const ordering = 'per_subject';
  await updateEndpoint(runtime, owner, DEFAULT_ENDPOINT, { ordering });
  const url = `http://127.0.0.1:${await freePort()}/hook`;
  await createEndpoint(runtime, owner, { name: DEAD_NEIGHBOR, url, ordering });
}

/** Has a receiver reject a share of its requests, picked by its own random sequence with the run's seed. */
export function refuseSome({ seed }: Trial, receiver: WebhookReceiver, share = REFUSED): void {
  const random = createRandom(seed);
  receiver.answer(() => ({ status: random.chance(share) ? 503 : 200 }));
}

/** Opens a market, does the work, and always closes the market. */
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

/** @throws Error when there is no answer in time */
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

import { setTimeout as sleep } from 'node:timers/promises';
import { registerEndpoint } from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { recordedOrder } from '../../test/support/events.ts';
import { eventually } from '../../test/support/eventually.ts';
import { givenPartner, type PartnerFixture } from '../../test/support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { freePort } from '../../test/support/service-process.ts';
import { type Child, startChild } from '../support/child.ts';
import { alternateServers, type Figure, inParallel } from '../support/figures.ts';
import { scaled } from './support/settings.ts';

const ENDPOINTS = 20;
/** Enough that both sides take a second or more. */
const EVENTS = 20_000;
const SECRET = 'a-secret-of-the-benchmark';
/** `webhookMaxInFlight` of the tuning. */
const MOST_AT_ONCE = 64;

/** Endpoints whose receiver is a closed port. */
const DEAD = 2;
/** Events per second, and the seconds, for measuring the wait for the first attempt. */
const RATE = 250;
const SECONDS = 20;

/** The backlog of one endpoint while the others get new events. */
const BACKLOG = 100_000;

/**
 * Measures one worker process's deliveries against the minimal durable loop on the same tables, and how long an event
 * waits for its first attempt while some endpoints are dead.
 */
export async function benchWebhooks(): Promise<Figure[]> {
  const runtime = await createTestRuntime();
  const receiver = await startChild('measure/support/receiver-process.ts', {});
  const worker = await startChild('measure/bench/support/worker-process.ts', runtime.env);
  const loop = await startChild('measure/bench/support/bare-worker-process.ts', {
    DATABASE_URL: runtime.config.databaseUrl,
  });
  const limitName = 'bare durable loop on the same tables: claim 100, POST 64 at once, record 100';
  try {
    const partners = await givenEndpoints(runtime, receiver.ready.port);
    const compare = (some: readonly PartnerFixture[]) => {
      const count = Math.ceil(scaled(EVENTS) / some.length) * some.length;
      const round = { receiver, each: count / some.length };
      return alternateServers(
        count,
        { child: worker, load: () => deliver(runtime, some, round) },
        { child: loop, load: () => deliver(runtime, some, { ...round, loop }) },
      );
    };
    /** The first round does not count: the endpoint's concurrency still ramps up. */
    const toOneEndpoint = async (delayMs: number, each: number) => {
      const rates: number[] = [];
      for (let round = 0; round <= 3; round += 1) {
        rates.push(await deliver(runtime, partners.slice(0, 1), { receiver, each, delayMs }));
      }
      return rates.slice(1);
    };
    return [
      {
        name: `Webhook deliveries, ${ENDPOINTS} endpoints, one worker process (claim, sign, POST, record each attempt)`,
        unit: 'deliveries/s',
        limitName,
        goal: { share: 0.8 },
        ...(await compare(partners)),
      },
      {
        name: 'Webhook deliveries to one endpoint',
        unit: 'deliveries/s',
        limitName,
        ...(await compare(partners.slice(0, 1))),
      },
      {
        name: 'Webhook deliveries to one endpoint that answers after 1 ms',
        unit: 'deliveries/s',
        limitName: 'goal',
        goal: { share: 1 },
        ours: await toOneEndpoint(1, 5_000),
        limit: [1_000],
      },
      {
        name: 'Webhook deliveries to one endpoint that answers after 100 ms',
        unit: 'deliveries/s',
        limitName: `${MOST_AT_ONCE} at a time, the most that one endpoint gets`,
        goal: { share: 0.8 },
        ours: await toOneEndpoint(100, 3_000),
        limit: [MOST_AT_ONCE * 10],
      },
      {
        name: `Wait from the commit of an event to its first attempt (p99), ${RATE} a second, while ${BACKLOG} wait for another endpoint`,
        unit: 'ms',
        limitName: 'goal',
        lessIsBetter: true,
        goal: { most: 250 },
        ours: [await waitBesideBacklog(runtime, partners)],
        limit: [250],
      },
      {
        name: `Wait from the commit of an event to its first attempt (p99), ${RATE} a second, ${DEAD} of ${ENDPOINTS} endpoints dead`,
        unit: 'ms',
        limitName: 'goal',
        lessIsBetter: true,
        goal: { most: 250 },
        ours: [await waitBesideDead(runtime, partners)],
        limit: [250],
      },
    ];
  } finally {
    await Promise.all([worker.stop(), loop.stop()]);
    await receiver.stop();
    await runtime.stop();
  }
}

/** Creates partners with one endpoint each, at the receiver on this port. */
export async function givenEndpoints(
  runtime: TestRuntime,
  port: number,
): Promise<PartnerFixture[]> {
  const partners: PartnerFixture[] = [];
  for (let i = 0; i < ENDPOINTS; i += 1) {
    const partner = await givenPartner(runtime);
    await registerEndpoint(runtime, partner, {
      url: `http://127.0.0.1:${port}/${i}`,
      secret: SECRET,
    });
    partners.push(partner);
  }
  return partners;
}

const ORDER = 'ord_00000000000000000000000000';

/** Records a number of events per partner at once; returns the time of the commit, by `performance.now()`. */
async function commitEvents(
  { db }: TestRuntime,
  partners: readonly PartnerFixture[],
  each: number,
): Promise<number> {
  const events = Array.from({ length: each }, () => recordedOrder(ORDER));
  await db.transact(async (uow) => {
    for (const partner of partners) uow.events.add(partner, ...events);
  });
  return performance.now();
}

/**
 * Measures from the commit of the events until the last arrives, then checks that each is recorded as delivered once.
 * With a `loop`, the loop delivers them and the worker's queue is paused.
 */
async function deliver(
  runtime: TestRuntime,
  partners: readonly PartnerFixture[],
  {
    receiver,
    each,
    delayMs = 0,
    loop,
  }: { receiver: Child; each: number; delayMs?: number; loop?: Child },
): Promise<number> {
  const { db, queues } = runtime;
  const wanted = each * partners.length;
  receiver.send({ wanted, delayMs });
  const arrived = receiver.next();
  const queue = queues.get('webhooks');
  await (loop ? queue.pause() : queue.resume());
  const committed = await commitEvents(runtime, partners, each);
  loop?.send({ secret: SECRET });
  await arrived;
  const rate = (wanted * 1_000) / (performance.now() - committed);
  await eventually(
    () => db.knex('webhook_deliveries').whereNot({ state: 'delivered' }).limit(1),
    (open) => open.length === 0,
  );
  const attempts = await db.knex('webhook_attempts').groupBy('outcome').count().select('outcome');
  const [{ outcome, count } = {}, ...others] = attempts;
  if (outcome !== 'delivered' || count !== wanted || others.length > 0) {
    throw new Error(`not each was delivered at once: ${JSON.stringify(attempts)}`);
  }
  await forget(runtime);
  return rate;
}

/** Sends a flow to all endpoints but the first, which has a long backlog. */
async function waitBesideBacklog(
  runtime: TestRuntime,
  [busy, ...others]: readonly PartnerFixture[],
): Promise<number> {
  if (!busy) throw new Error('no partner has an endpoint');
  await runtime.queues.get('webhooks').pause();
  for (let left = scaled(BACKLOG); left > 0; left -= 5_000) {
    await commitEvents(runtime, [busy], Math.min(left, 5_000));
  }
  await runtime.queues.get('webhooks').resume();
  const wait = await waitForFirstAttempt(runtime, others, [busy]);
  await eventually(
    () => runtime.db.knex('webhook_deliveries').whereNot({ state: 'delivered' }).limit(1),
    (open) => open.length === 0,
    { withinMs: 300_000 },
  );
  await forget(runtime);
  return wait;
}

/** Sends a flow to all endpoints, some of them dead. */
async function waitBesideDead(
  runtime: TestRuntime,
  partners: readonly PartnerFixture[],
): Promise<number> {
  const dead = partners.slice(0, DEAD);
  await runtime.db
    .knex('webhook_endpoints')
    .whereIn(
      'partner_id',
      dead.map(({ partnerId }) => partnerId),
    )
    .update({ url: `http://127.0.0.1:${await freePort()}/hook` });
  await runtime.queues.get('webhooks').resume();
  const wait = await waitForFirstAttempt(runtime, partners, dead);
  await forget(runtime);
  return wait;
}

/** Returns the p99 wait in milliseconds of a steady flow of events, one per transaction, to endpoints in turn. */
async function waitForFirstAttempt(
  { db }: TestRuntime,
  partners: readonly PartnerFixture[],
  but: readonly PartnerFixture[],
): Promise<number> {
  const began = performance.now();
  const total = RATE * SECONDS;
  await inParallel(total, 8, async (nth) => {
    await sleep(Math.max(0, began + (nth * 1_000) / RATE - performance.now()));
    const partner = partners[nth % partners.length] as PartnerFixture;
    await db.transact(async (uow) => uow.events.add(partner, recordedOrder(ORDER)));
  });
  const meant = partners.filter((partner) => !but.includes(partner)).length;
  const expected = Math.floor((total * meant) / partners.length);
  const { rows } = await eventually(
    () =>
      db.knex.raw(
        `select extract(epoch from a.started_at - d.created_at) * 1000 as ms
         from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id and a.attempt = 1
         where d.partner_id <> all(?)`,
        [but.map(({ partnerId }) => partnerId)],
      ),
    (found) => found.rows.length >= expected,
    { withinMs: 60_000 },
  );
  const waits = rows
    .map((row: { ms: string }) => Number(row.ms))
    .sort((a: number, b: number) => a - b);
  return waits[Math.floor(waits.length * 0.99)];
}

async function forget({ db }: TestRuntime): Promise<void> {
  await db.knex.raw('truncate webhook_attempts, webhook_deliveries, events');
}

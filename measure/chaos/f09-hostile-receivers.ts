import type { Socket } from 'node:net';
import { eventually } from '../../test/support/eventually.ts';
import {
  answer,
  drip,
  type FaultReceiver,
  flood,
  startReceiver,
  startSilentReceiver,
  startTlsReceiver,
} from '../../test/support/fault-receiver.ts';
import { QUICK } from '../../test/support/quick-fleet.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.ts';
import {
  deliveriesOf,
  givenEndpoint,
  givenEvents,
  givenSubject,
} from '../../test/support/webhooks.ts';
import { keepOrderBesideDeadNeighbor, type Market, refuseSome, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { arrivalsOf, countDeliveries, untilNoneIsLeft } from './verify.ts';

const LATE_MS = Number(QUICK.WEBHOOK_TIMEOUT_MS) + 200;
const HEALTHY = 18;
/** Orders per healthy receiver, and events recorded at once. */
const SUBJECTS = 3;
const BATCH = 5;
const PATIENCE_MS = 120_000;
type Endpoint = Awaited<ReturnType<typeof givenEndpoint>>;

export const hostileReceivers: FaultRun = {
  id: 'F9',
  title: 'Receivers hang, drip, flood, reset, redirect, vanish; addresses of the inside',
  async run(trial) {
    await withMarket(trial, { apis: 0, workers: 1 }, (market) => amongHealthy(trial, market));
    await withMarket(trial, { apis: 0, workers: 0 }, (market) => insideIsClosed(trial, market));
  },
};

/** The ways to be hostile. No request may ever reach `canary`. */
function hostiles(canary: FaultReceiver): Record<string, () => Promise<FaultReceiver>> {
  const say = (text: string) => (socket: Socket) => void socket.write(text);
  const redirect = answer('302 Found', { location: canary.url });
  return {
    'accepts and says nothing': () => startSilentReceiver(),
    hangs: () => startReceiver(() => {}),
    'is late': () =>
      startReceiver((socket) => void setTimeout(() => socket.write(answer('200 OK')), LATE_MS)),
    drips: () => startReceiver((socket) => drip(socket, 'H', 50)),
    'never ends': () =>
      startReceiver((socket) => {
        socket.write('HTTP/1.1 500 No\r\ncontent-length: 9999999999\r\n\r\n');
        flood(socket, Buffer.alloc(16_384, 'x'));
      }),
    resets: () => startReceiver((socket) => void socket.resetAndDestroy()),
    redirects: () => startReceiver(say(redirect)),
    'asks for patience': () =>
      startReceiver(say(answer('429 Too Many Requests', { 'retry-after': '1' }))),
    'has a certificate nobody trusts': () => startTlsReceiver(() => {}),
    'is gone': () => startReceiver(say(answer('410 Gone'))),
  };
}

async function amongHealthy(trial: Trial, market: Market): Promise<void> {
  const { runtime } = market;
  const events = trial.amount({ short: 10, normal: 50, long: 500 });
  const canary = await startSilentReceiver();
  const bad = Object.entries(hostiles(canary));
  const hostile = await Promise.all(bad.map(([, start]) => start()));
  const healthy = await Promise.all(Array.from({ length: HEALTHY }, startWebhookReceiver));
  try {
    const badEndpoints = await Promise.all(hostile.map(({ url }) => givenEndpoint(runtime, url)));
    const endpoints = await Promise.all(healthy.map(({ url }) => givenEndpoint(runtime, url)));
    for (const endpoint of badEndpoints) await givenEvents(runtime, endpoint, 5);
    for (const receiver of healthy) refuseSome(trial, receiver);
    for (const endpoint of endpoints) await keepOrderBesideDeadNeighbor(runtime, endpoint);
    const subjects = endpoints.map(() => Array.from({ length: SUBJECTS }, givenSubject));
    const sent = performance.now();
    for (let recorded = 0; recorded < events; recorded += BATCH) {
      for (const [at, endpoint] of endpoints.entries()) {
        const own = subjects[at] ?? [];
        await givenEvents(runtime, endpoint, BATCH, () => trial.random.pick(own));
      }
    }
    await healthyGotAll(trial, market, healthy, endpoints);
    trial.recovered(performance.now() - sent);
    for (const [at, [name]] of bad.entries()) {
      await expectRefused(trial, market, name, badEndpoints[at] as Endpoint);
    }
    trial.expect(canary.connections === 0, 'a redirect was followed');
  } finally {
    await Promise.all([...hostile, ...healthy, canary].map((each) => each.close()));
  }
}

async function healthyGotAll(
  trial: Trial,
  { runtime }: Market,
  healthy: readonly WebhookReceiver[],
  endpoints: readonly Endpoint[],
): Promise<void> {
  for (const [at, endpoint] of endpoints.entries()) {
    const receiver = healthy[at] as WebhookReceiver;
    await untilNoneIsLeft(trial, 'a healthy one waits', async () => {
      const rows = await deliveriesOf(runtime, endpoint.endpointId);
      return rows.filter(({ state }) => state !== 'delivered');
    });
    await countDeliveries(trial, runtime, arrivalsOf(receiver), endpoint.partnerId);
  }
  const waits = healthy
    .flatMap(({ received }) => received.map((each) => each.at - Date.parse(each.event.created_at)))
    .sort((a, b) => a - b);
  trial.note(`healthy ones waited ${waits[Math.floor(waits.length * 0.99)]} ms (p99)`);
}

/** Expects that deliveries were attempted, that none counts as delivered, and that a 410 canceled them all. */
async function expectRefused(
  trial: Trial,
  { runtime }: Market,
  name: string,
  { endpointId }: Endpoint,
): Promise<void> {
  const gone = name === 'is gone';
  await eventually(
    () => deliveriesOf(runtime, endpointId),
    (rows) =>
      rows.every(({ state }) => state !== 'delivered') &&
      rows.some(({ attempts }) => attempts > 0) &&
      (!gone || rows.every(({ state }) => state === 'cancelled')),
    { withinMs: PATIENCE_MS },
  ).catch((error: Error) => trial.expect(false, `one that ${name}: ${error.message}`));
}

/** Sends webhooks to each spelling of the loopback address from workers that must not reach it. */
async function insideIsClosed(trial: Trial, market: Market): Promise<void> {
  const { runtime } = market;
  const canary = await startSilentReceiver();
  const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::ffff:7f00:1]', 'localhost'];
  try {
    await market.hire({ WEBHOOK_ALLOW_PRIVATE: 'false' });
    const endpoints = await Promise.all(
      hosts.map((host) => givenEndpoint(runtime, `http://${host}:${canary.port}/hook`)),
    );
    for (const endpoint of endpoints) await givenEvents(runtime, endpoint, 1);
    for (const { endpointId } of endpoints) {
      await eventually(
        () => deliveriesOf(runtime, endpointId),
        (rows) => rows.every(({ attempts }) => attempts > 0),
        { withinMs: PATIENCE_MS },
      );
    }
    trial.expect(canary.connections === 0, `the inside was reached ${canary.connections} times`);
    trial.note(`${hosts.length} ways to write loopback were refused`);
  } finally {
    await canary.close();
  }
}

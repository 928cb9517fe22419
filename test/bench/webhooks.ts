import { Pool } from 'undici';
import { recordEvents } from '../../shared/events/record-events.ts';
import { registerEndpoint } from '../../shared/webhooks/register-endpoint.ts';
import { givenPartner, type PartnerFixture } from '../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { type Child, startChild } from './support/child.ts';
import { alternate, type Figure, inParallel, perSecond } from './support/figures.ts';

const ENDPOINTS = 20;
const EVENTS_EACH = 200;
const EVENTS = ENDPOINTS * EVENTS_EACH;
const CONCURRENCY = 64;

/** Deliveries of one worker process against a bare loop of keep-alive POSTs to the same receiver. */
export async function benchWebhooks(): Promise<Figure> {
  const runtime = await createTestRuntime();
  const receiver = await startChild('test/bench/support/receiver-process.ts', {});
  const worker = await startChild('test/bench/support/worker-process.ts', runtime.env);
  try {
    const partners = await givenEndpoints(runtime, receiver.ready.port);
    const figures = await alternate(
      () => deliver(runtime, partners, receiver),
      () => post(receiver.ready.port),
    );
    return {
      name: `Webhook deliveries, ${ENDPOINTS} endpoints, one worker process (claim, sign, POST, record each attempt)`,
      unit: 'deliveries/s',
      limitName: `bare loop of keep-alive POSTs, ${CONCURRENCY} at once`,
      goal: { share: 0.6 },
      ...figures,
    };
  } finally {
    await worker.stop();
    await receiver.stop();
    await runtime.stop();
  }
}

async function givenEndpoints(runtime: TestRuntime, port: number): Promise<PartnerFixture[]> {
  const partners: PartnerFixture[] = [];
  for (let i = 0; i < ENDPOINTS; i += 1) {
    const partner = await givenPartner(runtime);
    await registerEndpoint(runtime, partner, {
      url: `http://127.0.0.1:${port}/${i}`,
      secret: 'a-secret-of-the-benchmark',
    });
    partners.push(partner);
  }
  return partners;
}

const DATA = {
  order: {
    public_id: 'ord_00000000000000000000000000',
    domain: 'example.com',
    status: 'EXTERNALLY_PAID',
    sale_price_cents: 485_000,
    currency: 'USD',
  },
};

async function deliver(
  runtime: TestRuntime,
  partners: readonly PartnerFixture[],
  receiver: Child,
): Promise<number> {
  receiver.send({ wanted: EVENTS });
  const arrived = receiver.next();
  const events = Array.from({ length: EVENTS_EACH }, () => ({
    type: 'order.recorded' as const,
    subject: DATA.order.public_id,
    data: DATA,
  }));
  return perSecond(EVENTS, async () => {
    await Promise.all(
      partners.map((partner) =>
        runtime.db.transact((tx) => recordEvents(tx, partner, events, runtime.clock.now())),
      ),
    );
    await arrived;
  });
}

async function post(port: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  const body = JSON.stringify({ id: 'evt_0', type: 'order.recorded', data: DATA });
  try {
    return await perSecond(EVENTS, () =>
      inParallel(EVENTS, CONCURRENCY, async () => {
        const answer = await pool.request({
          method: 'POST',
          path: '/',
          headers: { 'Content-Type': 'application/json' },
          body,
        });
        await answer.body.dump();
      }),
    );
  } finally {
    await pool.close();
  }
}

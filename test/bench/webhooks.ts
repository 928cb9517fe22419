import { Pool } from 'undici';
import { recordEvents } from '../../shared/delivery/events/record-events.ts';
import { registerEndpoint } from '../../shared/delivery/webhooks/manage-endpoint.ts';
import { deliveryHeaders } from '../../shared/delivery/webhooks/webhook-signature.ts';
import { newId } from '../../shared/platform/ids.ts';
import { recordedOrder } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { givenPartner, type PartnerFixture } from '../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { type Child, startChild } from './support/child.ts';
import { alternate, type Figure, inParallel, perSecond } from './support/figures.ts';
import { scaled } from './support/settings.ts';

const ENDPOINTS = 20;
/** So many that both sides take a second or more. */
const EVENTS = 20_000;
/** Times as many POSTs of the bare loop, which is through sooner. */
const MORE_POSTS = 3;
const CONCURRENCY = 64;
const SECRET = 'a-secret-of-the-benchmark';

/** Deliveries of one worker process against a bare loop of keep-alive POSTs to the same receiver. */
export async function benchWebhooks(): Promise<Figure> {
  const runtime = await createTestRuntime();
  const receiver = await startChild('test/bench/support/receiver-process.ts', {});
  const worker = await startChild('test/bench/support/worker-process.ts', runtime.env);
  const each = Math.ceil(scaled(EVENTS) / ENDPOINTS);
  try {
    const partners = await givenEndpoints(runtime, receiver.ready.port);
    const figures = await alternate(
      () => deliver(runtime, partners, { receiver, each }),
      () => post(receiver.ready.port, MORE_POSTS * each * ENDPOINTS),
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
      secret: SECRET,
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

/** From the commit of the events until the last one has come in; then each must stand as delivered once. */
async function deliver(
  { db, clock }: TestRuntime,
  partners: readonly PartnerFixture[],
  { receiver, each }: { receiver: Child; each: number },
): Promise<number> {
  const wanted = each * partners.length;
  receiver.send({ wanted });
  const arrived = receiver.next();
  const events = Array.from({ length: each }, () => recordedOrder(DATA.order.public_id));
  let committing = 0;
  await db.transact(async (uow) => {
    for (const partner of partners) await recordEvents(uow.sql, partner, events, clock.now());
    uow.wakeRelay();
    committing = performance.now();
  });
  await arrived;
  const rate = (wanted * 1_000) / (performance.now() - committing);
  await eventually(
    () => db.knex('webhook_deliveries').whereNot({ state: 'delivered' }).limit(1),
    (open) => open.length === 0,
  );
  const attempts = await db.knex('webhook_attempts').groupBy('outcome').count().select('outcome');
  const [{ outcome, count } = {}, ...others] = attempts;
  if (outcome !== 'delivered' || count !== wanted || others.length > 0) {
    throw new Error(`not each was delivered at once: ${JSON.stringify(attempts)}`);
  }
  await db.knex.raw('truncate webhook_attempts, webhook_deliveries, events');
  return rate;
}

/** Requests like those of a delivery, each byte of which is there already. */
async function post(port: number, count: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  const eventId = newId('event', new Date());
  const body = JSON.stringify({
    id: eventId,
    type: 'order.recorded',
    created_at: new Date().toISOString(),
    partner_id: newId('partner', new Date()),
    data: DATA,
  });
  const headers = deliveryHeaders({
    eventId,
    eventType: 'order.recorded',
    attempt: 1,
    body,
    secret: SECRET,
    now: new Date(),
  });
  try {
    return await perSecond(count, () =>
      inParallel(count, CONCURRENCY, async () => {
        const answer = await pool.request({ method: 'POST', path: '/', headers, body });
        await answer.body.dump();
      }),
    );
  } finally {
    await pool.close();
  }
}

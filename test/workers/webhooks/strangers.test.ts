import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Webhook } from 'standardwebhooks';
import { EVENT_TYPES } from '../../../shared/messaging/event-types/event.ts';
import { exampleEvent } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { type RunningService, startService } from '../../support/running-service.ts';
import { orderBody } from '../../support/sales.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const SECRET = 'a-secret-that-the-partner-chose';
const HISTORY_TYPES = EVENT_TYPES.filter((type) => type !== 'webhook.ping');

/** The handler of `partner-handler.mjs`, and the lines that it printed. */
interface Handler {
  url: string;
  lines: string[];
  child: ChildProcess;
}

async function startHandler(): Promise<Handler> {
  const program = fileURLToPath(new URL('./partner-handler.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  await eventually(() => lines.length > 0, Boolean);
  return { url: `http://127.0.0.1:${lines.shift()}/events`, lines, child };
}

describe('third-party webhook receivers', () => {
  let service: RunningService;
  let handler: Handler;
  let thin: WebhookReceiver;
  beforeAll(async () => {
    [service, handler, thin] = await Promise.all([
      startService({ env: PROMPT }),
      startHandler(),
      startWebhookReceiver(),
    ]);
  });
  afterAll(async () => {
    handler?.child.kill();
    await service?.stop();
    await thin?.close();
  });

  it('verify and handle every delivery of a sale', async () => {
    const { runtime, client, partner, receiver } = service;
    await client.put('/webhooks', { body: { url: handler.url, secret: SECRET } }).expect(200);
    const made = await client
      .post('/v1/webhooks/endpoints', { body: { name: 'library', url: receiver.url } })
      .expect(201);
    const library = new Webhook(made.body.secret);
    receiver.answer(({ body, headers }) => {
      library.verify(body, headers as Record<string, string>);
      return { status: 200 };
    });
    const listing = await givenListing(runtime);
    const { body: order } = await client
      .post('/v1/orders', { body: orderBody(listing), idempotencyKey: 'stranger-1' })
      .expect(201);
    const delivered = await eventually(
      async () => (await client.get(`/v1/orders/${order.public_id}`)).body.status,
      (status) => status === 'TRANSFER_COMPLETED',
      { everyMs: 100 },
    );
    expect(delivered).toBe('TRANSFER_COMPLETED');
    const { body: history } = await client.get('/v1/events').expect(200);
    const ids: string[] = history.events.map(({ id }: { id: string }) => id);
    const handled = () => handler.lines.map((line) => JSON.parse(line));
    const verified = () =>
      receiver.received.filter(({ status }) => status === 200).map(({ event }) => event.id);
    await eventually(
      () => [handled().length, new Set(verified()).size],
      ([one, other]) => one === ids.length && other === ids.length,
    );
    expect(
      handled()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
    expect([...new Set(verified())].sort()).toEqual([...ids].sort());
    expect(handled()).toContainEqual({
      id: ids[0],
      type: 'order.recorded',
      created_at: history.events[0].created_at,
      partner_id: partner.partnerId,
      domain: listing.domain,
    });
    // What nobody could verify would have been tried again.
    expect(receiver.received.every(({ status }) => status === 200)).toBe(true);
    const forged = await fetch(handler.url, { method: 'POST', body: '{"id":"evt_forged"}' });
    expect(forged.status).toBe(401);
  });

  it('get thin payloads of every type that match the published schema exactly', async () => {
    const { runtime, client, partner, urls } = service;
    const published = await (await fetch(`${urls[0]}/asyncapi.json`)).json();
    const { $ref } = published.components.messages.thin.payload;
    const schema = published.components.schemas[$ref.split('/').at(-1)];
    const ajv = new Ajv2020({ strict: false });
    ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const accepts = ajv.compile({ ...schema, additionalProperties: false });
    const { body: endpoint } = await client
      .post('/v1/webhooks/endpoints', { body: { name: 'thin', url: thin.url, payload: 'thin' } })
      .expect(201);
    const owner = { partnerId: partner.partnerId, environment: partner.environment };
    await runtime.db.transact(async (uow) =>
      uow.events.add(owner, ...HISTORY_TYPES.map((type) => exampleEvent(type, 'ord_of_a_test'))),
    );
    await client.post(`/v1/webhooks/endpoints/${endpoint.id}/test`).expect(202);
    const received = await thin.waitFor(EVENT_TYPES.length);
    expect(received.map(({ event }) => event.type).sort()).toEqual([...EVENT_TYPES].sort());
    expect(accepts({ ...received[0]?.event, data: {} })).toBe(false);
    for (const { event } of received) {
      expect([event.type, accepts(event), accepts.errors]).toEqual([event.type, true, null]);
    }
  });
});

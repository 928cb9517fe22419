import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Card } from '../../../shared/money/payments/payment-provider.ts';
import { loadConfig } from '../../../shared/platform/config/config.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { CARDS, card, givenSession, ordersOf, payFor } from '../../support/payments.ts';
import {
  createRuntime,
  createTestRuntime,
  type Runtime,
  type TestRuntime,
} from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';
import { wholeDatabase } from '../../support/whole-database.ts';

const lines: string[] = [];
let first: TestRuntime;
let runtime: Runtime;
beforeAll(async () => {
  first = await createTestRuntime({ outboxPollMs: 20, SHUTDOWN_MS: '200' });
  const log = createLogger({ level: 'trace', name: 'test' }, { write: (line) => lines.push(line) });
  const config = loadConfig(first.env);
  runtime = createRuntime(config, { process: 'test-2', clock: first.clock, log });
  await runtime.ready();
});
afterAll(async () => {
  await runtime.stop();
  await first.stop();
});

/** Every key of this test's Redis with what it holds. */
async function wholeRedis(): Promise<string> {
  const { redis, config } = runtime;
  const keys = await redis.keys(`${config.redisPrefix.replace(/[[\]*?\\]/g, '\\$&')}*`);
  const held = keys.map(async (key) => `${key} ${await redis.dump(key)}`);
  return (await Promise.all(held)).join('\n');
}

/** A distinctive CVC and expiry year that appear in no other number. */
const marked = (number: string): Card => card(number, { expYear: 2_097, cvc: '8317' });
const traceOf = /(?<!\d)8317(?!\d)|(?<!\d)2097(?!\d)/;

it('no card number reaches the database, Redis, or the log', async () => {
  const fleet = startWorkers(runtime);
  const numbers = [...Object.values(CARDS), '4111111111111111', '4242424242424241'];
  for (const number of numbers) {
    const session = await givenSession(runtime);
    await payFor(runtime, session, marked(number));
    // The same card, typed with spaces.
    await payFor(runtime, session, marked(number.replace(/(\d{4})/g, '$1 ').trim()));
    const [order] = await ordersOf(runtime, session);
    if (order) await takeBack(runtime, order.id);
  }
  await eventually(
    () => runtime.db.knex('payments').where({ status: 'refunded' }),
    (refunded) => refunded.length === 1,
  );
  const [database, redis] = [await wholeDatabase(runtime), await wholeRedis()];
  await fleet.stop();
  const log = lines.join('').replace(/"pid":\d+/g, '');

  // Make sure that we search the right places.
  expect(database).toMatch(/sandbox_payments .*insufficient_funds/);
  expect(database).toMatch(/outbox .*refund-payment/);
  // A finished job leaves Redis, but its queue's schedule stays.
  expect(redis).toContain('reconcile-payments');
  expect(log).toContain('workers: started');
  for (const place of [database, redis, log]) {
    const digits = place.replace(/[ -]/g, '');
    for (const number of numbers) expect(digits).not.toContain(number);
  }
  for (const number of numbers) {
    expect(database).not.toMatch(new RegExp(`(?<!\\w)${number.slice(-4)}(?!\\w)`));
  }
  expect(database).not.toMatch(traceOf);
  expect(log).not.toMatch(traceOf);
});

it('logs redact cards, keys, and secrets', () => {
  const secrets = { stripeSecretKey: 'sk_x1', stripeWebhookSecret: 'whsec_x2' };
  runtime.log.info(
    { card: marked(CARDS.succeeds), body: { card_number: '42x3', cvc: '8317' } },
    'a',
  );
  runtime.log.info({ config: secrets, ...secrets }, 'b');
  const log = lines.slice(-2).join('');
  expect(log).toContain('[redacted]');
  expect(log).not.toMatch(/4242|42x3|8317|sk_x1|whsec_x2/);
});

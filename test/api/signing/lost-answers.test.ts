import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { VerifiedRequest } from '../../../api/partner/authentication.ts';
import { createNonceConsumer, type NonceConsumer } from '../../../api/partner/authentication.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { connectRedis, type Redis } from '../../../shared/platform/redis/redis.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

let runtime: TestRuntime;
let line: TcpProxy;
let redis: Redis;
let consume: NonceConsumer;

beforeEach(async () => {
  runtime = await createTestRuntime();
  line = await startTcpProxy(runtime.config.redisUrl);
  // As the API's own connection, but for the second after which that gives up.
  redis = connectRedis({ redisUrl: line.url }, 'worker', runtime.log);
  consume = createNonceConsumer({ ...runtime, redis });
});

afterEach(async () => {
  redis.disconnect();
  await line.close();
  await runtime.stop();
});

async function givenRequest(): Promise<VerifiedRequest> {
  const credential = await runtime.credentials.find((await givenPartner(runtime)).keyId);
  if (!credential) throw new Error('no credential');
  return { credential, nonce: randomUUID(), nonceSeconds: 600 };
}

/** The next answer is lost, and the connection with it. */
function loseAnswer(): { readonly lost: number } {
  const seen = { lost: 0 };
  line.onAnswer = (_answer, link) => {
    seen.lost += 1;
    line.onAnswer = undefined;
    link.cut();
    return 'swallow';
  };
  return seen;
}

it('is no replay when the nonce was consumed and only the answer of Redis was lost', async () => {
  await consume(await givenRequest(), 'reads');
  const request = await givenRequest();
  const seen = loseAnswer();
  await consume(request, 'reads');
  expect(seen.lost).toBe(1);
  await expect(consume(request, 'reads')).rejects.toMatchObject({ code: 'replay_detected' });
});

it('consumes the nonces that come at once, of several credentials, each for itself', async () => {
  const [mine, other] = [await givenRequest(), await givenRequest()];
  const together = [mine, other, { ...mine }, { ...mine, nonce: other.nonce }, { ...other }];
  const outcomes = await Promise.all(
    together.map((request) =>
      consume(request, 'search').then(
        () => 'consumed',
        (error: { code: string }) => error.code,
      ),
    ),
  );
  expect(outcomes).toEqual([
    'consumed',
    'consumed',
    'replay_detected',
    'consumed',
    'replay_detected',
  ]);
});

it.each([-122, 122])('lets nothing in when Redis has another time, by %d s', async (seconds) => {
  const request = await givenRequest();
  let off = seconds * SECOND;
  const shifted = createNonceConsumer({
    ...runtime,
    postgresClock: { now: () => new Date(Date.now() + off) },
  });
  await expect(shifted(request, 'reads')).rejects.toMatchObject({ code: 'service_unavailable' });
  off = 0;
  await shifted(request, 'reads');
  await expect(shifted(request, 'reads')).rejects.toMatchObject({ code: 'replay_detected' });
});

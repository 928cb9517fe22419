import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { LimitGroup } from '../../../api/http/rate-limit.ts';
import {
  createRequestLimits,
  type Requester,
  type RequestLimits,
  type UsedNonce,
} from '../../../api/partner/request-limits.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { connectRedis, type Redis } from '../../../shared/platform/redis/redis.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

let runtime: TestRuntime;
let line: TcpProxy;
let redis: Redis;
let consume: ReturnType<typeof consumer>;

interface SignedRequest {
  requester: Requester;
  used: UsedNonce;
}

const consumer =
  (limits: RequestLimits) =>
  ({ requester, used }: SignedRequest, group: LimitGroup) =>
    limits.consume(requester, group, used);

beforeEach(async () => {
  runtime = await createTestRuntime();
  line = await startTcpProxy(runtime.config.redisUrl);
  // Like the API's own connection, but without its timeout of one second.
  redis = connectRedis({ redisUrl: line.url }, 'worker', runtime.log);
  consume = consumer(createRequestLimits({ ...runtime, redis }));
});

afterEach(async () => {
  redis.disconnect();
  await line.close();
  await runtime.stop();
});

async function givenRequest(): Promise<SignedRequest> {
  const { partnerId, keyId } = await givenPartner(runtime);
  return {
    requester: { partnerId, environment: 'SANDBOX', by: keyId },
    used: { nonce: randomUUID(), seconds: 600 },
  };
}

/** Loses the next response, and the connection with it. */
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

it('a lost Redis response after a consumed nonce is not treated as a replay', async () => {
  await consume(await givenRequest(), 'reads');
  const request = await givenRequest();
  const seen = loseAnswer();
  await consume(request, 'reads');
  expect(seen.lost).toBe(1);
  await expect(consume(request, 'reads')).rejects.toMatchObject({ code: 'replay_detected' });
});

it('concurrent nonces of several credentials are consumed independently', async () => {
  const [mine, other] = [await givenRequest(), await givenRequest()];
  const together = [mine, other, { ...mine }, { ...mine, used: other.used }, { ...other }];
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

it.each([-122, 122])(
  'requests are rejected while the Redis clock is off by %d s',
  async (seconds) => {
    const request = await givenRequest();
    let off = seconds * SECOND;
    const postgresClock = { now: () => new Date(Date.now() + off) };
    const shifted = consumer(createRequestLimits({ ...runtime, postgresClock }));
    const refusal = { code: 'service_unavailable', retryAfterSeconds: expect.any(Number) };
    await expect(shifted(request, 'reads')).rejects.toMatchObject(refusal);
    off = 0;
    await shifted(request, 'reads');
    await expect(shifted(request, 'reads')).rejects.toMatchObject({ code: 'replay_detected' });
  },
);

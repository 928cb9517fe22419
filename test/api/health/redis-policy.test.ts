import { mkdirSync, rmdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createApp } from '../../../api/app.ts';
import { createApiServer } from '../../../api/http/server.ts';
import { createFleetMetrics } from '../../../shared/operations/monitoring/fleet-metrics.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { requireNoEviction } from '../../../shared/platform/redis/eviction-policy.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import { metricsIn, sumOf } from '../../support/metrics.ts';
import { type OwnRedis, startOwnRedis } from '../../support/own-redis.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { spawnProgram } from '../../support/service-process.ts';
import { signedClient } from '../../support/signed-client.ts';

/** Redis keeps nonces for ten minutes. If it evicts them, signed requests can be replayed. */
describe('a Redis that may evict keys', () => {
  let redis: OwnRedis;
  let app: TestApp;
  beforeAll(async () => {
    redis = await startOwnRedis();
    app = await startTestApp({ REDIS_URL: redis.url });
  });
  afterEach(async () => {
    await app.runtime.redis.call('acl', 'setuser', 'default', '+@all');
    await redis.command('config', 'set', 'maxmemory-policy', 'noeviction');
  });
  afterAll(async () => {
    await app.stop();
    await redis.remove();
  });

  /** Starts a program with this Redis, and returns its exit code and error output. */
  const startAndEnd = async (program: string) => {
    const child = spawnProgram([program], app.runtime.env, ['ignore', 'ignore', 'pipe']);
    let words = '';
    child.stderr?.on('data', (part) => {
      words += part;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { code, words };
  };
  const checks = async () => {
    const answer = await fetch(`${app.url}/readyz`);
    const { checks: told } = (await answer.json()) as { checks: Record<string, string> };
    return { status: answer.status, redis: told.redis };
  };

  it.each(['api/main.ts', 'workers/main.ts'])(
    'prevents %s from starting, with an explanation of what to change',
    async (main) => {
      await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
      const { code, words } = await startAndEnd(main);
      expect(code).toBe(1);
      expect(words).toContain('The maxmemory-policy of Redis is allkeys-lru');
      expect(words).toContain('Set it to noeviction');
      expect(words).not.toMatch(/^ +at /m);
    },
  );

  it('takes the process out of service, even if CONFIG is forbidden as on managed Redis', async () => {
    await eventually(checks, ({ status }) => status === 200);
    await redis.command('config', 'set', 'maxmemory-policy', 'volatile-ttl');
    expect(await eventually(checks, ({ status }) => status === 503)).toMatchObject({
      redis: 'evicts',
    });
    await app.runtime.redis.call('acl', 'setuser', 'default', '-config');
    expect(await eventually(checks, ({ redis: told }) => told !== 'failed')).toMatchObject({
      status: 503,
      redis: 'evicts',
    });
    await app.runtime.redis.call('acl', 'setuser', 'default', '+@all');
    await redis.command('config', 'set', 'maxmemory-policy', 'noeviction');
    await eventually(checks, ({ status }) => status === 200);
  });

  it('is reported by a metric', async () => {
    const metrics = createFleetMetrics(app.runtime);
    const evicts = async () =>
      sumOf(metricsIn(await metrics.read()), 'marketplace_redis_evicts', {});
    expect(await evicts()).toBe(0);
    await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    await eventually(evicts, (value) => value === 1);
  });

  it('only causes a warning if its policy cannot be read', async () => {
    await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    await app.runtime.redis.call('acl', 'setuser', 'default', '-config', '-info');
    const warnings: string[] = [];
    const log = { ...app.runtime.log, warn: (text: string) => void warnings.push(text) };
    await requireNoEviction(app.runtime.redis, log as never);
    expect(warnings).toEqual([expect.stringContaining('make sure that it is noeviction')]);
  });
});

/** Such a Redis answers reads, so a check that only reads takes it for healthy. */
describe('a Redis that refuses writes', () => {
  let redis: OwnRedis;
  let runtime: TestRuntime;
  let url: string;
  let stop: () => Promise<void>;
  let dumpInTheWay: string;
  const lines: string[] = [];
  beforeAll(async () => {
    redis = await startOwnRedis();
    const [, folder] = (await redis.command('config', 'get', 'dir')) as string[];
    dumpInTheWay = join(String(folder), 'dump.rdb');
    const log = createLogger(
      { level: 'warn', name: 'test' },
      { write: (line) => lines.push(line) },
    );
    runtime = await createTestRuntime({ REDIS_URL: redis.url });
    const api = createApiServer(createApp({ ...runtime, log }));
    await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
    stop = () => api.stop(0);
  });
  afterAll(async () => {
    await stop();
    await runtime.stop();
    await redis.remove();
  });

  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, string> };
    return { status: answer.status, redis: checks.redis };
  };
  const failToSave = async () => {
    mkdirSync(dumpInTheWay);
    await redis.command('config', 'set', 'save', '3600 1');
    await redis.command('bgsave');
  };
  const save = async () => {
    rmdirSync(dumpInTheWay);
    await redis.command('bgsave');
  };

  it.each([
    ['could not save its data', failToSave, save],
    [
      'is full',
      () => redis.command('config', 'set', 'maxmemory', '1'),
      () => redis.command('config', 'set', 'maxmemory', '0'),
    ],
    [
      'lacks its replicas',
      () => redis.command('config', 'set', 'min-replicas-to-write', '1'),
      () => redis.command('config', 'set', 'min-replicas-to-write', '0'),
    ],
    [
      'has become a replica',
      () => redis.command('replicaof', '127.0.0.1', '1'),
      () => redis.command('replicaof', 'no', 'one'),
    ],
  ])(
    'takes the process out of service when it %s, and signed requests get 503',
    async (_why, refuse, recover) => {
      const client = signedClient(url, await givenPartner(runtime), () => runtime.clock.now());
      await eventually(readiness, ({ status }) => status === 200);
      await refuse();
      expect(await eventually(readiness, ({ status }) => status === 503)).toMatchObject({
        redis: 'read_only',
      });
      lines.length = 0;
      const answers = await Promise.all(Array.from({ length: 50 }, () => client.get('/v1/orders')));
      for (const answer of answers) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]/);
        expect(answer.body.error).toMatchObject({ code: 'service_unavailable' });
      }
      expect(lines.length).toBeLessThan(20);
      await recover();
      await eventually(readiness, ({ status }) => status === 200);
      await client.get('/v1/orders').expect(200);
    },
  );
});

describe('GET /readyz', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  it('checks Postgres at most once per second, however many requests arrive', async () => {
    let looks = 0;
    app.runtime.db.knex.on('query', ({ sql }: { sql: string }) => {
      if (sql.includes('pg_is_in_recovery')) looks += 1;
    });
    const began = performance.now();
    await Promise.all(Array.from({ length: 200 }, () => fetch(`${app.url}/readyz`)));
    const seconds = (performance.now() - began) / 1_000;
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(1 + Math.floor(seconds));
  });

  it.each([-150_000, 150_000])(
    'takes a process out of service if its clock is off by %d ms',
    async (ms) => {
      const read = async () => {
        const answer = await fetch(`${app.url}/readyz`);
        const { checks } = (await answer.json()) as { checks: Record<string, string> };
        return { status: answer.status, redis: checks.redis };
      };
      await eventually(read, ({ status }) => status === 200);
      const { now } = Date;
      const shifted = jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
      try {
        expect(await eventually(read, ({ status }) => status === 503)).toMatchObject({
          redis: 'clock_off',
        });
      } finally {
        shifted.mockRestore();
      }
    },
  );
});

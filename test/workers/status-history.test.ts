import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createFleetStats } from '../../shared/operations/monitoring/fleet-stats.ts';
import { deleteExpired } from '../../shared/operations/retention/delete-expired.ts';
import {
  readStatusHistory,
  recordProbes,
} from '../../shared/operations/status-history/status-history.ts';
import { createStatusProber } from '../../shared/operations/status-history/status-prober.ts';
import type { Component } from '../../shared/operations/status-history/status-rule.ts';
import { addMs, DAY, MINUTE } from '../../shared/platform/clock.ts';
import { untilReady } from '../../shared/platform/redis/redis.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnRedis, startOwnRedis } from '../support/own-redis.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let redis: OwnRedis;
let runtime: TestRuntime;
let api: Server;
let healthy: boolean;
let baseUrl: string;
let probe: () => Promise<void>;

beforeAll(async () => {
  redis = await startOwnRedis();
  api = createServer((_req, res) => res.writeHead(healthy ? 200 : 503).end()).listen(0);
  await once(api, 'listening');
  baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterAll(async () => {
  api.close();
  api.closeAllConnections();
  await redis.remove();
});
beforeEach(async () => {
  healthy = true;
  runtime = await createTestRuntime({
    REDIS_URL: redis.url,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    figureWaitMs: MINUTE,
  });
  // Away from midnight: what is counted by days is of one day.
  const noon = runtime.clock.now();
  noon.setUTCHours(12, 0, 0, 0);
  runtime.clock.set(noon);
  probe = createStatusProber({ ...runtime, config: { ...runtime.config, baseUrl } });
});
afterEach(() => runtime.stop());

const now = () => runtime.clock.now();
/** Probes so many minutes, one after the other; the first is the next one. */
async function probeMinutes(count: number): Promise<Date> {
  const first = addMs(now(), MINUTE);
  for (let nth = 0; nth < count; nth += 1) {
    runtime.clock.set(addMs(now(), MINUTE));
    await probe();
  }
  return new Date(Math.floor(first.getTime() / MINUTE) * MINUTE);
}
const incidents = async () => (await readStatusHistory(runtime)).incidents;

describe('the status history', () => {
  it('opens an incident while a component fails and closes it on recovery', async () => {
    await probeMinutes(2);
    healthy = false;
    const startedAt = await probeMinutes(2);
    expect(await incidents()).toEqual([]);
    await probeMinutes(1);
    expect(await incidents()).toEqual([{ component: 'api', startedAt, endedAt: null }]);
    healthy = true;
    const endedAt = await probeMinutes(2);
    expect(await incidents()).toEqual([{ component: 'api', startedAt, endedAt: null }]);
    await probeMinutes(1);
    expect(await incidents()).toEqual([{ component: 'api', startedAt, endedAt }]);
    const { days } = await readStatusHistory(runtime);
    const counted = Object.fromEntries(days.map((day) => [day.component, day]));
    expect(counted.api).toMatchObject({ probes: 8, failures: 3 });
    expect(counted.database).toMatchObject({ probes: 8, failures: 0 });
  });

  it('tells late queues from late webhooks, and reports neither while Redis is down', async () => {
    const row = { queue: 'transfers', name: 'test', payload: {}, created_at: now() };
    await runtime.db.knex('outbox').insert({ ...row, run_at: addMs(now(), -6 * MINUTE) });
    const queuesSince = await probeMinutes(3);
    expect(await incidents()).toEqual([
      { component: 'queues', startedAt: queuesSince, endedAt: null },
    ]);
    await runtime.db.knex('outbox').delete();
    const queuesUntil = await probeMinutes(3);

    await redis.kill();
    const redisSince = await probeMinutes(3);
    await redis.start();
    await untilReady(runtime.redis, 150_000);
    // The queues have a connection of their own.
    const reached = () => createFleetStats(runtime).queues(0);
    await eventually(() => reached().then(Boolean, () => false));
    const redisUntil = await probeMinutes(3);
    expect(await incidents()).toEqual([
      { component: 'redis', startedAt: redisSince, endedAt: redisUntil },
      { component: 'queues', startedAt: queuesSince, endedAt: queuesUntil },
    ]);
    const { days } = await readStatusHistory(runtime);
    const probes = (component: Component) =>
      days.find((day) => day.component === component)?.probes;
    expect([probes('redis'), probes('webhooks')]).toEqual([12, 9]);
  });

  it('records probes later that could not be stored at the time', async () => {
    await probeMinutes(1);
    await runtime.db.knex.raw('alter table status_probes rename to elsewhere');
    healthy = false;
    const startedAt = await probeMinutes(3);
    healthy = true;
    await runtime.db.knex.raw('alter table elsewhere rename to status_probes');
    const endedAt = await probeMinutes(3);
    expect(await incidents()).toEqual([{ component: 'api', startedAt, endedAt }]);
  });

  it('gives the same result in whatever order processes report, counting each minute once', async () => {
    const minutes = Array.from({ length: 9 }, (_, nth) => ({
      component: 'api' as const,
      at: addMs(new Date('2026-11-24T10:00:00Z'), nth * MINUTE),
      ok: nth < 2 || nth > 5,
    }));
    runtime.clock.set(new Date('2026-11-24T12:00:00Z'));
    // What another process found after the outage arrives before what this one found in it.
    await recordProbes(runtime, minutes.slice(6));
    await recordProbes(runtime, minutes.slice(0, 4));
    await Promise.all([
      recordProbes(runtime, minutes.slice(2, 6)),
      recordProbes(runtime, minutes.slice(2, 6)),
    ]);
    const at = (nth: number) => minutes[nth]?.at;
    expect(await incidents()).toEqual([{ component: 'api', startedAt: at(2), endedAt: at(6) }]);
    expect((await readStatusHistory(runtime)).days).toEqual([
      { component: 'api', day: '2026-11-24', probes: 9, failures: 4 },
    ]);
  });

  it('keeps 90 days of history and 3 days of single probes', async () => {
    healthy = false;
    await probeMinutes(3);
    healthy = true;
    await probeMinutes(3);
    const count = async (table: string) => Number((await runtime.db.knex(table).count())[0]?.count);
    runtime.clock.set(addMs(now(), 4 * DAY));
    expect(await deleteExpired(runtime)).toMatchObject({ status_probes: 30 });
    expect([await count('status_probes'), await count('status_incidents')]).toEqual([0, 1]);
    runtime.clock.set(addMs(now(), 88 * DAY));
    await deleteExpired(runtime);
    expect([await count('status_days'), await count('status_incidents')]).toEqual([0, 0]);
  });
});

import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Counter, Gauge } from 'prom-client';
import { AT_WORK, BURST, createLoadShedding } from '../../api/http/load-shedding.ts';
import { type ApiServer, createApiServer } from '../../api/http/server.ts';
import { eventually } from '../support/eventually.ts';

const POOL_SIZE = 10;

describe('load shedding', () => {
  let api: ApiServer;
  let baseUrl: string;
  let shed: Counter;
  let usedConnections: number;
  /** Answers the held requests. */
  let release: (() => void)[];
  let underWay: number;
  /** Requests that were started, queued or rejected. */
  let arrived: number;
  afterEach(async () => {
    for (const answer of release) answer();
    await api.stop(1_000);
  });

  const held: RequestListener = (_req, res) => {
    underWay += 1;
    release.push(() => res.end('done'));
  };
  const start = async (handler: RequestListener = held) => {
    release = [];
    underWay = 0;
    arrived = 0;
    usedConnections = 0;
    shed = new Counter({ name: 'shed', help: 'shed', registers: [] });
    const shedding = createLoadShedding({
      targetMs: 150,
      poolSize: POOL_SIZE,
      usedConnections: () => usedConnections,
      shed,
      limit: new Gauge({ name: 'limit', help: 'limit', registers: [] }),
      // Time stands still, so no request waits too long, however slow the machine is.
      now: () => 0,
    });
    api = createApiServer(
      (req, res) => (req.url === '/healthz' ? res.end('alive') : handler(req, res)),
      { shedding },
    );
    api.server.on('request', () => {
      arrived += 1;
    });
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    baseUrl = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
  };
  const shedCount = async () => (await shed.get()).values[0]?.value ?? 0;
  const send = (count: number) =>
    Array.from({ length: count }, () => fetch(`${baseUrl}/slow`).then(({ status }) => status));
  /** Sends all requests in one write on one connection, so that they arrive together. */
  const sendAtOnce = (count: number): Promise<number>[] => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
    let text = '';
    const statuses = new Promise<number[]>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('data', (part) => {
        text += part;
        const seen = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
        if (seen.length < count) return;
        socket.destroy();
        resolve(seen);
      });
    });
    return Array.from({ length: count }, (_, at) => statuses.then((seen) => seen[at] ?? 0));
  };

  /** Answers all held requests, and those that start as a result. */
  const answerAll = (answers: readonly Promise<number>[]) => {
    const timer = setInterval(() => {
      for (const answer of release.splice(0)) answer();
    }, 5);
    return Promise.all(answers).finally(() => clearInterval(timer));
  };

  it('queues a burst when the database pool is exhausted, and returns 503 to what exceeds it', async () => {
    await start();
    usedConnections = POOL_SIZE;
    const answers = send(BURST);
    await eventually(() => arrived === BURST);
    const refused = await fetch(`${baseUrl}/slow`, { method: 'POST', body: 'x'.repeat(100_000) });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-4]$/);
    const requestId = refused.headers.get('x-request-id');
    expect(await refused.json()).toEqual({
      error: {
        code: 'service_unavailable',
        message: expect.stringContaining('Nothing was done'),
        request_id: requestId,
      },
    });
    expect(await shedCount()).toBeGreaterThan(0);
    expect(underWay).toBe(AT_WORK);

    usedConnections = 0;
    await answerAll(answers);
    const [next] = send(1);
    expect(await answerAll([next as Promise<number>])).toEqual([200]);
  });

  it('rejects requests while the event loop is blocked', async () => {
    await start();
    let spinning = true;
    const spin = () => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      if (spinning) setImmediate(spin);
    };
    spin();
    const answers: Promise<number>[] = [];
    await eventually(
      () => {
        answers.push(...send(20));
        return shedCount();
      },
      (count) => count > 0,
    );
    spinning = false;
    expect(await answerAll(answers)).toContain(503);
  });

  it('accepts fifty requests at once, with or without free connections', async () => {
    for (const used of [0, POOL_SIZE]) {
      await start();
      usedConnections = used;
      expect(await answerAll(sendAtOnce(50))).toEqual(Array.from({ length: 50 }, () => 200));
      expect(await shedCount()).toBe(0);
      await api.stop(1_000);
    }
  });

  it('does not count streams that have started, and always answers health probes', async () => {
    await start((_req, res) => {
      underWay += 1;
      res.writeHead(200).flushHeaders();
      release.push(() => res.end());
    });
    usedConnections = POOL_SIZE;
    expect(await Promise.all(send(2 * AT_WORK))).not.toContain(503);
    for (const answer of release.splice(0)) answer();
    await api.stop(1_000);

    await start();
    usedConnections = POOL_SIZE;
    const answers = send(AT_WORK);
    await eventually(() => underWay === AT_WORK);
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    await answerAll(answers);
  });

  it('answers waiting requests on shutdown', async () => {
    await start();
    usedConnections = POOL_SIZE;
    const answers = send(AT_WORK + 2);
    await eventually(() => arrived === AT_WORK + 2);
    const stopped = api.stop(10_000);
    expect(await answerAll(answers)).toEqual(answers.map(() => 200));
    await stopped;
  });
});

import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Counter } from 'prom-client';
import { createLoadShedding } from '../../api/http/load-shedding.ts';
import { type ApiServer, createApiServer } from '../../api/http/server.ts';
import { eventually } from '../support/eventually.ts';

const MAX_UNDER_WAY = 2;
const POOL_SIZE = 10;

describe('load shedding', () => {
  let api: ApiServer;
  let baseUrl: string;
  let shed: Counter;
  let waitingForPostgres: number;
  /** Answers the requests that are held. */
  let release: (() => void)[];
  let underWay: number;
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
    waitingForPostgres = 0;
    shed = new Counter({ name: 'shed', help: 'shed', registers: [] });
    const shedding = createLoadShedding({
      maxUnderWay: MAX_UNDER_WAY,
      poolSize: POOL_SIZE,
      waitingForPostgres: () => waitingForPostgres,
      shed,
    });
    api = createApiServer(
      (req, res) => (req.url === '/healthz' ? res.end('alive') : handler(req, res)),
      { shedding },
    );
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    baseUrl = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
  };
  const fill = async () => {
    const answers = Array.from({ length: MAX_UNDER_WAY }, () => fetch(`${baseUrl}/slow`));
    await eventually(() => underWay === MAX_UNDER_WAY);
    return answers;
  };

  it('refuses what comes on top of what is under way, when too many wait for Postgres', async () => {
    await start();
    const answers = await fill();
    waitingForPostgres = 4 * POOL_SIZE;
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
    expect((await shed.get()).values[0]?.value).toBe(1);
    expect(underWay).toBe(MAX_UNDER_WAY);

    for (const answer of release) answer();
    for (const answer of answers) expect((await answer).status).toBe(200);
    const next = fetch(`${baseUrl}/slow`);
    await eventually(() => underWay === MAX_UNDER_WAY + 1);
    release.at(-1)?.();
    expect((await next).status).toBe(200);
  });

  it('refuses when the event loop never rests', async () => {
    await start();
    const answers = await fill();
    let spinning = true;
    const spin = () => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      if (spinning) setImmediate(spin);
    };
    spin();
    const status = await eventually(
      () =>
        fetch(`${baseUrl}/slow`, { signal: AbortSignal.timeout(1_000) }).then(
          (answer) => answer.status,
          () => 'held',
        ),
      (seen) => seen === 503,
    );
    spinning = false;
    expect(status).toBe(503);
    for (const answer of release) answer();
    for (const answer of answers) expect((await answer).status).toBe(200);
  });

  it('takes any number while nothing is short', async () => {
    await start();
    await fill();
    const more = Array.from({ length: 20 }, () => fetch(`${baseUrl}/slow`));
    await eventually(() => underWay === MAX_UNDER_WAY + 20);
    for (const answer of release) answer();
    for (const answer of more) expect((await answer).status).toBe(200);
    expect((await shed.get()).values[0]?.value ?? 0).toBe(0);
  });

  it('does not count streams that have begun, and answers probes always', async () => {
    await start((_req, res) => {
      underWay += 1;
      res.writeHead(200).flushHeaders();
      release.push(() => res.end());
    });
    waitingForPostgres = 4 * POOL_SIZE;
    await fill();
    expect((await fetch(`${baseUrl}/slow`)).status).toBe(200);
    for (const answer of release.splice(0)) answer();
    await api.stop(1_000);

    await start();
    await fill();
    waitingForPostgres = 4 * POOL_SIZE;
    expect((await fetch(`${baseUrl}/slow`)).status).toBe(503);
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
  });
});

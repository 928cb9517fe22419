import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { linesOf } from '../../support/json-lines.ts';
import { lookupEnv } from '../../support/lookups.ts';
import { type Registries, standInRegistries } from '../../support/registries.ts';
import {
  type RegistryStandIn,
  rdapRecord,
  startRegistryStandIn,
} from '../../support/registry-stand-in.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
type Json = any;

const NDJSON = 'application/x-ndjson';

function post({ url }: TestApp, body: unknown, accept = 'application/json') {
  return fetch(`${url}/api/domain/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify(body),
  });
}

async function search(app: TestApp, body: unknown): Promise<Json> {
  const answer = await post(app, body);
  expect(answer.status).toBe(200);
  return answer.json();
}

describe('domain search with a slow registry', () => {
  let app: TestApp;
  let registry: Registries;
  beforeAll(async () => {
    app = await startTestApp({ DOMAIN_SEARCH_TLDS: 'com,net,io,ai,co.uk' });
    registry = standInRegistries(app);
  });
  afterEach(() => registry.clear());
  afterAll(() => app.stop());

  it('streams each row as soon as it is known, without waiting for the slow ones', async () => {
    registry.says.set('slowzinc.net', 'hangs').set('slowzinc.ai', 'hangs');
    const answer = await post(app, { q: 'slow zinc' }, NDJSON);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/x-ndjson/);
    const lines = linesOf(answer);
    const early = [await lines.next(), await lines.next(), await lines.next()];
    expect(early[0].domain).toBe('slowzinc.com');
    expect(early.map(({ domain }) => domain).sort()).toEqual([
      'slowzinc.co.uk',
      'slowzinc.com',
      'slowzinc.io',
    ]);
    registry.release();
    const late = [await lines.next(), await lines.next()];
    expect(await lines.next()).toBeUndefined();

    const about = { query: 'slow zinc', label: 'slowzinc', signed_in: false };
    for (const line of [...early, ...late]) expect(line).toMatchObject(about);
    const rows = [...early, ...late]
      .sort((a, b) => a.position - b.position)
      .map(({ position, query, label, signed_in, ...row }) => row);
    expect(late.map(({ status, available }) => [status, available])).toEqual([
      ['unknown', null],
      ['unknown', null],
    ]);
    registry.says.set('slowzinc.net', 'unknown').set('slowzinc.ai', 'unknown');
    expect((await search(app, { q: 'slow zinc' })).results).toEqual(rows);
  });

  it('always sends the requested domain first, even if it is slow', async () => {
    registry.says.set('firstzinc.com', 'hangs');
    const answering = post(app, { q: 'firstzinc.com' }, NDJSON);
    await eventually(() => registry.asked.length === 5);
    registry.release();
    const lines = linesOf(await answering);
    expect(await lines.next()).toMatchObject({
      position: 0,
      domain: 'firstzinc.com',
      status: 'unknown',
      available: null,
    });
    const others = [await lines.next(), await lines.next(), await lines.next(), await lines.next()];
    expect(others.map(({ position }) => position).sort()).toEqual([1, 2, 3, 4]);
    expect(await lines.next()).toBeUndefined();
  });

  it('asks about all names at once and waits for the configured time', async () => {
    registry.says.set('oncezinc.com', 'hangs');
    const answering = search(app, { q: 'oncezinc' });
    // None is answered before all have been asked.
    await eventually(() => registry.asked.length === 5);
    registry.release();
    expect((await answering).results[0].domain).toBe('oncezinc.com');
    expect([...registry.budgets]).toEqual([2_000]);
  });

  it('survives a client that disconnects from a stream', async () => {
    registry.says.set('gonezinc.net', 'hangs');
    const answer = await post(app, { q: 'gonezinc' }, NDJSON);
    await answer.body?.cancel();
    registry.clear();
    expect((await search(app, { q: 'gonezinc.com' })).results[0].status).toBe('available');
  });
});

describe('domain search at registries over the network', () => {
  let app: TestApp;
  let registry: RegistryStandIn;
  beforeAll(async () => {
    registry = await startRegistryStandIn();
    app = await startTestApp({
      ...lookupEnv(registry),
      // Enough for an answer on any machine. The held one comes later.
      domainSearchBudgetMs: 5_000,
      lookupMs: MINUTE,
      lookupServerMs: MINUTE,
    });
  });
  afterAll(async () => {
    registry.release();
    await app.stop();
    await registry.close();
  });

  const statuses = ({ results }: Json) =>
    Object.fromEntries(results.map(({ domain, status }: Json) => [domain, status]));

  it('stops waiting at the time limit, and uses late answers next time', async () => {
    registry.rdap.set('late.pizza', registry.held({ body: rdapRecord('late.pizza') }));
    const tlds = ['pizza', 'coffee'];
    expect(statuses(await search(app, { q: 'late', tlds }))).toEqual({
      'late.pizza': 'unknown',
      'late.coffee': 'available',
    });
    registry.release();
    await app.runtime.lookups.find('late.pizza');
    expect(statuses(await search(app, { q: 'late', tlds }))).toEqual({
      'late.pizza': 'registered',
      'late.coffee': 'available',
    });
    expect(registry.asked.filter((path) => path.startsWith('/domain/')).sort()).toEqual([
      '/domain/late.coffee',
      '/domain/late.pizza',
    ]);
  });
});

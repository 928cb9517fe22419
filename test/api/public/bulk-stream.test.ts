import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createApp } from '../../../api/app.ts';
import { createApiServer } from '../../../api/http/server.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { accessTokenFor } from '../../support/oauth.ts';

interface Told {
  event: string;
  id: string;
  data: { status: string; succeeded: number; progress: number };
}

describe('GET /domains/bulk/jobs/{id}/stream', () => {
  let app: TestApp;
  let owner: Owner;
  let token: string;
  beforeEach(async () => {
    app = await startTestApp({
      bulkChunkSize: 5,
      bulkStreamPollMs: 10,
      bulkStreamHeartbeatMs: 50,
      bulkStreams: 2,
    });
    owner = await givenOwnerOf(app.runtime, 20);
    token = await accessTokenFor(app.runtime, {
      userId: owner.userId,
      scopes: ['domains:manage'],
    });
  });
  afterEach(() => app.stop());

  const start = async () => {
    const { body } = await app.public
      .post('/domains/bulk/lock', {
        token,
        body: { domains: owner.domains, params: { enabled: false } },
      })
      .expect(202);
    return body.id as string;
  };
  const open = (id: string, headers: Record<string, string> = {}, url = app.url) => {
    const leave = new AbortController();
    const answer = fetch(`${url}/api/domains/bulk/jobs/${id}/stream`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...headers },
      signal: leave.signal,
    });
    return { answer, leave };
  };
  async function* textOf(answer: Promise<Response>): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const chunk of (await answer).body ?? []) {
      yield decoder.decode(chunk as Uint8Array, { stream: true });
    }
  }
  const told = (text: string): Told[] =>
    [...text.matchAll(/event: (\w+)\nid: (\d+)\ndata: (.*)\n\n/g)].map(
      ([, event = '', id = '', data = '']) => ({ event, id, data: JSON.parse(data) }),
    );
  /** Reads until `accept` is true for the whole text so far. */
  async function readUntil(chunks: AsyncGenerator<string>, accept: (text: string) => boolean) {
    let text = '';
    for (;;) {
      const { value, done } = await chunks.next();
      if (done) throw new Error(`the stream ended after ${text}`);
      text += value;
      if (accept(text)) return text;
    }
  }

  it('sends the current state, heartbeats, and a final event when the job is done', async () => {
    const id = await start();
    const { answer } = open(id, { 'Last-Event-ID': 'anything' });
    expect((await answer).headers.get('Content-Type')).toMatch(/^text\/event-stream/);
    expect((await answer).headers.get('Cache-Control')).toBe('no-store');
    const chunks = textOf(answer);
    const quiet = await readUntil(chunks, (text) => text.split(': still there').length > 2);
    expect(told(quiet)).toMatchObject([{ event: 'progress', id: '0', data: { status: 'queued' } }]);

    const fleet = startWorkers(app.runtime, { queues: ['bulk-domains'] });
    try {
      let rest = '';
      for await (const chunk of chunks) rest += chunk;
      const events = told(rest);
      expect(events.at(-1)).toMatchObject({
        event: 'done',
        id: '20',
        data: { status: 'completed', succeeded: 20, progress: 1 },
      });
      const counts = events.map(({ data }) => data.succeeded);
      expect(counts).toEqual([...counts].sort((a, b) => a - b));
    } finally {
      await fleet.stop();
    }
    const late = open(id);
    let all = '';
    for await (const chunk of textOf(late.answer)) all += chunk;
    expect(told(all)).toMatchObject([{ event: 'done' }]);
  });

  it('limits streams per user, and frees a slot when a client disconnects', async () => {
    const id = await start();
    const [first, second] = [open(id), open(id)];
    for (const each of [first, second]) expect((await each.answer).status).toBe(200);
    const third = await open(id).answer;
    expect(third.status).toBe(429);
    expect(await third.json()).toMatchObject({ error: { code: 'rate_limited' } });
    first.leave.abort();
    for (;;) {
      const again = open(id);
      const { status } = await again.answer;
      again.leave.abort();
      if (status === 200) break;
    }
    second.leave.abort();
  });

  it('ends when the server stops, without delaying it', async () => {
    const id = await start();
    const { server, stop } = createApiServer(createApp(app.runtime));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { answer } = open(id, {}, `http://127.0.0.1:${port}`);
    const chunks = textOf(answer);
    await readUntil(chunks, (text) => told(text).length > 0);
    const began = performance.now();
    const ended = stop(120_000);
    for await (const _ of chunks);
    await ended;
    expect(performance.now() - began).toBeLessThan(120_000);
  });

  it('returns the state as JSON right away if only JSON is accepted', async () => {
    const path = `/domains/bulk/jobs/${await start()}/stream`;
    const headers = { Accept: 'application/json' };
    const { body } = await app.public.get(path, { token, headers }).expect(200);
    expect(body).toMatchObject({ status: 'queued', total: 20 });
  });
});

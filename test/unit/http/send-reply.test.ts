import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { sendReply } from '../../../api/http/reply.ts';
import { createApiServer } from '../../../api/http/server.ts';

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
});

/** A server that streams `chunks`, with the outcome of sending them. */
async function streaming(chunks: () => AsyncIterable<string>) {
  let settle: (outcome: string) => void = () => {};
  const outcome = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const app = express();
  app.get('/', async (_req, res) => {
    const stream = { contentType: 'application/x-ndjson', chunks: chunks() };
    await sendReply(res, { status: 200, stream }).then(
      () => settle('sent'),
      (error) => {
        settle(`failed: ${error.message}`);
        res.destroy();
      },
    );
  });
  const api = createApiServer(app);
  await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
  stop = () => api.stop(0);
  const { port } = api.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, outcome };
}

describe('a streamed response', () => {
  it('contains all its chunks', async () => {
    const { url, outcome } = await streaming(async function* () {
      yield 'one\n';
      yield 'two\n';
    });
    expect(await fetch(url).then((answer) => answer.text())).toBe('one\ntwo\n');
    expect(await outcome).toBe('sent');
  });

  it('may be abandoned by its reader without an error, and its source stops', async () => {
    let told: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      told = resolve;
    });
    const { url, outcome } = await streaming(async function* () {
      try {
        for (;;) {
          yield 'again\n';
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        told();
      }
    });
    const answer = await fetch(url);
    await answer.body?.cancel();
    await closed;
    expect(await outcome).toBe('sent');
  });

  it('breaks off when it fails midway, so that nobody takes it for complete', async () => {
    const { url, outcome } = await streaming(async function* () {
      yield 'one\n';
      throw new Error('the source broke');
    });
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    expect(await outcome).toBe('failed: the source broke');
  });
});

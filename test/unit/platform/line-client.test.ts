import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createWhoisTransport,
  type WhoisRequest,
} from '../../../shared/market/lookup/whois-client.ts';
import {
  drip,
  type FaultReceiver,
  flood,
  type Misbehaviour,
  startReceiver,
} from '../../support/fault-receiver.ts';

const receivers: FaultReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const client = createWhoisTransport({ allowPrivate: true });

async function ask(behave: Misbehaviour, more: Partial<WhoisRequest> = {}) {
  const receiver = await startReceiver(behave);
  receivers.push(receiver);
  const question = { host: '127.0.0.1', port: receiver.port, line: 'hello' };
  const answer = await client({ ...question, deadlineMs: 5_000, maxBytes: 1_000, ...more });
  return { answer, receiver };
}

describe('a line client', () => {
  it('sends one line and reads until the other side closes', async () => {
    const { answer, receiver } = await ask((socket) => {
      socket.write('first\r\n', () => socket.end('second'));
    });
    expect(answer).toEqual({
      kind: 'answer',
      body: Buffer.from('first\r\nsecond'),
      truncated: false,
    });
    expect(receiver.received).toEqual(['hello\r\n']);
  });

  it('cuts off an endless response and drops the connection', async () => {
    const { answer, receiver } = await ask((socket) => flood(socket, Buffer.alloc(65_536, 'x')));
    expect(answer).toMatchObject({ kind: 'answer', truncated: true });
    expect(answer.kind === 'answer' && answer.body).toHaveLength(1_000);
    await receiver.drained();
  });

  it.each<[what: string, behave: Misbehaviour]>([
    ['silence', () => {}],
    ['an answer in drips', (socket) => drip(socket, 'x', 5)],
  ])('does not wait past its deadline for %s', async (_what, behave) => {
    const { answer, receiver } = await ask(behave, { deadlineMs: 100 });
    expect(answer).toEqual({ kind: 'failure', reason: 'timeout' });
    await receiver.drained();
  });

  it('stops when its caller gives up, before or while it waits', async () => {
    const caller = new AbortController();
    const { answer } = await ask(() => caller.abort(), { signal: caller.signal });
    expect(answer).toEqual({ kind: 'failure', reason: 'aborted' });
    const again = await ask(() => {}, { signal: caller.signal });
    expect(again.answer).toEqual({ kind: 'failure', reason: 'aborted' });
    expect(again.receiver.connections).toBe(0);
  });

  it('returns what came before a reset, or fails if nothing came', async () => {
    const { answer } = await ask((socket) => {
      socket.write('all of it', () => socket.resetAndDestroy());
    });
    expect(answer).toMatchObject({ kind: 'answer', body: Buffer.from('all of it') });
    const reset = await ask((socket) => void socket.resetAndDestroy());
    expect(reset.answer).toEqual({ kind: 'failure', reason: 'connection_failed' });
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'localhost', 'name.localhost'])(
    'refuses to connect to %s if private addresses are not allowed',
    async (host) => {
      const guarded = createWhoisTransport({ allowPrivate: false });
      const question = { host, port: 43, line: 'hello', deadlineMs: 2_000, maxBytes: 10 };
      expect(await guarded(question)).toEqual({ kind: 'failure', reason: 'refused_address' });
    },
  );

  it('refuses a name that also has a private address', async () => {
    const guarded = createWhoisTransport({
      allowPrivate: false,
      resolve: async () => [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    const question = {
      host: 'whois.example.com',
      port: 43,
      line: 'x',
      deadlineMs: 2_000,
      maxBytes: 9,
    };
    expect(await guarded(question)).toEqual({ kind: 'failure', reason: 'refused_address' });
  });
});

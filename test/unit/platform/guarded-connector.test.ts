import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { HostAddress } from '../../../shared/platform/outbound/address-guard.ts';
import {
  type ConnectorOptions,
  createGuardedConnector,
  type DialTarget,
} from '../../../shared/platform/outbound/guarded-connector.ts';
import { type FaultReceiver, startSilentReceiver } from '../../support/fault-receiver.ts';

const PUBLIC: HostAddress = { address: '93.184.215.14', family: 4 };
const LOOPBACK: HostAddress = { address: '127.0.0.1', family: 4 };

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const action of cleanUp.splice(0)) await action();
});

async function receiver(): Promise<FaultReceiver> {
  const started = await startSilentReceiver();
  cleanUp.push(() => started.close());
  return started;
}

function open(options: Partial<ConnectorOptions>, port: number, protocol = 'http:') {
  const connector = createGuardedConnector({
    allowPrivate: false,
    resolve: async () => [PUBLIC],
    connectTimeoutMs: 2_000,
    ...options,
  });
  cleanUp.push(() => connector.close());
  return new Promise<Socket>((resolve, reject) => {
    connector.connect(
      { hostname: 'hooks.example.com', protocol, port: String(port) },
      (error, socket) => {
        if (error) return reject(error);
        cleanUp.push(() => socket?.destroy());
        resolve(socket as Socket);
      },
    );
  });
}

/** A resolver with a different answer for each query. */
function flipping(...answers: HostAddress[][]) {
  return jest.fn(async () => answers.shift() ?? []);
}

describe('guarded connector', () => {
  it('dials only the address that it vetted, even when DNS flips to loopback', async () => {
    const inside = await receiver();
    const dialled: DialTarget[] = [];
    const resolve = flipping([PUBLIC], [LOOPBACK]);
    const dial = (target: DialTarget) => {
      dialled.push(target);
      return connectTcp({ host: '127.0.0.1', port: inside.port });
    };
    // The test dial connects to loopback, as after a second lookup; the connector must notice.
    await expect(open({ resolve, dial }, inside.port)).rejects.toMatchObject({
      reason: 'refused_address',
    });
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(dialled).toEqual([
      { host: 'hooks.example.com', port: inside.port, addresses: [PUBLIC] },
    ]);
  });

  it.each<[string, HostAddress[]]>([
    ['loopback', [LOOPBACK]],
    ['a public and a private address', [PUBLIC, { address: '10.0.0.1', family: 4 }]],
    ['a public address and IPv6 loopback', [PUBLIC, { address: '::1', family: 6 }]],
    ['a public address and mapped metadata', [PUBLIC, { address: '::ffff:a9fe:a9fe', family: 6 }]],
    ['an invalid address', [{ address: 'localhost', family: 4 }]],
  ])('dials nothing when the name has %s', async (_what, addresses) => {
    const dial = jest.fn<(target: DialTarget) => Socket>();
    await expect(open({ resolve: async () => addresses, dial }, 443)).rejects.toMatchObject({
      reason: 'refused_address',
    });
    expect(dial).not.toHaveBeenCalled();
  });

  it('accepts a peer address in its mapped IPv6 spelling', async () => {
    const inside = await receiver();
    const mapped: HostAddress = { address: '::ffff:127.0.0.1', family: 6 };
    const dial = () => connectTcp({ host: '127.0.0.1', port: inside.port });
    const socket = await open(
      { allowPrivate: true, resolve: async () => [mapped], dial },
      inside.port,
    );
    expect(socket.remoteAddress).toBe('127.0.0.1');
  });

  it('tries the next vetted address when one refuses the connection', async () => {
    const inside = await receiver();
    const resolve = async (): Promise<HostAddress[]> => [{ address: '::1', family: 6 }, LOOPBACK];
    const socket = await open({ allowPrivate: true, resolve }, inside.port);
    expect(socket.remoteAddress).toBe('127.0.0.1');
  });

  it('gives up on DNS that never responds', async () => {
    const resolve = () => new Promise<never>(() => {});
    await expect(open({ resolve, connectTimeoutMs: 50 }, 443)).rejects.toMatchObject({
      reason: 'timeout',
    });
  });

  it('gives up on a TLS handshake that never ends and frees the connection', async () => {
    const inside = await receiver();
    await expect(
      open(
        { allowPrivate: true, resolve: async () => [LOOPBACK], connectTimeoutMs: 150 },
        inside.port,
        'https:',
      ),
    ).rejects.toMatchObject({ reason: 'timeout' });
    expect(inside.connections).toBe(1);
    await inside.drained();
  });

  it('aborts pending connects when closed', async () => {
    const connector = createGuardedConnector({
      allowPrivate: false,
      resolve: () => new Promise<never>(() => {}),
      connectTimeoutMs: 60_000,
    });
    const failed = new Promise((resolve) => {
      connector.connect({ hostname: 'a.example', protocol: 'http:', port: '' }, (...[error]) =>
        resolve(error),
      );
    });
    connector.close();
    expect(await failed).toMatchObject({ reason: 'aborted' });
  });
});

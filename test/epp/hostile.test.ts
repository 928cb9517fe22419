import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DEMO_TLS } from '../../epp-demo/demo-tls.ts';
import { HELLO } from '../../shared/domains/epp/epp-commands.ts';
import { openEppConnection } from '../../shared/domains/epp/epp-connection.ts';
import { EppUnanswered, EppUnreachable } from '../../shared/domains/epp/epp-errors.ts';
import { createFrameDecoder, encodeFrame } from '../../shared/domains/epp/epp-frame.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { startDemoRegistry } from '../support/demo-registry.ts';

const BOMB = encodeFrame(
  '<!DOCTYPE epp [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]><epp>&b;&b;&b;&b;</epp>',
);
const FINE = encodeFrame('<epp xmlns="urn:ietf:params:xml:ns:epp-1.0"><greeting/></epp>');
const HUGE = Buffer.from([0x7f, 0xff, 0xff, 0xff]);
const NEGATIVE = Buffer.from([0xff, 0xff, 0xff, 0xff]);
const EMPTY = Buffer.from([0, 0, 0, 4]);
const TIMEOUTS = { connectMs: 20_000, answerMs: 20_000 };
const { signal } = createSharedAbort();

let stop: () => Promise<void>;
afterEach(() => stop());

/** A registry that greets with `greeting` and answers whatever comes with `answer`. */
async function registryThatSays(greeting: Buffer, answer: Buffer) {
  const server = createServer(
    { cert: DEMO_TLS.server.certificate, key: DEMO_TLS.server.key },
    (socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write(answer));
      socket.write(greeting);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stop = () => new Promise((resolve) => server.close(() => resolve()));
  const { port } = server.address() as AddressInfo;
  return { host: '127.0.0.1', port, ca: DEMO_TLS.ca };
}

describe('a hostile registry', () => {
  it.each([
    ['an entity bomb', BOMB],
    ['something other than XML', encodeFrame('220 mail.example ESMTP')],
    ['an endless document', HUGE],
    ['a negative length', NEGATIVE],
    ['an empty document', EMPTY],
    ['two documents', Buffer.concat([FINE, FINE])],
  ])('is disconnected when it greets with %s', async (_what, greeting) => {
    const endpoint = await registryThatSays(greeting, FINE);
    const opened = openEppConnection(endpoint, TIMEOUTS, signal);
    // A second document may come after the first was taken; then the next command finds the connection ended.
    await expect(opened.then((connection) => connection.exchange(HELLO))).rejects.toThrow(
      /no greeting|had ended|no answer/,
    );
  });

  it.each([
    ['an entity bomb', BOMB],
    ['an endless document', HUGE],
    ['a negative length', NEGATIVE],
    ['an empty document', EMPTY],
  ])('is disconnected when it answers with %s', async (_what, answer) => {
    const endpoint = await registryThatSays(FINE, answer);
    const connection = await openEppConnection(endpoint, TIMEOUTS, signal);
    await expect(connection.exchange(HELLO)).rejects.toThrow(EppUnanswered);
    expect(connection.isOpen()).toBe(false);
    await expect(connection.exchange(HELLO)).rejects.toThrow(EppUnreachable);
  });
});

describe('a hostile client at the demo registry', () => {
  it('gets a syntax error for an entity bomb and is disconnected for an invalid length', async () => {
    const registry = await startDemoRegistry();
    stop = () => registry.close();
    const socket = connect({
      host: '127.0.0.1',
      port: registry.server.port,
      ca: DEMO_TLS.ca,
      cert: DEMO_TLS.client.certificate,
      key: DEMO_TLS.client.key,
    });
    const decoder = createFrameDecoder();
    const heard: string[] = [];
    const ended = new Promise<void>((resolve) => {
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
    socket.on('data', (chunk: Buffer) => {
      for (const document of decoder.push(chunk)) {
        heard.push(document.toString());
        socket.write(heard.length === 1 ? BOMB : NEGATIVE);
      }
    });
    await ended;
    expect(heard).toHaveLength(2);
    expect(heard[1]).toContain('code="2001"');
  });
});

import type { ChildProcess } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { freePort, spawnProgram } from '../support/service-process.ts';

describe('the API process', () => {
  let runtime: TestRuntime;
  let child: ChildProcess;
  let exit: Promise<number | null>;
  let port: number;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    runtime = await createTestRuntime();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    child.kill('SIGKILL');
  });
  afterAll(() => runtime.stop());

  const start = async () => {
    port = await freePort();
    const env = { ...runtime.env, PORT: String(port), HOST: '127.0.0.1' };
    child = spawnProgram(['api/main.ts'], env, 'ignore');
    exit = new Promise((resolve) => child.once('exit', resolve));
    // The response leaves its connection open.
    const alive = () => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok);
    await eventually(
      () => alive().catch(() => false),
      (ok) => ok,
    );
  };

  /** Starts a request whose body is not sent yet. */
  const beginRequest = async () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write('POST /api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n');
    socket.write('Content-Length: 2\r\n\r\n');
    // "100 Continue": the request has arrived.
    await new Promise((resolve) => socket.once('data', resolve));
    return socket;
  };

  it('finishes requests in progress on SIGTERM and exits with 0', async () => {
    await start();
    const socket = await beginRequest();
    child.kill('SIGTERM');
    await eventually(
      () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => 'refused'),
      (answer) => answer === 'refused',
    );
    const answer = new Promise<string>((resolve) =>
      socket.once('data', (part) => resolve(String(part))),
    );
    socket.write('{}');
    expect(await answer).toMatch(/^HTTP\/1.1 401 [\s\S]*\r\nConnection: close\r\n/);
    expect(await exit).toBe(0);
  });

  it('exits immediately on a second signal', async () => {
    await start();
    await beginRequest();
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect(await exit).toBe(1);
  });
});

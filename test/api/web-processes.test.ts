import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { freePort, spawnProgram } from '../support/service-process.ts';
import type { TestSettings } from '../support/settings.ts';

const PROCESSES = 3;

describe('API processes that share a port (WEB_CONCURRENCY)', () => {
  let runtime: TestRuntime;
  let supervisor: ChildProcess;
  let exit: Promise<number | null>;
  let port: number;
  /** The processes that logged that they listen, in order. */
  let listening: number[];
  const sockets: Socket[] = [];
  beforeAll(async () => {
    runtime = await createTestRuntime();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    supervisor.kill('SIGKILL');
    // Without their supervisor, the other processes exit.
    for (const pid of listening)
      await eventually(
        () => isAlive(pid),
        (alive) => !alive,
      );
  });
  afterAll(() => runtime.stop());

  const start = async (env: TestSettings = {}) => {
    port = await freePort();
    listening = [];
    const own = {
      HOST: '127.0.0.1',
      PORT: String(port),
      WEB_CONCURRENCY: String(PROCESSES),
      LOG_LEVEL: 'info',
    };
    supervisor = spawnProgram(['api/main.ts'], { ...runtime.env, ...own, ...env }, [
      'ignore',
      'pipe',
      'ignore',
    ]);
    exit = new Promise((resolve) => supervisor.once('exit', resolve));
    createInterface({ input: supervisor.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const { pid, msg } = JSON.parse(line);
      if (msg === 'listening') listening.push(pid);
    });
  };
  const listen = (count: number) =>
    eventually(
      () => listening.length,
      (length) => length === count,
    );

  /** Uses a new connection, because connections are distributed in turn. */
  const request = (withinMs = 120_000) =>
    fetch(`http://127.0.0.1:${port}/healthz`, {
      headers: { Connection: 'close' },
      signal: AbortSignal.timeout(withinMs),
    });

  it('keep serving when one is killed, and replace it', async () => {
    await start();
    await listen(PROCESSES);
    expect(new Set([...listening, supervisor.pid]).size).toBe(PROCESSES + 1);
    process.kill(listening[0] as number, 'SIGKILL');
    await eventually(
      () => isAlive(listening[0] as number),
      (alive) => !alive,
    );
    for (let sent = 0; sent < 2 * PROCESSES; sent += 1) expect((await request()).status).toBe(200);
    await listen(PROCESSES + 1);
    expect(listening.slice(0, PROCESSES)).not.toContain(listening[PROCESSES]);
  });

  it('take connections in turn, so that stalled processes hold up only their own', async () => {
    await start();
    await listen(PROCESSES);
    const [, ...others] = listening;
    for (const pid of others) process.kill(pid, 'SIGSTOP');
    try {
      const answers = Array.from({ length: PROCESSES }, () => request());
      expect((await Promise.race(answers)).status).toBe(200);
      for (const pid of others) process.kill(pid, 'SIGCONT');
      for (const answer of answers) expect((await answer).status).toBe(200);
    } finally {
      for (const pid of others) process.kill(pid, 'SIGCONT');
    }
  });

  it('finish requests in progress on SIGTERM and exit with 0', async () => {
    await start();
    await listen(PROCESSES);
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write('POST /api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n');
    socket.write('Content-Length: 2\r\n\r\n');
    await once(socket, 'data');
    supervisor.kill('SIGTERM');
    // A connection at the moment of closing may get no response. The next one is refused.
    await eventually(
      () => request(2_000).then(String, (error) => error.cause?.code),
      (answer) => answer === 'ECONNREFUSED',
    );
    const answer = once(socket, 'data');
    socket.write('{}');
    expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 401 [\s\S]*\r\nConnection: close\r\n/);
    expect(await exit).toBe(0);
  });

  it('exit with 1 if the first ones do not start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    await start({ PORT: String((taken.address() as AddressInfo).port) });
    expect(await exit).toBe(1);
    taken.close();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

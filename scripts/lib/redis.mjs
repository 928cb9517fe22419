import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { newPassword, readSettings, writeSettings } from './instance-settings.mjs';
import { launchServer } from './launch-server.mjs';
import { commandOf, endLeftover } from './process-table.mjs';
import { startProcess } from './processes.mjs';
import { UserError } from './project.mjs';
import { findRedisServer, installRedis } from './redis-install.mjs';

/**
 * Starts a Redis server: the one at REDIS_URL, or our own on 127.0.0.1, with this machine's `redis-server` or
 * `valkey-server`. Installs it if it is missing and we have permission.
 * A permanent one keeps its append-only file, port and password in `<dataDir>/redis`; an `ephemeral` one keeps nothing.
 * Returns `{url, external, exited, log, stop()}`.
 */
export async function startRedis({ dataDir, ephemeral = false }) {
  if (process.env.REDIS_URL) {
    return { url: process.env.REDIS_URL, external: true, stop: async () => {} };
  }
  const program = await redisProgram();
  const home = ephemeral
    ? mkdtempSync(path.join(os.tmpdir(), 'dm-redis-'))
    : path.join(dataDir, 'redis');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const settingsFile = path.join(home, 'settings.json');
  try {
    const known = readSettings(settingsFile);
    await endPreviousServer(known);
    const password = known.password ?? newPassword();
    const log = path.join(home, 'redis.log');
    const { server, port } = await launch({ program, home, ephemeral, password, log }, known.port);
    writeSettings(settingsFile, { password, port, pid: server.pid });
    return {
      url: `redis://:${password}@127.0.0.1:${port}`,
      external: false,
      exited: server.exited,
      log,
      stop: async () => {
        await server.stop();
        if (ephemeral) rmSync(home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    if (ephemeral) rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

async function redisProgram() {
  const found = findRedisServer() ?? ((await installRedis()) ? findRedisServer() : undefined);
  if (found) return found;
  throw new UserError(
    'Redis is needed, and there is none on this machine. Either\n' +
      '  - install it (for example: sudo apt-get install redis-server, or brew install redis; Valkey is fine too), or\n' +
      '  - name a running one: REDIS_URL=redis://localhost:6379',
  );
}

/** Redis shows its address in its process title, so we can check a stored process id. */
async function endPreviousServer({ pid, port }) {
  if (!pid || !commandOf(pid).includes(`127.0.0.1:${port}`)) return;
  await endLeftover(pid, [
    { signal: 'SIGTERM', waitMs: 10_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ]);
}

/** Starts the server; retries if another program took its port in the meantime. */
function launch(server, preferredPort) {
  return launchServer({
    name: 'Redis',
    log: server.log,
    preferredPort,
    spawn: (port) => spawnServer({ ...server, port }),
    isReady: (port) => answersPing(port, server.password),
    temporary: /Address already in use|bind: /,
  });
}

function spawnServer({ program, home, ephemeral, password, port, log }) {
  // In a file, not in arguments: everyone on the machine can read command lines.
  const config = path.join(home, 'redis.conf');
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    // Its working directory: a path in this file would need its quotes escaped.
    'dir .',
    'daemonize no',
    'databases 64',
    'maxmemory-policy noeviction',
    'save ""',
    `appendonly ${ephemeral ? 'no' : 'yes'}`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o600 });
  const output = openSync(log, 'w', 0o600);
  try {
    return startProcess(program, [config], {
      cwd: home,
      stdio: ['ignore', output, output],
      graceMs: 10_000,
      ...(ephemeral ? { crashCleanup: home } : {}),
    });
  } finally {
    closeSync(output);
  }
}

function answersPing(port, password) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let answer = '';
    const settle = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.on('error', () => settle(false));
    socket.on('close', () => settle(false));
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      answer += chunk;
      if (answer.includes('+PONG')) settle(true);
      else if (answer.includes('-')) settle(false);
    });
  });
}

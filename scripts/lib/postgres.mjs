import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { totalmem } from 'node:os';
import path from 'node:path';
import {
  clusterHome,
  postgresBinaries,
  postgresUser,
  temporaryClusterHome,
} from './embedded-postgres.mjs';
import { newPassword, readSettings, writeSettings } from './instance-settings.mjs';
import { launchServer } from './launch-server.mjs';
import { commandOf, endLeftover } from './process-table.mjs';
import { describeExit, runProcess, startProcess } from './processes.mjs';
import { UserError } from './project.mjs';

const databaseName = 'marketplace';
/** How often to look whether somebody else stops the server. */
const stateEveryMs = 1_000;

/**
 * Starts a Postgres server: the one at DATABASE_URL, or the embedded one on 127.0.0.1.
 * A permanent one keeps data, port and password in `<dataDir>/postgres`. An `ephemeral` one lives in a temporary
 * directory that is deleted with it. Unless `durable`, it trades durability for speed, in memory if there is plenty: a
 * test's database is 700 files, which take a busy disk up to a second.
 * Returns `{url, external, exited, log, stop()}`.
 */
export async function startPostgres({ dataDir, ephemeral = false, durable = !ephemeral }) {
  if (process.env.DATABASE_URL) {
    return { url: process.env.DATABASE_URL, external: true, stop: async () => {} };
  }
  const user = postgresUser(ephemeral ? undefined : path.join(dataDir, 'postgres/cluster'));
  const binaries = postgresBinaries(user);
  const home = ephemeral
    ? temporaryClusterHome(user, { inMemory: !durable })
    : clusterHome(dataDir, user);
  const cluster = {
    home,
    user,
    binaries,
    ephemeral,
    durable,
    data: path.join(home, 'cluster'),
    log: path.join(home, 'postgres.log'),
    settings: path.join(home, 'settings.json'),
  };
  try {
    await endPreviousServer(cluster);
    const { password, port: preferredPort } = await initialise(cluster);
    const { server, port } = await launch(cluster, preferredPort);
    if (!ephemeral) finishSlowStop(cluster, server);
    writeSettings(cluster.settings, { password, port });
    await createDatabase({ password, port });
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/${databaseName}`,
      external: false,
      exited: server.exited,
      log: cluster.log,
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

/**
 * After the start script has crashed, the server may still run, or the id in its pid file may belong to another process
 * by now. Only ends a server of exactly this directory.
 */
async function endPreviousServer({ data }) {
  const pidFile = path.join(data, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (pid > 1 && commandOf(pid).includes(data)) {
    await endLeftover(pid, [
      { signal: 'SIGINT', waitMs: 10_000 },
      { signal: 'SIGQUIT', waitMs: 5_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ]);
  }
  rmSync(pidFile, { force: true });
}

/**
 * Creates the cluster if there is none. It gets its final name only once it is complete and its password is written, so
 * that an interrupted start just begins again.
 */
async function initialise({ home, data, user, binaries, ephemeral, durable, settings }) {
  if (existsSync(data)) {
    const known = readSettings(settings);
    if (known.password) return known;
    throw new UserError(
      `${settings} is missing or damaged, and the database beside it can't be opened without it.\n` +
        `Restore that file, or remove ${home} to begin with an empty database.`,
    );
  }
  const staging = `${data}.new`;
  const passwordFile = path.join(home, 'password.tmp');
  const password = newPassword();
  rmSync(staging, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(staging, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined) {
    chownSync(staging, user.uid, user.gid);
    chownSync(passwordFile, user.uid, user.gid);
  }
  try {
    const args = [
      `--pgdata=${staging}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(ephemeral ? ['--no-sync', '--no-data-checksums'] : []),
      // Tests open thousands of connections, and a password that is deleted with the server needs no slow hash.
      ...(ephemeral && !durable ? ['--set=scram_iterations=1'] : []),
    ];
    const result = await runProcess(path.join(binaries, 'initdb'), args, {
      ...user,
      cwd: '/',
      env: serverEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (result.code !== 0) {
      throw new UserError(`initdb failed (${describeExit(result)}).\n${result.stderr}`);
    }
  } finally {
    rmSync(passwordFile, { force: true });
  }
  writeSettings(settings, { password });
  renameSync(staging, data);
  return { password, port: undefined };
}

const serverEnv = () => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' });

/** Starts the server; retries if another program took its port or the previous server is still shutting down. */
function launch(cluster, preferredPort) {
  return launchServer({
    name: 'Postgres',
    log: cluster.log,
    preferredPort,
    spawn: (port) => spawnServer(cluster, port),
    isReady: (_port, pid) => stateOf(cluster.data, pid) === 'ready',
    temporary: /could not bind|pre-existing shared memory|lock file .* already exists/,
  });
}

/** Minimal WAL, no replication and hardly a checkpoint: nothing is ever recovered. */
const NOTHING_TO_KEEP = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  checkpoint_timeout: '1h',
};

/** A quarter of the memory, as the Postgres documentation recommends for a dedicated server. */
const TO_MEASURE = { shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB` };

function spawnServer({ home, data, log, user, binaries, ephemeral, durable }, port) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : NOTHING_TO_KEEP),
    ...(ephemeral && durable ? TO_MEASURE : {}),
  };
  const output = openSync(log, 'w', 0o600);
  try {
    return startProcess(
      path.join(binaries, 'postgres'),
      ['-D', data, ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`])],
      {
        ...user,
        cwd: '/',
        env: serverEnv(),
        stdio: ['ignore', output, output],
        // "Fast" (SIGINT) ends sessions and writes a checkpoint; "immediate" is enough for data that we throw away.
        stopSignal: ephemeral ? 'SIGQUIT' : 'SIGINT',
        graceMs: 15_000,
        ...(ephemeral ? { crashCleanup: home } : {}),
      },
    );
  } finally {
    closeSync(output);
  }
}

/**
 * A server that gets SIGTERM from somebody else refuses new connections, but lives on until the open ones end, and those
 * of a pool never do. Ends them, so that it stops and can be started again.
 */
function finishSlowStop({ data }, server) {
  const timer = setInterval(() => {
    if (stateOf(data, server.pid) === 'stopping') server.stop();
  }, stateEveryMs);
  timer.unref();
  server.exited.then(() => clearInterval(timer));
}

/** Like pg_ctl, reads the server's state from the eighth line of its pid file: `starting`, `ready` or `stopping`. */
function stateOf(data, pid) {
  try {
    const lines = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid ? lines[7]?.trim() : undefined;
  } catch {
    return undefined;
  }
}

async function createDatabase({ password, port }) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'postgres',
  });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [
      databaseName,
    ]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
}

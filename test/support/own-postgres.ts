import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { freePort } from './service-process.ts';

/** A Postgres server of one test, durable as in production, which that test may kill and start again. */
export interface OwnPostgres {
  url: string;
  /** SIGKILL to the server's first process: the others notice, and nothing is written in good order. */
  kill(): Promise<void>;
  /** Starts it again on the same port; it recovers from its log. */
  start(): Promise<void>;
  /** Ends it and deletes its files. */
  remove(): Promise<void>;
  /** A server that streams from it; it is killed and started again on the way. */
  replica(): Promise<OwnPostgres>;
}

interface User {
  uid?: number;
  gid?: number;
}

// The scripts run before anything is installed, so they are plain JavaScript without types.
const script = new URL('../../scripts/lib/embedded-postgres.mjs', import.meta.url).href;

/** The server's programs, and the user it runs as. */
interface Programs {
  binaries: string;
  as: SpawnOptions;
  newHome(): string;
}

async function findPrograms(): Promise<Programs> {
  const { postgresUser, postgresBinaries, temporaryClusterHome } = (await import(script)) as {
    postgresUser(): User;
    postgresBinaries(user: User): string;
    temporaryClusterHome(user: User): string;
  };
  const user = postgresUser();
  return {
    binaries: postgresBinaries(user),
    as: { ...user, cwd: '/', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' } },
    newHome: () => temporaryClusterHome(user),
  };
}

/** Makes a cluster of the embedded Postgres and starts it on a free port. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const programs = await findPrograms();
  const home = programs.newHome();
  const data = join(home, 'cluster');
  const { uid, gid } = programs.as;
  mkdirSync(data, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid);
  const made = spawnSync(
    join(programs.binaries, 'initdb'),
    [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    { ...programs.as, stdio: 'pipe', encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  return serve(programs, home);
}

async function serve(programs: Programs, home: string, more: string[] = []): Promise<OwnPostgres> {
  const { binaries, as } = programs;
  const data = join(home, 'cluster');
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const running = server;
    server = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await gone;
  };
  const start = async () => {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      'unix_socket_directories=',
      'max_connections=100',
      ...more,
    ];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    await eventually(
      async () => {
        // The orphans of a killed server hold its shared memory until they have noticed.
        if (!server || server.exitCode !== null) {
          server = spawn(join(binaries, 'postgres'), args, { ...as, stdio: 'ignore' });
        }
        return answers(url);
      },
      Boolean,
      { withinMs: 30_000, everyMs: 100 },
    );
  };
  await start();
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    async remove() {
      await end('SIGQUIT');
      rmSync(home, { recursive: true, force: true });
    },
    async replica() {
      const copy = programs.newHome();
      // The files of a server that does not run are all it takes.
      await end('SIGKILL');
      const copied = spawnSync('cp', ['-a', data, copy], { encoding: 'utf8' });
      if (copied.status !== 0) throw new Error(`the copy failed: ${copied.stderr}`);
      await start();
      rmSync(join(copy, 'cluster', 'postmaster.pid'), { force: true });
      writeFileSync(join(copy, 'cluster', 'standby.signal'), '');
      const source = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`;
      return serve(programs, copy, [source, 'wal_retrieve_retry_interval=100ms']);
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { freePort } from './service-process.ts';

/** A Postgres server for one test, durable as in production, which the test may kill and restart. */
export interface OwnPostgres {
  url: string;
  /** Sends SIGKILL to the server's main process: the others notice, and nothing is shut down cleanly. */
  kill(): Promise<void>;
  /** Restarts it on the same port; it recovers from its log. */
  start(): Promise<void>;
  /** Makes it refuse all writes, also in open sessions, or accept writes again. */
  readOnly(on: boolean): Promise<void>;
  /** Its small disk; undefined if not requested or if it could not be mounted. */
  disk: SmallDisk | undefined;
  /** Stops it and deletes its files. */
  remove(): Promise<void>;
  /** Starts a server that streams from it; kills and restarts this one in the process. */
  replica(): Promise<OwnPostgres>;
}

/** A separate disk for the tables (the log is elsewhere), which a test may fill up. */
interface SmallDisk {
  /** Leaves no byte free. */
  fill(): void;
  /** Frees that space again. */
  free(): void;
}

/** The user that servers run as if they refuse to run as root. */
export interface User {
  uid?: number;
  gid?: number;
}

// The scripts run before anything is installed, so they are plain JavaScript without types.
const script = new URL('../../scripts/lib/embedded-postgres.mjs', import.meta.url).href;

/** Returns that user; empty if it is the current user. */
export async function serverUser(): Promise<User> {
  const { postgresUser } = (await import(script)) as { postgresUser(): User };
  return postgresUser();
}

/** The server's programs, and the user they run as. */
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

/** Creates a cluster of the embedded Postgres and starts it on a free port; on request on a disk of this many MB. */
export async function startOwnPostgres(options: { diskMb?: number } = {}): Promise<OwnPostgres> {
  const programs = await findPrograms();
  const home = programs.newHome();
  const data = join(home, 'cluster');
  const { uid, gid } = programs.as;
  mkdirSync(data, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) {
    chownSync(home, uid, gid);
    chownSync(data, uid, gid);
  }
  const disk =
    options.diskMb === undefined ? undefined : mountDisk(data, options.diskMb, programs.as);
  const made = spawnSync(
    join(programs.binaries, 'initdb'),
    [
      `--pgdata=${data}`,
      ...(disk ? [`--waldir=${join(home, 'log')}`] : []),
      ...['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    ],
    { ...programs.as, stdio: 'pipe', encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  return serve(programs, home, { disk });
}

/** Mounts a disk; undefined if this machine does not allow mounting. */
function mountDisk(
  at: string,
  mb: number,
  { uid, gid }: SpawnOptions,
): (SmallDisk & Mounted) | undefined {
  const owner = uid === undefined ? '' : `,uid=${uid},gid=${gid}`;
  const options = `size=${mb}m,mode=0700${owner}`;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', at]);
  if (mounted.status !== 0) return undefined;
  const unmount = () => {
    process.off('exit', unmount);
    spawnSync('umount', ['--lazy', at]);
  };
  process.once('exit', unmount);
  const ballast = join(at, 'ballast');
  return {
    unmount,
    fill() {
      const file = openSync(ballast, 'a');
      for (let size = 1_048_576; size >= 1_024; ) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size /= 2;
        }
      }
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
  };
}

interface Mounted {
  unmount(): void;
}

async function serve(
  programs: Programs,
  home: string,
  { more = [], disk }: { more?: string[]; disk?: (SmallDisk & Mounted) | undefined },
): Promise<OwnPostgres> {
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
        // The orphans of a killed server hold its shared memory until they notice.
        if (!server || server.exitCode !== null) {
          server = spawn(join(binaries, 'postgres'), args, { ...as, stdio: 'ignore' });
        }
        return answers(url);
      },
      Boolean,
      { everyMs: 100 },
    );
  };
  await start();
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    disk,
    async readOnly(on) {
      const admin = new pg.Client(url);
      await admin.connect();
      try {
        await admin.query(`alter system set default_transaction_read_only = ${on ? 'on' : 'off'}`);
        await admin.query('select pg_reload_conf()');
      } finally {
        await admin.end();
      }
    },
    async remove() {
      await end('SIGQUIT');
      disk?.unmount();
      rmSync(home, { recursive: true, force: true });
    },
    async replica() {
      const copy = programs.newHome();
      // The files of a stopped server are a complete copy.
      await end('SIGKILL');
      const copied = spawnSync('cp', ['-a', data, copy], { encoding: 'utf8' });
      if (copied.status !== 0) throw new Error(`the copy failed: ${copied.stderr}`);
      await start();
      rmSync(join(copy, 'cluster', 'postmaster.pid'), { force: true });
      writeFileSync(join(copy, 'cluster', 'standby.signal'), '');
      const source = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`;
      return serve(programs, copy, { more: [source, 'wal_retrieve_retry_interval=100ms'] });
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

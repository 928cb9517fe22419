import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { serverUser } from './own-postgres.ts';
import { requireProgram } from './programs.ts';
import { endProcess, freePort } from './service-process.ts';

/** PgBouncer in transaction mode in front of one Postgres, for one test. */
export interface OwnPgbouncer {
  /** Returns the URL of the same database through the pooler. */
  through(databaseUrl: string): string;
  start(): Promise<void>;
  /** Stops it: SIGKILL and SIGTERM end all connections at once, SIGTERM cleanly; SIGINT lets transactions finish. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>;
  remove(): Promise<void>;
}

/** Starts it on a free port with this many sessions at `server`. @throws Error when pgbouncer is not installed */
export async function startOwnPgbouncer(server: string, sessions = 10): Promise<OwnPgbouncer> {
  const program = await requireProgram('pgbouncer', 'pgbouncer');
  const { hostname, port: serverPort, username, password } = new URL(server);
  const home = mkdtempSync(join(tmpdir(), 'dm-test-pgbouncer-'));
  const user = await serverUser();
  const port = await freePort();
  const file = join(home, 'pgbouncer.ini');
  const secret = password && ` password=${decodeURIComponent(password)}`;
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
server_login_retry = 1
`,
  );
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [home, file]) chownSync(path, user.uid, user.gid);
  }
  const through = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${port}`;
    url.password = '';
    return url.href;
  };
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(program, ['-q', file], { ...user, cwd: '/', stdio: 'ignore' });
    await eventually(() => answers(through(server)), Boolean);
  };
  const end: OwnPgbouncer['end'] = async (signal) => {
    const running = child;
    child = undefined;
    if (running) await endProcess(running, signal);
  };
  await start();
  return {
    through,
    start,
    end,
    async remove() {
      await end('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
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

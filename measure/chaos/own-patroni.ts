import { type ChildProcess, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../test/support/eventually.ts';
import { serverUser, type User } from '../../test/support/own-postgres.ts';
import { requireProgram } from '../../test/support/programs.ts';
import { endProcess, freePort } from '../../test/support/service-process.ts';

/** Three Postgres servers under Patroni with synchronous replication, behind HAProxy, for one test. */
export interface OwnPatroni {
  /** Leads to the current primary. */
  url: string;
  /** The node that holds the leader's key. */
  leader(): Promise<PatroniNode>;
  /** Asks Patroni to promote a replica; resolves when one is the primary. */
  switchOver(): Promise<void>;
  /** Resolves when a node other than `before` leads. */
  untilReplaced(before: PatroniNode): Promise<void>;
  /** Resolves when there is a primary that two replicas stream from, one of them synchronous. */
  untilWhole(): Promise<void>;
  remove(): Promise<void>;
}

/** One of the three. */
export interface PatroniNode {
  name: string;
  start(): void;
  /** SIGKILL to Patroni and to Postgres. */
  kill(): Promise<void>;
  /** SIGSTOP to both, as if the host were cut off without knowing. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Resumes or pauses WAL replay; without it, the node lags behind. */
  replays(on: boolean): Promise<void>;
}

interface Node extends PatroniNode {
  postgresPort: number;
  api: string;
  remove(): Promise<void>;
}

const LEADER_SECONDS = 10;
const PATIENCE = { everyMs: 100 };

/** Starts etcd, the three nodes and HAProxy. @throws Error that says what to install when a program is missing */
export async function startOwnPatroni(): Promise<OwnPatroni> {
  const programs = {
    etcd: await requireProgram('etcd', 'etcd-server'),
    patroni: await requireProgram('patroni', 'patroni postgresql'),
    haproxy: await requireProgram('haproxy', 'haproxy'),
  };
  const home = mkdtempSync(join(tmpdir(), 'dm-test-patroni-'));
  const user = await serverUser();
  give(home, user);
  const [etcdPort = 0, peerPort = 0, port = 0] = await Promise.all([1, 2, 3].map(freePort));
  const others: ChildProcess[] = [];
  const peer = `http://127.0.0.1:${peerPort}`;
  others.push(
    spawn(
      programs.etcd,
      [
        ...['--data-dir', join(home, 'etcd'), '--log-level', 'error', '--enable-v2'],
        ...['--listen-client-urls', `http://127.0.0.1:${etcdPort}`],
        ...['--advertise-client-urls', `http://127.0.0.1:${etcdPort}`],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
        ...['--initial-cluster', `default=${peer}`],
      ],
      { ...user, cwd: '/', stdio: 'ignore' },
    ),
  );
  const nodes = await Promise.all(
    ['one', 'two', 'three'].map((name) =>
      newNode(programs.patroni, { name, home, user, etcdPort }),
    ),
  );
  writeFileSync(join(home, 'haproxy.cfg'), haproxyConfig(port, nodes));
  for (const node of nodes) node.start();
  others.push(
    spawn(programs.haproxy, ['-db', '-f', join(home, 'haproxy.cfg')], { stdio: 'ignore' }),
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const cluster = async () => {
    const told = nodes.map(({ api }) =>
      fetch(`${api}/cluster`, { signal: AbortSignal.timeout(1_000) }).then((answer) =>
        answer.json(),
      ),
    );
    return ((await Promise.any(told)) as { members: { name: string; role: string }[] }).members;
  };
  const leader = async () => {
    const name = await eventually(
      async () => (await cluster().catch(() => [])).find(({ role }) => role === 'leader')?.name,
      Boolean,
      PATIENCE,
    );
    return nodes.find((node) => node.name === name) as Node;
  };
  const untilReplaced = async (before: PatroniNode) => {
    await eventually(leader, (now) => now.name !== before.name, PATIENCE);
  };
  const untilWhole = async () => {
    await eventually(
      async () => {
        // Only the node that Patroni has recorded as synchronous may take over.
        const members = await cluster().catch(() => []);
        const ready = members.some(({ role }) => role === 'sync_standby');
        return ready ? await replicas(url) : ([] as string[]);
      },
      (found) => found.length === nodes.length - 1 && found.includes('sync'),
      PATIENCE,
    );
  };
  const patroni: OwnPatroni = {
    url,
    leader,
    untilReplaced,
    untilWhole,
    async switchOver() {
      const before = await leader();
      const body = JSON.stringify({ leader: before.name });
      await eventually(
        async () => (await fetch(`${before.api}/switchover`, { method: 'POST', body })).status,
        (status) => status === 200,
        PATIENCE,
      );
      await untilReplaced(before);
    },
    async remove() {
      await Promise.all(nodes.map((node) => node.remove()));
      await Promise.all(others.map((child) => endProcess(child, 'SIGKILL')));
      rmSync(home, { recursive: true, force: true });
    },
  };
  await untilWhole().catch(async (error: Error) => {
    await patroni.remove();
    throw error;
  });
  return patroni;
}

/** Returns the `sync_state` of each replica that streams from the primary; empty while there is no primary. */
async function replicas(url: string): Promise<string[]> {
  const { rows } = await ask(
    url,
    `select sync_state from pg_stat_replication where state = 'streaming'`,
  ).catch(() => ({ rows: [] as { sync_state: string }[] }));
  return rows.map(({ sync_state }) => String(sync_state));
}

async function ask(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.query(sql);
  } finally {
    await client.end().catch(() => {});
  }
}

function give(path: string, { uid, gid }: User): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

async function newNode(
  patroni: string,
  { name, home, user, etcdPort }: { name: string; home: string; user: User; etcdPort: number },
): Promise<Node> {
  const [postgresPort = 0, apiPort = 0] = await Promise.all([1, 2].map(freePort));
  const folder = join(home, name);
  const data = join(folder, 'data');
  mkdirSync(folder, { mode: 0o700 });
  give(folder, user);
  const file = join(folder, 'patroni.json');
  // JSON is YAML.
  writeFileSync(
    file,
    JSON.stringify(settingsOf({ name, data, folder, postgresPort, apiPort, etcdPort })),
  );
  give(file, user);
  let child: ChildProcess | undefined;
  /** Returns the pids of Patroni and of its Postgres. */
  const everyone = () => [child?.pid ?? 0, ...postgresProcesses(data)].filter((pid) => pid > 1);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of everyone()) {
      try {
        process.kill(pid, name);
      } catch {
        // It has already ended.
      }
    }
  };
  const kill = async () => {
    const running = child;
    signal('SIGKILL');
    child = undefined;
    if (running) await endProcess(running, 'SIGKILL');
  };
  return {
    name,
    postgresPort,
    api: `http://127.0.0.1:${apiPort}`,
    start() {
      child = spawn(patroni, [file], {
        ...user,
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
        stdio: 'ignore',
      });
    },
    kill,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async replays(on) {
      const url = `postgres://postgres@127.0.0.1:${postgresPort}/postgres`;
      await ask(url, `select pg_wal_replay_${on ? 'resume' : 'pause'}()`);
    },
    async remove() {
      signal('SIGCONT');
      await kill();
    },
  };
}

/** Returns the pids of the server of a data directory and its children. */
function postgresProcesses(data: string): number[] {
  try {
    const [first] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8');
    return [Number(first), ...children.trim().split(' ').map(Number)];
  } catch {
    return [];
  }
}

/** Returns the folder of Debian's newest Postgres: Patroni needs programs that the embedded one doesn't include. */
function newestPostgres(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(Number) : [];
  if (versions.length === 0) throw new Error('Postgres is missing: apt-get install postgresql');
  return join(root, String(Math.max(...versions)), 'bin');
}

function settingsOf(node: {
  name: string;
  data: string;
  folder: string;
  postgresPort: number;
  apiPort: number;
  etcdPort: number;
}) {
  return {
    scope: 'market',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.apiPort}`, connect_address: `127.0.0.1:${node.apiPort}` },
    // With etcd's v3 API, a leader that was cut off takes its key back after another has become leader (Patroni 3.0.2).
    etcd: { host: `127.0.0.1:${node.etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: LEADER_SECONDS,
        loop_wait: 1,
        retry_timeout: 3,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${node.postgresPort}`,
      connect_address: `127.0.0.1:${node.postgresPort}`,
      data_dir: node.data,
      bin_dir: newestPostgres(),
      authentication: {
        superuser: { username: 'postgres', password: 'unused' },
        replication: { username: 'replicator', password: 'unused' },
      },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
      ],
      parameters: { unix_socket_directories: node.folder },
    },
  };
}

/** HAProxy asks Patroni which node leads, and ends the sessions of a node that no longer does. */
function haproxyConfig(port: number, nodes: readonly Node[]): string {
  const servers = nodes.map(
    ({ name, postgresPort, api }) =>
      `  server ${name} 127.0.0.1:${postgresPort} check port ${new URL(api).port}`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 3 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

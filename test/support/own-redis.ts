import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort } from './service-process.ts';

/** A Redis server for one test, which the test may wipe, kill and restart. */
export interface OwnRedis {
  url: string;
  /** Sends SIGKILL: what was not yet written to disk is lost. */
  kill(): Promise<void>;
  /** Sends SIGSTOP: it keeps its connections but does not respond. `resume` sends SIGCONT. */
  pause(): void;
  resume(): void;
  /** Restarts it on the same port, with what is on disk; `more` are additional command line settings. */
  start(more?: readonly string[]): Promise<void>;
  /** Sends one command, over its own connection. */
  command(name: string, ...args: string[]): Promise<unknown>;
  flushAll(): Promise<void>;
  /** Stops it and deletes its files. */
  remove(): Promise<void>;
}

/** What a sentinel watches. */
interface Watch {
  /** The sentinels' name for it. */
  name: string;
  /** The URL of the initial primary. */
  primary: string;
}

/** Starts a Redis on a free port, with an append-only file as in production; on request, a sentinel instead. */
export async function startOwnRedis({
  sentinelOf,
}: {
  sentinelOf?: Watch;
} = {}): Promise<OwnRedis> {
  const home = mkdtempSync(join(tmpdir(), 'dm-test-redis-'));
  const port = await freePort();
  const args = sentinelOf ? sentinelArgs(home, port, sentinelOf) : serverArgs(home, port);
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;

  const start = async (more: readonly string[] = []) => {
    server = await spawnServer([...args, ...more]);
    await eventually(() => answers(url), Boolean);
  };
  const command = async (name: string, ...args: string[]) => {
    const redis = new Redis(url, { replyMapping: 'legacy' });
    try {
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  };
  const kill = async () => {
    const running = server;
    server = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url,
    kill,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    start,
    command,
    async flushAll() {
      await command('flushall');
    },
    async remove() {
      await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Lets a replica get its copy at once. */
const PROMPT = ['--repl-diskless-sync-delay', '0'];

function serverArgs(dir: string, port: number): string[] {
  const place = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', ''];
  return [...place, '--appendonly', 'yes', '--maxmemory-policy', 'noeviction', ...PROMPT];
}

/** Returns a sentinel's arguments. It stores its state in its config file, so it needs one. Two of three must agree. */
function sentinelArgs(dir: string, port: number, { name, primary }: Watch): string[] {
  const { hostname, port: primaryPort } = new URL(primary);
  const file = join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor ${name} ${hostname} ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${name} 3000`,
    `sentinel failover-timeout ${name} 5000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return [file, '--sentinel'];
}

async function spawnServer(args: readonly string[]): Promise<ChildProcess> {
  for (const program of ['redis-server', 'valkey-server']) {
    const child = spawn(program, args, { stdio: 'ignore' });
    const started = await new Promise<boolean>((resolve) => {
      child.once('spawn', () => resolve(true));
      child.once('error', () => resolve(false));
    });
    if (started) return child;
  }
  throw new Error('neither redis-server nor valkey-server is on this machine');
}

async function answers(url: string): Promise<boolean> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    disconnectTimeout: 100,
  });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

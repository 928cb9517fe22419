import { eventually } from './eventually.ts';
import { type OwnRedis, startOwnRedis } from './own-redis.ts';

/** A primary with two replicas, watched by three sentinels, for one test. */
export interface OwnRedisSentinels {
  /** The configuration for processes. */
  env: { REDIS_URL: string; REDIS_SENTINEL_NAME: string };
  /** The servers that hold the keys; which one is the primary changes. */
  servers: readonly OwnRedis[];
  /** Returns the server that the sentinels call the primary. */
  primary(): Promise<OwnRedis>;
  /** Kills the primary, or applies `fault`, and resolves once the sentinels have replaced it. */
  failOver(fault?: () => void): Promise<void>;
  /** Has a replica take over from the primary cleanly. */
  switchOver(): Promise<void>;
  /** Returns how often the primary changed, on request or not. */
  changes(): Promise<number>;
  /** Restarts a server that was killed; it becomes a replica. */
  restart(server: OwnRedis): Promise<void>;
  /** Resolves when both replicas follow the primary and the sentinels agree. */
  untilInStep(): Promise<void>;
  remove(): Promise<void>;
}

const NAME = 'market';

/** Starts all six and waits until the sentinels know each other and both replicas. */
export async function startOwnRedisSentinels(): Promise<OwnRedisSentinels> {
  const servers = await Promise.all([startOwnRedis(), startOwnRedis(), startOwnRedis()]);
  const [first, ...others] = servers;
  if (!first) throw new Error('there are three');
  await Promise.all(others.map((each) => each.command('replicaof', ...hostAndPort(first))));
  const sentinels = await Promise.all(
    [1, 2, 3].map(() => startOwnRedis({ sentinelOf: { name: NAME, primary: first.url } })),
  );
  const [asked] = sentinels;
  const serverAt = (port: string) => servers.find(({ url }) => hostAndPort({ url })[1] === port);
  const known = async () => {
    const told = await Promise.all(
      sentinels.map((each) => each.command('sentinel', 'master', NAME)),
    );
    return told.map((pairs) => Object.fromEntries(inPairs(pairs as string[])));
  };
  const untilAgreed = () =>
    eventually(
      known,
      (all) =>
        all.every((one) => one['num-slaves'] === '2' && one['num-other-sentinels'] === '2') &&
        new Set(all.map(({ port }) => port)).size === 1,
      { everyMs: 50 },
    );
  const primary = async () => {
    const found = await eventually(
      async () => {
        const place = await asked?.command('sentinel', 'get-master-addr-by-name', NAME);
        return serverAt((place as string[])[1] ?? '');
      },
      (server) => server !== undefined,
    );
    return found as OwnRedis;
  };
  const untilReplaced = (before: OwnRedis) =>
    eventually(
      async () => {
        const now = await primary();
        return now !== before && String(await now.command('role')).startsWith('master');
      },
      Boolean,
      { everyMs: 50 },
    );
  const untilInStep = async () => {
    await eventually(
      async () => String(await (await primary()).command('info', 'replication')),
      (info) => (info.match(/state=online/g) ?? []).length === servers.length - 1,
      { everyMs: 50 },
    );
    await untilAgreed();
  };
  await untilInStep();
  return {
    env: { REDIS_URL: sentinels.map(({ url }) => url).join(','), REDIS_SENTINEL_NAME: NAME },
    servers,
    primary,
    async failOver(fault) {
      const before = await primary();
      if (fault) fault();
      else await before.kill();
      await untilReplaced(before);
    },
    async switchOver() {
      const before = await primary();
      // Refused shortly after the previous failover.
      await eventually(
        () =>
          asked?.command('sentinel', 'failover', NAME).then(
            () => true,
            () => false,
          ),
        Boolean,
        { everyMs: 200 },
      );
      await untilReplaced(before);
    },
    async restart(server) {
      await server.start();
      await untilInStep();
    },
    untilInStep,
    async changes() {
      const [first] = await known();
      return Number(first?.['config-epoch']);
    },
    async remove() {
      await Promise.all([...sentinels, ...servers].map((each) => each.remove()));
    },
  };
}

function hostAndPort({ url }: Pick<OwnRedis, 'url'>): [host: string, port: string] {
  const { hostname, port } = new URL(url);
  return [hostname, port];
}

function inPairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : [])) as [
    string,
    string,
  ][];
}

import { eventually } from '../../test/support/eventually.ts';
import { type ServiceProcess, serviceProcess } from '../../test/support/service-process.ts';
import type { TestSettings } from '../../test/support/settings.ts';
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';

/** A process of the service with the two lines that it hangs on. */
export interface Member extends ServiceProcess {
  postgres: TcpProxy;
  redis: TcpProxy;
  /** Waits until the process that runs now does its work; before that no fault would meet it. */
  untilUp(): Promise<void>;
}

/** Begins the name that a worker's `LISTEN` connection gives itself, as Postgres reads it. */
export const LISTENER = 'wake-listener';
const PATIENCE_MS = 180_000;

export interface MemberOptions {
  script: string;
  /** Of the process; the addresses in it are reached by way of the lines. */
  env: TestSettings;
  postgresUrl: string;
  redisUrl: string;
  /** Addresses that are reached without a line. */
  direct?: Record<string, string>;
}

/** An API process at `url`; it is up once it answers. */
export function apiMember(options: MemberOptions, url: string): Promise<Member> {
  return memberOf(
    options,
    () => () =>
      fetch(`${url}/healthz`).then(
        (answer) => answer.body?.cancel().then(() => true) ?? true,
        () => false,
      ),
  );
}

/** A worker process; it is up once it listens. */
export function workerMember(options: MemberOptions): Promise<Member> {
  return memberOf(options, (postgres) => {
    const before = new Set(postgres.links());
    return async () =>
      postgres.links().some((link) => !before.has(link) && link.opening.includes(LISTENER));
  });
}

/** `watch` is called when a process starts, and returns what tells whether it is up. */
async function memberOf(
  { script, env, postgresUrl, redisUrl, direct }: MemberOptions,
  watch: (postgres: TcpProxy) => () => Promise<boolean>,
): Promise<Member> {
  const [postgres, redis] = await Promise.all([
    startTcpProxy(postgresUrl),
    startTcpProxy(redisUrl),
  ]);
  const lines = {
    DATABASE_URL: postgres.url,
    DATABASE_DIRECT_URL: postgres.url,
    REDIS_URL: redis.url,
  };
  const service = serviceProcess(script, { ...env, ...lines, ...direct });
  let isUp: (() => Promise<boolean>) | undefined;
  return {
    ...service,
    get pid() {
      return service.pid;
    },
    get endedWith() {
      return service.endedWith;
    },
    start() {
      isUp = watch(postgres);
      service.start();
    },
    async untilUp() {
      const ended = () => service.endedWith !== null;
      await eventually(() => ended() || (isUp?.() ?? false), Boolean, { withinMs: PATIENCE_MS });
      if (ended()) throw new Error(`${script} ended with ${service.endedWith} before it was up`);
    },
    postgres,
    redis,
  };
}

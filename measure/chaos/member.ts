import { eventually } from '../../test/support/eventually.ts';
import { type ServiceProcess, serviceProcess } from '../../test/support/service-process.ts';
import type { TestSettings } from '../../test/support/settings.ts';
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';

/** A process of the service with the proxies for its connections to Postgres and Redis. */
export interface Member extends ServiceProcess {
  postgres: TcpProxy;
  redis: TcpProxy;
  /** Waits until the current process is working; before that, faults would have no effect on it. */
  untilUp(): Promise<void>;
}

/** The `application_name` of a worker's `LISTEN` connection, as found in its startup message. */
export const LISTENER = 'wake-listener';
const PATIENCE_MS = 180_000;

export interface MemberOptions {
  script: string;
  /** Settings of the process; the proxies' URLs replace those of Postgres and Redis. */
  env: TestSettings;
  postgresUrl: string;
  redisUrl: string;
  /** URL settings that bypass the proxies. */
  direct?: Record<string, string>;
}

/** Prepares an API process at `url`; it is up once it answers. */
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

/** Prepares a worker process; it is up once it listens for notifications. */
export function workerMember(options: MemberOptions): Promise<Member> {
  return memberOf(options, (postgres) => {
    const before = new Set(postgres.links());
    return async () =>
      postgres.links().some((link) => !before.has(link) && link.opening.includes(LISTENER));
  });
}

/** `watch` is called when a process starts; the function it returns says whether the process is up. */
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

import { DEMO_TLS } from '../../epp-demo/demo-tls.ts';
import { createRegistry, type RegistryChange } from '../../epp-demo/registry.ts';
import { emptyState, type RegistryState } from '../../epp-demo/registry-objects.ts';
import type { RegistryPolicy } from '../../epp-demo/registry-rules.ts';
import { type RegistryServer, startRegistryServer } from '../../epp-demo/registry-server.ts';
import { EppClient } from '../../shared/domains/epp/epp-client.ts';
import { EppSessions, type EppSessionsOptions } from '../../shared/domains/epp/epp-sessions.ts';
import { DAY } from '../../shared/platform/clock.ts';
import { createLogger } from '../../shared/platform/observability/logger.ts';
import { createTestClock, type TestClock } from './clock.ts';

/** As at most registries: five days for the losing registrar, no transfer in the first 60. */
export const POLICY: RegistryPolicy = {
  transferMs: 5 * DAY,
  transferLockMs: 60 * DAY,
  addGraceMs: 5 * DAY,
};

export const PASSWORDS = { gaining: 'gaining-pw', losing: 'losing-pw' } as const;
export type Account = keyof typeof PASSWORDS;

/** A registry on loopback with two accounts, and its clients. */
export interface DemoRegistry {
  server: RegistryServer;
  state: RegistryState;
  clock: TestClock;
  /** The changes made by commands, in order. */
  changes: readonly NonNullable<RegistryChange>[];
  /** The documents that clients sent. */
  heard: readonly string[];
  /** Opens sessions of an account; closed with the registry. */
  sessions(account: Account, options?: Partial<EppSessionsOptions>): EppSessions;
  client(account: Account, options?: Partial<EppSessionsOptions>): EppClient;
  close(): Promise<void>;
}

/** Starts a registry with two empty accounts. */
export async function startDemoRegistry(
  options: {
    maxSessions?: number;
    policy?: Partial<RegistryPolicy>;
    rewrite?: (answer: string, command: string) => Uint8Array;
  } = {},
): Promise<DemoRegistry> {
  const clock = createTestClock();
  const state = emptyState(PASSWORDS);
  const changes: NonNullable<RegistryChange>[] = [];
  const heard: string[] = [];
  const registry = createRegistry({
    state,
    policy: { ...POLICY, ...options.policy },
    clock,
    changed: (change) => change && changes.push(change),
  });
  const server = await startRegistryServer({
    registry,
    tls: { ca: DEMO_TLS.ca, ...DEMO_TLS.server },
    port: 0,
    maxSessions: options.maxSessions ?? 4,
    heard: (document) => heard.push(document),
    ...(options.rewrite && { rewrite: options.rewrite }),
  });
  const opened: EppSessions[] = [];
  const log = createLogger({ level: 'silent', name: 'test' });
  const sessions: DemoRegistry['sessions'] = (account, more = {}) => {
    const pool = new EppSessions(
      {
        endpoint: endpointOf(server),
        clientId: account,
        password: PASSWORDS[account],
        maxSessions: 2,
        keepAliveMs: 60_000,
        timeouts: { connectMs: 20_000, answerMs: 20_000 },
        reconnect: { firstMs: 1, maxMs: 5, attempts: 5 },
        ...more,
      },
      log,
    );
    opened.push(pool);
    return pool;
  };
  return {
    server,
    state,
    clock,
    changes,
    heard,
    sessions,
    client: (account, more) => new EppClient(sessions(account, more), account),
    async close() {
      await Promise.all(opened.map((pool) => pool.close()));
      await server.close();
      refusePlaceholders(heard);
    },
  };
}

/** Throws if a placeholder for an unknown registrant was sent: it must never leave the service. */
function refusePlaceholders(heard: readonly string[]): void {
  const found = heard.find((document) => /Unknown|>ZZ</.test(document));
  if (found !== undefined) throw new Error(`a placeholder was sent to a registry: ${found}`);
}

/** Returns the endpoint of a test registry. */
export function endpointOf({ port }: Pick<RegistryServer, 'port'>) {
  return { host: '127.0.0.1', port, ca: DEMO_TLS.ca, ...DEMO_TLS.client };
}

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from '../../../shared/platform/config.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');

describe('the configuration', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'dm-test-config-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  const development = () => ({
    DATABASE_URL: 'postgres://db/x',
    REDIS_URL: 'redis://redis',
    DATA_DIR: dataDir,
  });
  const production = () => ({ ...development(), NODE_ENV: 'production', SECRETS_KEY: KEY });
  const faultsOf = (env: Record<string, string>) => {
    try {
      loadConfig(env);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
  };

  it('has defaults for all that a developer does not care about, and is frozen', () => {
    const config = loadConfig(development());
    expect(config).toMatchObject({
      port: 3_000,
      baseUrl: 'http://localhost:3000',
      limitSearch: 60,
      rateLimits: true,
    });
    expect(config.webhookScheduleMs).toHaveLength(11);
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });

  it('tells every fault at once, by the name of its variable', () => {
    const faults = faultsOf({
      ...production(),
      PORT: '99999',
      LIMIT_SEARCH: '-1',
      LOG_LEVEL: 'loud',
      WEBHOOK_SCHEDULE_MS: '5,soon',
      RATE_LIMITS: 'off',
      BASE_URL: 'marketplace.example',
      SECRETS_KEY: 'c2hvcnQ=',
    }).join('\n');
    for (const name of [
      'PORT',
      'LIMIT_SEARCH',
      'LOG_LEVEL',
      'WEBHOOK_SCHEDULE_MS',
      'RATE_LIMITS',
      'BASE_URL',
      'SECRETS_KEY',
    ]) {
      expect(faults).toContain(name);
    }
  });

  it.each([
    ['redis://one:7000,redis//two:7000', 'number 2 of 2'],
    ['redis://one:7000,', 'number 2 of 2'],
    [',redis://one:7000', 'number 1 of 2'],
    ['redis://one:7000,redis://two:port,redis://three:7000', 'number 2 of 3'],
    ['redis://:hidden-word@one:7000;redis://two:7000', 'comma-separated'],
    ['one:7000', 'redis://host:6379'],
    ['http://one:7000', 'redis://host:6379'],
    ['redis://', 'redis://host:6379'],
    ['redis://one:7000,rediss://two:7000', 'for every node'],
    ['redis://one:7000/2,redis://two:7000/2', 'no database'],
  ])('refuses REDIS_URL=%s, and says why without quoting it', (url, reason) => {
    const faults = faultsOf({ ...development(), REDIS_URL: url });
    expect(faults).toEqual([expect.stringMatching(/^REDIS_URL must /)]);
    expect(faults[0]).toContain(reason);
    expect(faults[0]).not.toContain('hidden-word');
  });

  it('takes addresses of servers, clusters and sockets', () => {
    const taken = (redis: string, database = 'postgres://db/x') =>
      loadConfig({ ...development(), REDIS_URL: redis, DATABASE_URL: database });
    expect(taken('redis://:pass@one/3').redisUrl).toBe('redis://:pass@one/3');
    expect(taken('redis://one:1 , redis://two:2/0').redisUrl).toBe('redis://one:1,redis://two:2/0');
    expect(taken('rediss://[::1]:1,rediss://two:2').redisUrl).toContain('[::1]');
    for (const url of ['postgresql://u:p@db:1/x', 'postgres:///x?host=/run/postgresql']) {
      expect(taken('redis://one', url).databaseUrl).toBe(url);
    }
    expect(
      faultsOf({
        ...development(),
        DATABASE_URL: 'mysql://u:hidden-word@db/x',
        DATABASE_READ_URL: 'db',
      }),
    ).toEqual([
      'DATABASE_URL must be an address such as postgres://user:password@host:5432/database',
      'DATABASE_READ_URL must be an address such as postgres://user:password@host:5432/database',
    ]);
  });

  it('refuses times that contradict each other', () => {
    expect(faultsOf({ ...development(), OUTBOX_LEASE_MS: '9000' }).join()).toContain('JOB_LOCK_MS');
    expect(faultsOf({ ...development(), WEBHOOK_TIMEOUT_MS: '70000' }).join()).toContain(
      'WEBHOOK_TIMEOUT_MS',
    );
  });

  it('asks the real registries in production, and makes answers up only elsewhere', () => {
    expect(loadConfig(production()).lookupRegistries).toBe('network');
    expect(loadConfig(development()).lookupRegistries).toBe('demo');
    const wrong = {
      LOOKUP_REGISTRIES: 'demo',
      LOOKUP_BOOTSTRAP_URL: 'http://data.iana.org/rdap/dns.json',
      LOOKUP_WHOIS_SERVER: 'whois://whois.iana.org',
    };
    expect(faultsOf({ ...production(), ...wrong })).toEqual(
      Object.keys(wrong).map((name) => expect.stringContaining(name)),
    );
  });

  it('wants databases and a key in production, and no private webhook targets', () => {
    const faults = faultsOf({ NODE_ENV: 'production' }).join('\n');
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY']) expect(faults).toContain(name);
    expect(loadConfig(production()).webhookAllowPrivate).toBe(false);
    expect(loadConfig({ ...production(), WEBHOOK_ALLOW_PRIVATE: 'true' }).webhookAllowPrivate).toBe(
      true,
    );
    expect(loadConfig(development()).webhookAllowPrivate).toBe(true);
  });

  it('makes a key for development once, readable by its owner alone', () => {
    const [first, second] = [loadConfig(development()), loadConfig(development())];
    expect(first.secretsKey).toHaveLength(32);
    expect(second.secretsKey).toEqual(first.secretsKey);
    expect(statSync(join(dataDir, 'secrets.key')).mode & 0o077).toBe(0);
  });
});

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { systemClock } from '../../../shared/platform/clock.ts';
import {
  ConfigError,
  loadConfig,
  productionWarnings,
  requireSecretsKey,
} from '../../../shared/platform/config/config.ts';
import { TUNING } from '../../../shared/platform/config/tuning.ts';
import { createSecretBox } from '../../../shared/platform/crypto/secrets.ts';
import { createSignedTokens } from '../../../shared/platform/crypto/signed-tokens.ts';
import { secretsKey } from '../../support/secrets-key.ts';

const KEY = secretsKey().toString('base64');

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
  const production = () => ({
    ...development(),
    NODE_ENV: 'production',
    BASE_URL: 'https://market.example',
    SECRETS_KEY: KEY,
    MAIL: 'off',
  });
  const faultsOf = (env: Record<string, string>) => {
    try {
      loadConfig(env);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
  };

  it('has defaults for everything a developer need not set, and is frozen', () => {
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

  it('accepts country codes and reports unknown ones', () => {
    const { reviewCountries, sellerCountry, vatRates } = loadConfig({
      ...development(),
      REVIEW_COUNTRIES: 'UK, DE',
      SELLER_COUNTRY: 'EL',
      VAT_RATES: 'EL=24',
    });
    expect({ reviewCountries, sellerCountry, vatRates }).toEqual({
      reviewCountries: ['GB', 'DE'],
      sellerCountry: 'GR',
      vatRates: { GR: 2_400 },
    });
    for (const env of [
      { REVIEW_COUNTRIES: 'DE,EU' },
      { SELLER_COUNTRY: 'XX' },
      { VAT_RATES: 'ZZ=5' },
    ]) {
      const [name = ''] = Object.keys(env);
      expect(faultsOf({ ...development(), ...env })).toEqual([expect.stringContaining(name)]);
    }
  });

  it('reports every error at once, by variable name', () => {
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
  ])('refuses REDIS_URL=%s and says why without quoting it', (url, reason) => {
    const faults = faultsOf({ ...development(), REDIS_URL: url });
    expect(faults).toEqual([expect.stringMatching(/^REDIS_URL must /)]);
    expect(faults[0]).toContain(reason);
    expect(faults[0]).not.toContain('hidden-word');
  });

  it('accepts addresses of servers, clusters, and sockets', () => {
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

  it('refuses contradictory durations', () => {
    expect(faultsOf({ ...development(), WEBHOOK_TIMEOUT_MS: '70000' }).join()).toContain(
      'WEBHOOK_TIMEOUT_MS',
    );
  });

  it('lets tests override TUNING by name and type, but not in production', () => {
    const tuned = (text: string) => ({ ...development(), TUNING: text });
    expect(loadConfig(tuned('{"outboxPollMs":20}'))).toMatchObject({
      outboxPollMs: 20,
      outboxLeaseMs: TUNING.outboxLeaseMs,
    });
    for (const text of ['{"outboxPollMs":"20"}', '{"mailScheduleMs":5}', '{"port":1}', '1', '{']) {
      expect(faultsOf(tuned(text))).toEqual([expect.stringMatching(/^TUNING /)]);
    }
    expect(loadConfig({ ...production(), TUNING: '{}' })).toMatchObject(TUNING);
    expect(faultsOf({ ...production(), TUNING: '{"outboxPollMs":20}' })).toEqual([
      'TUNING is refused in production',
    ]);
  });

  it('resends a job only when no worker can still hold it', () => {
    expect(TUNING.outboxLeaseMs).toBeGreaterThan(TUNING.jobLockMs);
  });

  it('listens only locally in development, and on every address in production', () => {
    expect(loadConfig(development()).host).toBe('127.0.0.1');
    expect(loadConfig({ ...development(), HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
    expect(loadConfig(production()).host).toBe('');
  });

  it('uses the real registries in production, and demo data only elsewhere', () => {
    expect(loadConfig(production()).lookupRegistries).toBe('network');
    expect(loadConfig(development()).lookupRegistries).toBe('demo');
    expect(faultsOf({ ...production(), LOOKUP_REGISTRIES: 'demo' })).toEqual([
      expect.stringContaining('LOOKUP_REGISTRIES'),
    ]);
  });

  it('requires databases and a key in production, and bans private webhook targets', () => {
    const faults = faultsOf({ NODE_ENV: 'production' }).join('\n');
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'BASE_URL'])
      expect(faults).toContain(name);
    expect(loadConfig(production()).webhookAllowPrivate).toBe(false);
    expect(loadConfig({ ...production(), WEBHOOK_ALLOW_PRIVATE: 'true' }).webhookAllowPrivate).toBe(
      true,
    );
    expect(loadConfig(development()).webhookAllowPrivate).toBe(true);
  });

  const base64 = (bytes: Iterable<number>) => Buffer.from([...bytes]).toString('base64');
  it.each([
    ['no public address', { BASE_URL: '' }, 'BASE_URL is required'],
    ['a public address without TLS', { BASE_URL: 'http://market.example' }, 'BASE_URL must'],
    ['a key of zeros', { SECRETS_KEY: base64(new Uint8Array(32)) }, 'SECRETS_KEY can be guessed'],
    [
      'a key of few bytes',
      { SECRETS_KEY: base64(new Uint8Array(32).map((_, at) => 40 * (at % 6))) },
      'SECRETS_KEY can be guessed',
    ],
    [
      'a key that counts',
      { SECRETS_KEY: base64(new Uint8Array(32).map((_, at) => 250 + at)) },
      'SECRETS_KEY can be guessed',
    ],
    [
      'a key that was typed',
      { SECRETS_KEY: Buffer.from('The quick brown fox jumps again!').toString('base64') },
      'SECRETS_KEY can be guessed',
    ],
    [
      "the example's password",
      { DATABASE_URL: 'postgres://marketplace:change-me@db/x' },
      'DATABASE_URL has the password of .env.example',
    ],
    [
      'transfers that nobody can make',
      { TRANSFER_POLICY_LIVE: 'automatic' },
      'TRANSFER_POLICY_LIVE=automatic needs REGISTRAR_LIVE=epp',
    ],
    [
      'a proxy range that trusts everyone',
      { TRUST_PROXY: '10.0.0.0/8, 0.0.0.0/0' },
      'TRUST_PROXY must not',
    ],
    ['no limits', { RATE_LIMITS: 'off' }, 'RATE_LIMITS=off is refused'],
  ])('refuses to start in production with %s, but starts elsewhere', (_what, env, fault) => {
    expect(faultsOf({ ...production(), ...env })).toEqual([expect.stringContaining(fault)]);
    expect(faultsOf({ ...development(), ...env })).toEqual([]);
  });

  it('accepts every random key', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const SECRETS_KEY = createHash('sha256').update(String(seed)).digest('base64');
        expect(faultsOf({ ...production(), SECRETS_KEY })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('can decrypt with a guessable previous key until everything is re-encrypted', () => {
    const SECRETS_KEY_PREVIOUS = base64(new Uint8Array(32));
    expect(faultsOf({ ...production(), SECRETS_KEY_PREVIOUS })).toEqual([]);
  });

  it.each(['true', 'yes', '10.0.0.0/33', '::/129', 'proxy.example', '12', '1.2.3.4/8/8', ','])(
    'refuses TRUST_PROXY=%s, which is not a list of proxies',
    (TRUST_PROXY) => {
      expect(faultsOf({ ...development(), TRUST_PROXY })).toEqual([
        expect.stringMatching(/^TRUST_PROXY must be the number of proxies/),
      ]);
    },
  );

  it.each(['0', '2', 'loopback', '10.0.0.0/8, fd00::/8', '192.0.2.1'])(
    'accepts TRUST_PROXY=%s',
    (TRUST_PROXY) => {
      expect(faultsOf({ ...production(), TRUST_PROXY })).toEqual([]);
    },
  );

  it.each(['https://user:word@market.example', 'https://market.example?x=1', 'https://a b'])(
    'refuses BASE_URL=%s, since no path can be appended',
    (BASE_URL) => {
      expect(faultsOf({ ...development(), BASE_URL })).toEqual([
        expect.stringMatching(/^BASE_URL must/),
      ]);
    },
  );

  it('warns in production if one person can pay out alone or needs no second factor', () => {
    const safe = { STAFF_SECOND_FACTOR: 'required', PAYOUT_APPROVAL_OVER_CENTS: '100000' };
    expect(productionWarnings(loadConfig(production()))).toEqual([
      expect.stringContaining('STAFF_SECOND_FACTOR=required'),
      expect.stringContaining('PAYOUT_APPROVAL_OVER_CENTS'),
    ]);
    expect(productionWarnings(loadConfig({ ...production(), ...safe }))).toEqual([]);
    expect(productionWarnings(loadConfig(development()))).toEqual([]);
  });

  it('accepts SECRETS_KEY=none for processes that need no secrets', async () => {
    const { secretsKey: none } = loadConfig({ ...production(), SECRETS_KEY: 'none' });
    const box = createSecretBox(none);
    expect(() => box.seal('a', 'row')).toThrow('SECRETS_KEY=none');
    expect(() => box.open(Buffer.alloc(40), 'row')).toThrow('SECRETS_KEY=none');
    const tokens = createSignedTokens(none, systemClock);
    await expect(tokens.sign('quote', {})).rejects.toThrow('SECRETS_KEY=none');
    expect(() => requireSecretsKey({ secretsKey: none })).toThrow('this process needs the key');
    expect(() => requireSecretsKey(loadConfig(production()))).not.toThrow();
  });

  it('generates a development key once, readable only by its owner', () => {
    const [first, second] = [loadConfig(development()), loadConfig(development())];
    expect(first.secretsKey).toHaveLength(32);
    expect(second.secretsKey).toEqual(first.secretsKey);
    expect(statSync(join(dataDir, 'secrets.key')).mode & 0o077).toBe(0);
  });

  it('generates no key for a command, since no service could decrypt its data', () => {
    const env = { ...development(), DATA_DIR: join(dataDir, 'mistyped') };
    expect(() => loadConfig(env, { makesKey: false })).toThrow('SECRETS_KEY is required');
    expect(existsSync(env.DATA_DIR)).toBe(false);
    const { secretsKey: made } = loadConfig(env);
    expect(loadConfig(env, { makesKey: false }).secretsKey).toEqual(made);
  });

  it('must be able to store it', () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    const env = { ...development(), DATA_DIR: join(file, 'below') };
    expect(() => loadConfig(env)).toThrow(
      new ConfigError([
        `DATA_DIR must be a folder that can be written, unlike ${env.DATA_DIR} (ENOTDIR: not a directory)`,
      ]),
    );
  });
});

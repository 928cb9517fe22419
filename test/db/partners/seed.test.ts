import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seed } from '../../../db/seed.ts';
import { signIn } from '../../../shared/owners/sign-in.ts';
import { SCOPES } from '../../../shared/partners/credential.ts';
import { loadConfig } from '../../../shared/platform/config.ts';
import { runOps } from '../../support/ops-command.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime?.stop());

const TABLES = ['partners', 'credentials', 'users', 'listings', 'audit_log'];

const countAll = () =>
  Promise.all(
    TABLES.map(async (table) => {
      const [row] = await runtime.db.knex(table).count({ rows: '*' });
      return [table, Number(row?.rows)];
    }),
  );

describe('the demo marketplace', () => {
  it('is seeded once, however often and however many at once', async () => {
    const results = await Promise.all([seed(runtime.config), seed(runtime.config)]);
    expect(results.map(({ changed }) => changed).sort()).toEqual([false, true]);
    const before = await countAll();
    const startedAt = performance.now();
    expect(await seed(runtime.config)).toEqual({ changed: false });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(await countAll()).toEqual(before);
    expect(Object.fromEntries(before)).toMatchObject({ partners: 3, credentials: 6, users: 2 });
  }, 120_000);

  it('shows its key pairs and sign-ins, and they work', async () => {
    const { code, json, stderr } = await runOps(runtime, ['dev:credentials', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(json.credentials).toHaveLength(6);
    for (const credential of json.credentials) {
      expect(Object.keys(credential)).toEqual([
        'partner_id',
        'partner_name',
        'environment',
        'key_id',
        'secret',
        'scopes',
      ]);
      expect(credential.partner_name).toMatch(/^Example /);
      expect(credential.scopes).toEqual(SCOPES);
      const found = await runtime.credentials.find(credential.key_id);
      expect(found).toMatchObject({
        secret: credential.secret,
        environment: credential.environment,
        partnerId: credential.partner_id,
      });
    }
    expect(json.users.map(({ role }: { role: string }) => role).sort()).toEqual(['ops', 'owner']);
    for (const { email, password, role } of json.users) {
      expect((await signIn(runtime, { email, password })).user).toMatchObject({ email, role });
    }
  });

  it('is not for production', async () => {
    const env = { ...runtime.env, NODE_ENV: 'production', BASE_URL: 'https://example.com' };
    const config = loadConfig({ ...env, RATE_LIMITS: 'on' });
    await expect(seed(config)).rejects.toThrow('development');
    const shown = await runOps(runtime, ['dev:credentials', '--json'], {
      NODE_ENV: 'production',
      RATE_LIMITS: 'on',
      BASE_URL: 'https://example.com',
    });
    expect(shown).toMatchObject({ code: 1, stdout: '', error: { code: 'forbidden' } });
  });
});

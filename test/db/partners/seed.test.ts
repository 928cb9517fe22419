import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seed } from '../../../db/seed.ts';
import { makeInventory } from '../../../db/seeds/inventory.ts';
import { assertNoDemoAccounts } from '../../../shared/operations/demo/demo-accounts.ts';
import { verifyAccessToken } from '../../../shared/people/oauth/access-token.ts';
import { SCOPES } from '../../../shared/people/partners/credential.ts';
import { findSession, signIn } from '../../../shared/people/users/user-session.ts';
import { loadConfig } from '../../../shared/platform/config/config.ts';
import { accessTokenFor, givenOwner } from '../../support/oauth.ts';
import { runOps } from '../../support/ops-command.ts';
import { quickEnough } from '../../support/quick-enough.ts';
import type { Runtime } from '../../support/runtime.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';

interface DemoAccess {
  keyId: string;
  user: { email: string; password: string };
  session: string;
  accessToken: string;
}

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime({ BASE_URL: 'https://market.example' });
});
afterAll(() => runtime?.stop());

/** Production accepts no test settings. */
const PRODUCTION = { NODE_ENV: 'production', TUNING: '' };

const TABLES = ['partners', 'credentials', 'users', 'listings', 'audit_log'];

const countAll = () =>
  Promise.all(
    TABLES.map(async (table) => {
      const [row] = await runtime.db.knex(table).count({ rows: '*' });
      return [table, Number(row?.rows)];
    }),
  );

describe('the demo marketplace', () => {
  it('is seeded once, even by repeated and concurrent runs', async () => {
    const results = await Promise.all([seed(runtime.config), seed(runtime.config)]);
    expect(results.map(({ changed }) => changed).sort()).toEqual([false, true]);
    const before = await countAll();
    expect(await quickEnough(2_000, () => seed(runtime.config))).toEqual({ changed: false });
    expect(await countAll()).toEqual(before);
    expect(Object.fromEntries(before)).toMatchObject({ partners: 3, credentials: 6, users: 2 });
  });

  it('prints working key pairs and sign-ins with dev:credentials', async () => {
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
      expect(credential.partner_name).toMatch(/^(Example |Larkspur$)/);
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

  it('cannot be seeded or shown in production', async () => {
    const env = { ...runtime.env, ...PRODUCTION, BASE_URL: 'https://example.com' };
    const config = loadConfig({ ...env, RATE_LIMITS: 'on' });
    await expect(seed(config)).rejects.toThrow('development');
    const shown = await runOps(runtime, ['dev:credentials', '--json'], {
      ...PRODUCTION,
      RATE_LIMITS: 'on',
      BASE_URL: 'https://example.com',
    });
    expect(shown).toMatchObject({ code: 1, stdout: '', error: { code: 'forbidden' } });
  });

  /** Whether production accepts the demo's key pair, password, session, and access token. */
  const takenBy = async (other: Runtime, demo: DemoAccess) => {
    const { keyId, user, session, accessToken } = demo;
    const signedIn = signIn(other, user).then(
      () => true,
      () => false,
    );
    return {
      keyPair: (await other.credentials.find(keyId)) !== undefined,
      signIn: await signedIn,
      session: (await findSession(other, session)) !== undefined,
      accessToken: (await verifyAccessToken(other, accessToken)) !== undefined,
    };
  };
  const all = (taken: boolean) => ({
    keyPair: taken,
    signIn: taken,
    session: taken,
    accessToken: taken,
  });

  it('keeps every production process from starting until demo:disable has run', async () => {
    const { json } = await runOps(runtime, ['dev:credentials', '--json']);
    const user = json.users.find(({ role }: { role: string }) => role === 'ops');
    const { token: session, user: signedIn } = await signIn(runtime, user);
    const accessToken = await accessTokenFor(runtime, { userId: signedIn.id });
    const demo = { keyId: json.credentials[0].key_id, user, session, accessToken };
    const own = await givenOwner(runtime);
    const ownToken = await accessTokenFor(runtime, { userId: own.id });
    const production = await joinRuntime(runtime, { ...PRODUCTION, RATE_LIMITS: 'on' });
    try {
      expect(await takenBy(runtime, demo)).toEqual(all(true));
      expect(await takenBy(production, demo)).toEqual(all(false));
      expect((await verifyAccessToken(production, ownToken))?.userId).toBe(own.id);
      await expect(assertNoDemoAccounts(production)).rejects.toThrow(
        /demo accounts \(partners: 3, users: 2\).*ops -- demo:disable$/,
      );
      await assertNoDemoAccounts(runtime);

      const disabled = await runOps(runtime, ['demo:disable', '--json']);
      expect(disabled.json).toEqual({
        partners_suspended: 3,
        users_disabled: 2,
        listings_delisted: makeInventory().LIVE.length,
      });
      await assertNoDemoAccounts(production);
      const again = await runOps(runtime, ['demo:disable', '--json']);
      expect(again.json).toEqual({
        partners_suspended: 0,
        users_disabled: 0,
        listings_delisted: 0,
      });
    } finally {
      await production.stop();
    }
  });
});

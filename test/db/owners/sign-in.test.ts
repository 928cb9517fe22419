import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteExpired } from '../../../shared/operations/retention/delete-expired.ts';
import { createUser } from '../../../shared/people/users/user-account.ts';
import { findSession, signIn, signOut } from '../../../shared/people/users/user-session.ts';
import { HOUR } from '../../../shared/platform/clock.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const PASSWORD = 'a long enough password';
let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime({ SESSION_HOURS: '2' });
  await createUser(runtime, 'test', { email: 'Ada@Example.com', password: PASSWORD, role: 'ops' });
});
afterAll(() => runtime?.stop());

const enter = (email: string, password = PASSWORD) => signIn(runtime, { email, password });

describe('a user', () => {
  it('has a unique email address, ignoring case', async () => {
    await expect(
      createUser(runtime, 'test', { email: 'ada@EXAMPLE.com', password: PASSWORD, role: 'owner' }),
    ).rejects.toMatchObject({ code: 'conflict', details: { reason: 'already_exists' } });
  });

  it('needs a valid email address and a password of allowed length', async () => {
    for (const email of ['', 'ada', 'ada@', 'ada@localhost', 'a b@example.com', 'ada@exa_mple.com'])
      await expect(
        createUser(runtime, 'test', { email, password: PASSWORD, role: 'owner' }),
      ).rejects.toMatchObject({ code: 'validation_error' });
    for (const password of ['short', 'x'.repeat(257)])
      await expect(
        createUser(runtime, 'test', { email: 'b@example.com', password, role: 'owner' }),
      ).rejects.toMatchObject({ code: 'validation_error' });
  });

  it('is stored without the plain password', async () => {
    const { rows } = await runtime.db.knex.raw(
      'select to_jsonb(u) as row from users u union all select to_jsonb(a) from audit_log a',
    );
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  });
});

describe('a session', () => {
  it('opens with the right password and is valid until it expires', async () => {
    const { token, expiresAt, user } = await enter(' ADA@example.com ');
    expect(user).toMatchObject({ email: 'ada@example.com', role: 'ops' });
    expect(await findSession(runtime, token)).toMatchObject({ id: user.id, expiresAt });
    runtime.clock.advance(2 * HOUR);
    expect(await findSession(runtime, token)).toBeUndefined();
    expect((await deleteExpired(runtime)).user_sessions).toBeGreaterThan(0);
    expect(await deleteExpired(runtime)).toEqual({});
  });

  it('ends when the user signs out', async () => {
    const { token } = await enter('ada@example.com');
    await signOut(runtime, token);
    expect(await findSession(runtime, token)).toBeUndefined();
    await signOut(runtime, token);
  });

  it('is stored only as a digest', async () => {
    const { token } = await enter('ada@example.com');
    const { rows } = await runtime.db.knex.raw('select to_jsonb(s) as row from user_sessions s');
    const everything = JSON.stringify(rows);
    expect(everything).not.toContain(token);
    expect(everything).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('gives the same error for a wrong password and an unknown address', async () => {
    const refusals = await Promise.all(
      [enter('ada@example.com', 'wrong password'), enter('nobody@example.com')].map((attempt) =>
        attempt.then(
          () => 'opened',
          (error) => ({ code: error.code, message: error.message }),
        ),
      ),
    );
    expect(refusals[0]).toMatchObject({ code: 'invalid_token' });
    expect(refusals[1]).toEqual(refusals[0]);
  });

  it('takes as much CPU time for an unknown address as for a wrong password', async () => {
    const once = async (email: string) => {
      const start = process.cpuUsage();
      await enter(email, 'wrong password').catch(() => {});
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    // The minimum of three, since other work of the process is counted, too.
    const time = async (email: string) =>
      Math.min(await once(email), await once(email), await once(email));
    const known = await time('ada@example.com');
    const unknown = await time('nobody@example.com');
    expect(unknown).toBeGreaterThan(known / 3);
    expect(unknown).toBeLessThan(known * 3);
  });

  it('does not open for a role that the user does not have', async () => {
    const email = 'owner@example.com';
    await createUser(runtime, 'test', { email, password: PASSWORD, role: 'owner' });
    await expect(signIn(runtime, { email, password: PASSWORD, role: 'ops' })).rejects.toMatchObject(
      { code: 'forbidden' },
    );
    await expect(
      signIn(runtime, { email, password: 'wrong password', role: 'ops' }),
    ).rejects.toMatchObject({ code: 'invalid_token' });
  });
});

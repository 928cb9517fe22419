import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteExpired } from '../../shared/operations/retention/delete-expired.ts';
import { requestPasswordReset } from '../../shared/people/user-accounts/own-password.ts';
import { setPassword } from '../../shared/people/user-accounts/user-access.ts';
import { listFailures } from '../../shared/people/users/sign-in-failure.ts';
import {
  authenticateUser,
  signIn,
  signInWithPasskey,
} from '../../shared/people/users/user-session.ts';
import { DAY, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import { unique } from '../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { statementsOf } from '../support/statements.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime({ MAIL: 'on' });
});
afterAll(() => runtime?.stop());

const FROM = { address: '192.0.2.7', userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/130.0' };

/** What one guess gets: `wrong`, `right`, or the seconds to wait. */
async function guess(email: string, password = 'wrong password'): Promise<string | number> {
  try {
    const user = await authenticateUser(runtime, { email, password, from: FROM });
    return user ? 'right' : 'wrong';
  } catch (error) {
    const { code, retryAfterSeconds } = error as { code: string; retryAfterSeconds: number };
    return code === 'rate_limited' ? retryAfterSeconds : code;
  }
}

async function fail(email: string, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) expect(await guess(email)).toBe('wrong');
}

describe('password guessing', () => {
  it('is delayed more after each failure from the fifth on, up to five minutes', async () => {
    const { email } = await givenAccount(runtime, 'ops');
    await fail(email, 5);
    const waits: unknown[] = [];
    for (let at = 0; at < 7; at += 1) {
      const wait = await guess(email.toUpperCase());
      waits.push(wait);
      runtime.clock.advance(Number(wait) * SECOND);
      expect(await guess(email)).toBe('wrong');
    }
    // The clock goes on while passwords are checked.
    expect(waits.map((wait) => Math.round(Number(wait) / 15) * 15)).toEqual([
      15, 30, 60, 120, 240, 300, 300,
    ]);
  });

  it('does not reveal whether the password is right during the delay', async () => {
    const { email } = await givenAccount(runtime, 'owner');
    await fail(email, 5);
    expect(await guess(email, PASSWORD)).toBeGreaterThan(5);
    runtime.clock.advance(15 * SECOND);
    expect(await guess(email, PASSWORD)).toBe('right');
    await fail(email, 5);
  });

  it('gets the same answer for an address without an account', async () => {
    const email = `nobody-${unique()}@example.com`;
    await fail(email, 5);
    expect(await guess(email)).toBeGreaterThan(5);
  });

  it('counts concurrent attempts', async () => {
    const { email } = await givenAccount(runtime, 'owner');
    const answers = await Promise.all(Array.from({ length: 20 }, () => guess(email)));
    expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(5);
  });

  it('locks nobody out: a new password or a day of waiting ends the delay', async () => {
    const [one, two] = [await givenAccount(runtime, 'owner'), await givenAccount(runtime, 'owner')];
    await fail(one.email, 5);
    await setPassword(runtime, 'test', { who: one.id, password: 'quite another one' });
    expect(await guess(one.email, 'quite another one')).toBe('right');
    await fail(two.email, 5);
    runtime.clock.advance(DAY + MINUTE);
    await fail(two.email, 5);
    runtime.clock.advance(DAY + MINUTE);
    expect((await deleteExpired(runtime)).sign_in_attempts).toBeGreaterThan(0);
    expect(await deleteExpired(runtime)).toEqual({});
  });

  it('runs the same queries whether or not the account exists', async () => {
    const { email } = await givenAccount(runtime, 'owner');
    const asked = async (address: string) =>
      (await statementsOf(runtime, () => guess(address))).map(({ sql }) => sql);
    expect(await asked(`nobody-${unique()}@example.com`)).toEqual(await asked(email));
  });

  it('does not store the attempted email address', async () => {
    const email = `typed-${unique()}@example.com`;
    await guess(email);
    for (const table of ['sign_in_attempts', 'sign_in_failures', 'audit_log']) {
      expect(JSON.stringify(await runtime.db.knex(table))).not.toContain(email);
    }
  });
});

describe('the audit log', () => {
  const trailOf = (subject: string) =>
    runtime.db
      .knex('audit_log')
      .where({ subject })
      .orderBy('id')
      .select('actor', 'action', 'after');

  it('records password reset requests for accounts but not for unknown addresses', async () => {
    const { id, email } = await givenAccount(runtime, 'owner');
    const from = { address: '192.0.2.7', userAgent: null };
    const count = async () => Number((await runtime.db.knex('audit_log').count())[0]?.count);
    const before = await count();
    await requestPasswordReset(runtime, { email: `nobody-${unique()}@example.com`, from });
    expect(await count()).toBe(before);
    await requestPasswordReset(runtime, { email, from });
    expect((await trailOf(id)).slice(1)).toEqual([
      { actor: 'sign-in', action: 'user:reset-requested', after: from },
    ]);
  });

  it('records successful sign-ins with address and browser, and no failed ones', async () => {
    const { id, email } = await givenAccount(runtime, 'ops');
    const links = async () => Number((await runtime.db.knex('audit_chain').count())[0]?.count);
    const before = await links();
    await guess(email);
    await guess(`nobody-${unique()}@example.com`);
    const nonsense = { ticket: '', response: '' };
    await expect(signInWithPasskey(runtime, nonsense)).rejects.toMatchObject({
      code: 'invalid_token',
    });
    expect(await links()).toBe(before);
    await signIn(runtime, { email, password: PASSWORD, from: FROM });
    expect((await trailOf(id)).slice(1)).toEqual([
      { actor: id, action: 'user:sign-in', after: FROM },
    ]);
  });
});

describe('failed sign-ins', () => {
  it('are listed with address and browser, for one account or all', async () => {
    const { id: userId, email } = await givenAccount(runtime, 'owner');
    await guess(email);
    await guess(`nobody-${unique()}@example.com`);
    const failure = { reason: 'password', ...FROM, device: 'Firefox on Linux' };
    const page = { from: null, to: null, after: null, limit: 1 };
    const all = await listFailures(runtime, null, page);
    expect(all.rows).toMatchObject([{ ...failure, userId: null, email: null }]);
    const before = { ...page, after: all.next };
    expect((await listFailures(runtime, null, before)).rows).toMatchObject([{ userId, email }]);
    const own = await listFailures(runtime, userId, page);
    expect(own).toMatchObject({ rows: [{ ...failure, userId, email }], next: null });
  });

  it('are deleted after 90 days', async () => {
    const { id, email } = await givenAccount(runtime, 'owner');
    await guess(email);
    const prune = async () => {
      await deleteExpired(runtime);
      const page = { from: null, to: null, after: null, limit: 10 };
      return (await listFailures(runtime, id, page)).rows.length;
    };
    runtime.clock.advance(90 * DAY - MINUTE);
    expect(await prune()).toBe(1);
    runtime.clock.advance(2 * MINUTE);
    expect(await prune()).toBe(0);
  });
});

describe('a sign-in from a new device', () => {
  it('sends an email, except for the first sign-in', async () => {
    const { email } = await givenAccount(runtime, 'owner');
    const chrome =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
    for (const userAgent of [FROM.userAgent, FROM.userAgent, chrome, chrome, 'curl/8.1', null]) {
      await signIn(runtime, { email, password: PASSWORD, from: { address: null, userAgent } });
    }
    const mails = await runtime.db.knex('mails').where({ recipient: email }).select('kind', 'data');
    expect(mails).toMatchObject([
      { kind: 'new-sign-in', data: { device: 'Chrome on Windows', path: '/account/security' } },
    ]);
  });
});

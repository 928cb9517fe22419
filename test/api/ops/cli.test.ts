import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../../../shared/people/users/user-session.ts';
import { eventually } from '../../support/eventually.ts';
import { type CommandResult, runOps, spawnOps } from '../../support/ops-command.ts';
import { quickEnough } from '../../support/quick-enough.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

/** The standard input of every command. */
const PASSWORD = 'a long enough password';
let runtime: TestRuntime;

beforeAll(async () => {
  // The cache keeps a credential for an hour unless a change is announced.
  runtime = await createTestRuntime({ credentialCacheMs: 3_600_000 });
});
afterAll(() => runtime?.stop());

const ops = (...args: string[]) => runOps(runtime, [...args, '--json'], {}, PASSWORD);

/** The result of a command that must succeed: one JSON object on stdout, and no other output. */
async function answerOf(...args: string[]) {
  const result = await ops(...args);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toBe(`${JSON.stringify(result.json)}\n`);
  return result.json;
}

function expectError(result: CommandResult, code: string) {
  expect(result).toMatchObject({ code: 1, stdout: '', error: { code } });
  expect(result.stderr).toBe(`${JSON.stringify({ error: result.error })}\n`);
}

describe('the ops command line', () => {
  it('creates a partner, issues, rotates and revokes its keys, and suspends it', async () => {
    const { partner_id: partner } = await answerOf(
      ...['partner:create', '--name', 'Example Registrar', '--commission-bps', '2000'],
      ...['--period', 'weekly', '--affiliate'],
    );
    expect(partner).toMatch(/^ptr_/);
    const [row] = await runtime.db.knex('partners').where({ id: partner });
    expect(row).toMatchObject({ commission_bps: 2_000, settlement_period: 'weekly' });
    expect(row.affiliate_id).toMatch(/^aff_/);

    const pair = await answerOf(
      ...['credential:create', '--partner', partner],
      ...['--environment', 'LIVE', '--scopes', 'search, buy'],
    );
    expect(pair).toEqual({
      key_id: expect.stringMatching(/^pk_live_/),
      secret: expect.stringMatching(/^sk_live_/),
      environment: 'LIVE',
      scopes: ['search', 'buy'],
      name: null,
      allowed_ips: null,
      expires_at: null,
    });
    expect(await runtime.credentials.find(pair.key_id)).toMatchObject({ secret: pair.secret });

    const next = await answerOf(
      ...['credential:rotate', '--key-id', pair.key_id, '--overlap-hours', '1'],
    );
    expect(next).toMatchObject({ environment: 'LIVE', previous: { key_id: pair.key_id } });
    expect(next.secret).not.toBe(pair.secret);
    const standing = async () => (await runtime.credentials.find(next.key_id))?.status;
    expect(await standing()).toBe('active');
    expect(await answerOf('credential:revoke', '--key-id', next.key_id)).toMatchObject({
      key_id: next.key_id,
      status: 'revoked',
    });
    await eventually(standing, (status) => status === 'revoked');

    for (const [command, status] of [
      ['partner:suspend', 'suspended'],
      ['partner:resume', 'active'],
    ] as const) {
      expect(await answerOf(command, '--partner', partner)).toEqual({
        partner_id: partner,
        status,
      });
    }
    const trail = await runtime.db.knex('audit_log').where({ subject: partner }).orderBy('id');
    expect(trail.map((entry) => entry.action)).toEqual([
      'partner:create',
      'partner:suspend',
      'partner:resume',
    ]);
    expect(trail[0].actor).toMatch(/^cli/);
  });

  it('lists a domain, changes its price, and delists it', async () => {
    const where = ['--environment', 'SANDBOX', '--domain', 'Bücher-Example.com'];
    expect(
      await answerOf(
        ...['listing:add', ...where, '--price-cents', '485000', '--floor-price-cents', '400000'],
        ...['--keywords', 'books, shop', '--category', 'retail', '--description', 'A name.'],
      ),
    ).toMatchObject({
      domain: expect.stringMatching(/^xn--/),
      price_cents: 485_000,
      floor_price_cents: 400_000,
      keywords: ['books', 'shop'],
      status: 'listed',
    });
    expect(await answerOf('listing:price', ...where, '--price-cents', '350000')).toMatchObject({
      price_cents: 350_000,
      floor_price_cents: 350_000,
    });
    expect(await answerOf('listing:delist', ...where)).toMatchObject({ status: 'delisted' });
    const trail = await runtime.db
      .knex('audit_log')
      .where('subject', 'like', 'SANDBOX:xn--%')
      .orderBy('id');
    expect(trail.map(({ action, before, after }) => [action, before, after])).toEqual([
      [
        'listing:add',
        null,
        { status: 'listed', price_cents: 485_000, currency: 'USD', floor_price_cents: 400_000 },
      ],
      [
        'listing:price',
        { status: 'listed', price_cents: 485_000, currency: 'USD', floor_price_cents: 400_000 },
        { status: 'listed', price_cents: 350_000, currency: 'USD', floor_price_cents: 350_000 },
      ],
      [
        'listing:delist',
        { status: 'listed', price_cents: 350_000, currency: 'USD', floor_price_cents: 350_000 },
        { status: 'delisted', price_cents: 350_000, currency: 'USD', floor_price_cents: 350_000 },
      ],
    ]);
  });

  it('creates users with a password from standard input', async () => {
    const create = ['user:create', '--email', 'Ada@example.com', '--role', 'ops', '--json'];
    const { code, json } = await runOps(runtime, create, {}, 'long enough\n');
    expect({ code, json }).toEqual({ code: 0, json: { user_id: expect.stringMatching(/^usr_/) } });
    const email = 'ada@example.com';
    expect(await signIn(runtime, { email, password: 'long enough' })).toMatchObject({
      user: { id: json.user_id },
    });
  });

  it('rejects passwords as arguments and says how to enter them', async () => {
    const create = ['user:create', '--email', 'eve@example.com', '--role', 'ops', '--json'];
    for (const argument of [['--password', 'hidden word'], ['--password=hidden word']]) {
      const refused = await runOps(runtime, [...create, ...argument], {}, 'long enough');
      expect(refused).toMatchObject({ code: 1, stdout: '', error: { code: 'validation_error' } });
      expect(refused.error.message).toMatch(/^--password cannot be an argument.*standard input/);
      expect(refused.stderr).not.toContain('hidden word');
    }
    const without = await runOps(runtime, create);
    expect(without.error.message).toMatch(/^--password is required: type it at the prompt/);
    const short = await runOps(runtime, create, {}, 'short');
    expect(short.error.message).toMatch(/^--password must/);
    expect(short.stderr).not.toContain('short,');
    const wrong = await runOps(runtime, ['user:create', '--role', 'ops', '--json'], {}, '');
    expect(wrong.error.message).toMatch(/^--email is required/);
    const help = await runOps(runtime, ['user:create', '--help']);
    expect(help.stdout).toContain(
      'password: prompted for at the terminal, or read from standard input',
    );
    expect(help.stdout).not.toContain('--password');
  });

  it('rejects authorization codes as arguments', async () => {
    const keep = ['domain:auth-code', '--domain', 'shop.com', '--json'];
    const code = 'Tr4nsfer-me!';
    const shown = await runOps(runtime, [...keep, '--auth-code', code], {}, code);
    expect(shown.error.message).toMatch(/^--auth-code cannot be an argument.*"\$AUTH_CODE"/);
    expect(await runOps(runtime, keep, {}, `${code}\n`)).toMatchObject({
      code: 0,
      json: { domain: 'shop.com' },
    });
    const check = ['order:check-code', '--order', 'ord_nobody', '--json'];
    const asked = await runOps(runtime, [...check, '--auth-code', code], {}, code);
    expect(asked.error.message).toMatch(/^--auth-code cannot be an argument/);
    expectError(await runOps(runtime, check, {}, code), 'not_found');
  });

  it('accepts only ids for --before', async () => {
    for (const [list, before] of [
      ['mail:list', 'eml_...'],
      ['user:list', 'ada@example.com'],
    ] as const) {
      const refused = await ops(list, '--before', before);
      expectError(refused, 'validation_error');
      expect(refused.error.message).toMatch(/^--before must be an ID such as (eml|usr)_0/);
    }
  });

  it('disables a user, ends their sessions and grants, and enables them again', async () => {
    const { user_id } = await answerOf(
      ...['user:create', '--email', 'grace@example.com', '--role', 'owner'],
    );
    const user = ['--user', 'grace@example.com'];
    const enter = () => signIn(runtime, { email: 'grace@example.com', password: PASSWORD });
    await enter();
    expect(await answerOf('user:list', '--email', 'grace')).toEqual({
      users: [
        expect.objectContaining({
          user_id,
          email: 'grace@example.com',
          role: 'owner',
          status: 'active',
          sessions: 1,
          clients: 0,
        }),
      ],
    });
    expect(await answerOf('session:revoke-all', ...user)).toEqual({ user_id, sessions_ended: 1 });
    expect(await answerOf('grant:revoke', '--user', user_id)).toEqual({
      user_id,
      grants_revoked: 0,
    });
    await enter();
    expect(await answerOf('user:disable', ...user)).toMatchObject({
      user_id,
      status: 'disabled',
      sessions_ended: 1,
      grants_revoked: 0,
    });
    expect(await answerOf('user:disable', ...user)).toMatchObject({ sessions_ended: 0 });
    await expect(enter()).rejects.toMatchObject({ code: 'forbidden' });
    expect(await answerOf('user:list', '--status', 'disabled')).toMatchObject({
      users: [{ user_id, status: 'disabled', sessions: 0 }],
    });
    expect(await answerOf('user:enable', ...user)).toEqual({ user_id, status: 'active' });
    expect(await answerOf('user:set-password', ...user)).toMatchObject({ user_id });
    await enter();
    const trail = await runtime.db.knex('audit_log').where({ subject: user_id }).orderBy('id');
    const acts = trail.filter(({ action }) => action !== 'user:sign-in');
    expect(acts.map(({ action, after }) => [action, after])).toEqual([
      ['user:create', { email: 'grace@example.com', role: 'owner' }],
      ['session:revoke-all', { sessions: 1 }],
      ['grant:revoke', { grants: 0 }],
      ['user:disable', { status: 'disabled', sessions: 1, grants: 0 }],
      ['user:enable', { status: 'active' }],
      ['user:set-password', { sessions: 0, grants: 0 }],
    ]);
    for (const [command, fault] of [
      [['user:disable', '--user', 'usr_nobody', '--json'], 'must be a user ID'],
      [['user:disable', '--user', 'nobody@example.com', '--json'], 'There is no user'],
    ] as const) {
      expect((await runOps(runtime, command)).error.message).toContain(fault);
    }
  });

  it('reports the jobs in queues and outbox', async () => {
    const status = await answerOf('queue:status');
    expect(status.queues.map(({ queue }: { queue: string }) => queue)).toEqual(
      runtime.queues.all().map((queue) => queue.name),
    );
    expect(status.queues[0]).toMatchObject({
      counts: { waiting: 0, active: 0, delayed: 0, failed: 0 },
      oldest_waiting_ms: null,
    });
    expect(status.outbox).toEqual({ backlog: 0, by_queue: [] });
  });

  it('revokes a key quickly even when Redis is down', async () => {
    const { partner_id: partner } = await answerOf('partner:create', '--name', 'Example');
    const pair = await answerOf(
      ...['credential:create', '--partner', partner, '--environment', 'LIVE', '--scopes', 'buy'],
    );
    const args = ['credential:revoke', '--key-id', pair.key_id, '--json'];
    const result = await quickEnough(10_000, () =>
      runOps(runtime, args, { REDIS_URL: 'redis://127.0.0.1:1' }),
    );
    expect(result).toMatchObject({ code: 0, stderr: '', json: { status: 'revoked' } });
    const [row] = await runtime.db.knex('credentials').where({ key_id: pair.key_id });
    expect(row.status).toBe('revoked');
  });
});

describe('a failing ops command', () => {
  it('names every invalid option', async () => {
    const result = await ops('credential:create', '--environment', 'PROD', '--scopes', 'fly');
    expectError(result, 'validation_error');
    expect(result.error.details.map((fault: { path: string }) => fault.path).sort()).toEqual([
      '--environment',
      '--partner',
      '--scopes/0',
    ]);
    expectError(
      await ops('partner:create', '--name', 'x', '--commission-bps', '15%'),
      'validation_error',
    );
  });

  it('names the unknown subject, command or option', async () => {
    expectError(await ops('partner:suspend', '--partner', 'ptr_nobody'), 'not_found');
    expectError(await ops('credential:revoke', '--key-id', 'pk_live_nobody'), 'not_found');
    expectError(await ops('fly'), 'not_found');
    for (const args of [['partner:create', '--wings'], ['partner:create', 'x'], []]) {
      const result = await ops(...args);
      expectError(result, 'validation_error');
      expect(result.error.message).not.toContain('..');
    }
  });

  it.each([
    ['member:list'],
    ['credential:list'],
    ['contact:list'],
    ['payout:list'],
    ['webhook:endpoint', '--environment', 'LIVE'],
    ['webhook:endpoints', '--environment', 'LIVE'],
  ])('reports an unknown partner: %s', async (command, ...more) => {
    expectError(await ops(command, '--partner', 'ptr_nobody', ...more), 'not_found');
  });

  it('explains invalid values, including which item of a list', async () => {
    for (const [args, said] of [
      [['queue:retry', '--job', 'first'], '--job must be the number of a job, such as 41'],
      [['audit:check', '--head', 'first'], '--head must be 64 hexadecimal digits'],
      [
        ['credential:change', '--key-id', 'pk_live_x', '--scopes', 'search,all'],
        '--scopes (value 2) must be one of search, embed, buy, broker, refer, report, webhook',
      ],
    ] as const) {
      const result = await ops(...args);
      expectError(result, 'validation_error');
      expect(result.error.message).toBe(said);
    }
  });

  it('names both options when it takes one of two', async () => {
    for (const args of [
      ['settlement:run', '--environment', 'LIVE'],
      [
        'settlement:run',
        '--environment',
        'LIVE',
        '--period',
        '2026-10',
        '--until',
        '2026-11-01T00:00:00Z',
      ],
    ]) {
      const result = await ops(...args);
      expectError(result, 'validation_error');
      expect(result.error.message).toBe('--period or --until is required, and not both');
    }
  });

  it('reports that the database is unavailable', async () => {
    const result = await runOps(runtime, ['partner:list', '--json'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expectError(result, 'service_unavailable');
    expect(result.error.message).toBe(
      'Postgres could not do this (connect ECONNREFUSED 127.0.0.1:1). Check that it is running and that DATABASE_URL is right, then run this again.',
    );
  });

  it('reports invalid configuration', async () => {
    const result = await runOps(runtime, ['partner:list', '--json'], { SESSION_HOURS: 'never' });
    expectError(result, 'validation_error');
    expect(result.error.message).toContain('SESSION_HOURS');
  });
});

describe('ops command output for people', () => {
  it('includes help for every command', async () => {
    const help = await runOps(runtime, ['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    const commands = [...help.stdout.matchAll(/^ {2}(\w+:[\w-]+)/gm)].map((match) => match[1]);
    expect(commands).toContain('credential:revoke');
    for (const command of commands) {
      const one = await runOps(runtime, [String(command), '--help']);
      expect(one).toMatchObject({ code: 0, stderr: '' });
      expect(one.stdout).toContain('--json');
    }
    const one = await runOps(runtime, ['credential:create', '--help']);
    for (const option of ['--partner', '--environment', '--scopes']) {
      expect(one.stdout).toContain(option);
    }
  });

  it('is readable without --json, including errors', async () => {
    const answer = await runOps(runtime, ['partner:create', '--name', 'Example Plain']);
    expect(answer.stdout).toMatch(/^partner_id {2}ptr_\w+\n$/);
    const list = await runOps(runtime, ['partner:list']);
    expect(list.stdout).toMatch(/partner_id +name +status/);
    const error = await runOps(runtime, ['partner:suspend', '--partner', 'ptr_nobody']);
    expect(error.stderr).toBe('Error (not_found): There is no partner ptr_nobody.\n');
  });
});

describe('the ops command as a process', () => {
  it('writes results to stdout and errors to stderr, and sets the exit status', async () => {
    const redisAway = { REDIS_URL: 'redis://127.0.0.1:1' };
    const [made, refused, help, impatient] = await Promise.all([
      spawnOps(runtime, ['partner:create', '--name', 'Example Process', '--json']),
      spawnOps(runtime, ['partner:suspend', '--partner', 'ptr_nobody', '--json']),
      spawnOps(runtime, ['partner:create', '--help']),
      spawnOps(runtime, ['queue:status', '--json'], redisAway),
    ]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toBe(`${JSON.stringify(made.json)}\n`);
    expect(made.json.partner_id).toMatch(/^ptr_/);
    expectError(refused, 'not_found');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('--commission-bps');
    expectError(impatient, 'service_unavailable');
    expect(impatient.json?.error?.message ?? impatient.error?.message).toMatch(
      /^Redis does not answer\. Check that it is running and that REDIS_URL is right/,
    );
  });
});

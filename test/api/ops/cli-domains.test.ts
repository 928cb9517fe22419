import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenOwnerOf, newNames, type Owner } from '../../support/bulk.ts';
import { runOps } from '../../support/ops-command.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

describe('domain:grant', () => {
  let runtime: TestRuntime;
  let owner: Owner;
  let folder: string;
  beforeAll(async () => {
    runtime = await createTestRuntime();
    owner = await givenOwnerOf(runtime, 0);
    folder = mkdtempSync(join(tmpdir(), 'dm-test-grant-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await runtime.stop();
  });

  const grant = (...args: string[]) =>
    runOps(runtime, ['domain:grant', '--email', owner.email, ...args, '--json']);
  const fileOf = (...lines: string[]) => {
    const file = join(folder, `${newNames(1)[0]}.txt`);
    writeFileSync(file, lines.join('\n'));
    return file;
  };
  const owned = (): Promise<string[]> =>
    runtime.db
      .knex('owned_domains')
      .where({ user_id: owner.userId })
      .orderBy('domain')
      .pluck('domain');

  it('assigns domains to a user, in any spelling, each once', async () => {
    const answer = await grant('--domain', 'Example.COM', '--domain', 'münchen.de, example.com.');
    expect(answer).toMatchObject({ code: 0, json: { granted: 2 }, stderr: '' });
    expect(await owned()).toEqual(['example.com', 'xn--mnchen-3ya.de']);
    expect((await grant('--domain', 'example.com')).json).toEqual({ granted: 1 });
    const [audit] = await runtime.db.knex('audit_log').where({ action: 'domain:grant' });
    expect(audit).toMatchObject({ subject: owner.userId, after: { granted: 2 } });
  });

  it('assigns all of the domains or none', async () => {
    const other = await givenOwnerOf(runtime, 1);
    const before = await owned();
    const [fresh = ''] = newNames(1);
    const foreign = await grant('--domain', fresh, '--domain', other.domains[0] ?? '');
    expect(foreign).toMatchObject({ code: 1, error: { code: 'conflict' } });
    const bad = await grant('--domain', fresh, '--domain', 'no domain');
    expect(bad).toMatchObject({ code: 1, error: { code: 'validation_error' } });
    expect(await owned()).toEqual(before);
  });

  it('accepts a file of any length and reports invalid lines', async () => {
    const other = await givenOwnerOf(runtime, 1);
    const names = newNames(2_500);
    const file = fileOf('', 'no domain', ...names, other.domains[0] ?? '', `${names[0]} `, '\r');
    const { code, json } = await grant('--file', file);
    expect(code).toBe(0);
    expect(json).toMatchObject({ granted: 2_500, rejected: 2 });
    expect(json.rejections).toMatchObject([
      { line: 2, reason: 'must not contain spaces', row: 'no domain' },
      { line: 2_503, reason: `${other.domains[0]} is somebody else's.`, row: other.domains[0] },
    ]);
    expect(await owned()).toEqual(expect.arrayContaining(names));
  });

  it('requires an existing user, and either domains or a file', async () => {
    const nobody = ['domain:grant', '--email', 'nobody@example.com', '--domain', 'a.com', '--json'];
    expect((await runOps(runtime, nobody)).error.code).toBe('not_found');
    expect((await grant()).error.code).toBe('validation_error');
    expect((await grant('--domain', 'a.com', '--file', fileOf('b.com'))).error.code).toBe(
      'validation_error',
    );
    expect((await grant('--file', join(folder, 'none'))).error.code).toBe('validation_error');
  });
});

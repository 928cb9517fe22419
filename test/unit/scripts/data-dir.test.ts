import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const { existingDataDir, openDataDir } = await import(String('../../../scripts/lib/project.mjs'));

describe('the data directory of a command', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'dm-test-data-'));
    mkdirSync(join(folder, '.data', 'postgres'), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('must exist', () => {
    const DATA_DIR = join(folder, '.data');
    expect(existingDataDir({ DATA_DIR })).toBe(DATA_DIR);
  });

  it('is never created by a typo; the error lists the existing ones', () => {
    const DATA_DIR = join(folder, '.dtaa');
    expect(() => existingDataDir({ DATA_DIR })).toThrow(
      new RegExp(`No marketplace is in ${DATA_DIR}.*\n.*DATA_DIR=${join(folder, '.data')}`, 's'),
    );
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it.each([
    ['is a file', 'file', 'ENOTDIR'],
    ['cannot be made', 'file/below', 'ENOTDIR'],
  ])('is named by a start if it %s', (_case, name, code) => {
    const DATA_DIR = join(folder, name);
    writeFileSync(join(folder, 'file'), '');
    const told = `Cannot write to the data folder ${DATA_DIR} (${code}: not a directory). Make it writable, or set DATA_DIR to another folder.`;
    expect(() => openDataDir({ DATA_DIR })).toThrow(told);
    expect(() => existingDataDir({ DATA_DIR })).toThrow(`No marketplace is in ${DATA_DIR}.`);
    const env = { PATH: process.env.PATH, DATA_DIR };
    const start = spawnSync(process.execPath, ['scripts/start.mjs'], { encoding: 'utf8', env });
    expect(start).toMatchObject({ status: 1, stdout: '', stderr: `\n${told}\n` });
  });

  it('may not have a path that Postgres would cut off', () => {
    const DATA_DIR = join(folder, ...'ab'.split('').map((letter) => letter.repeat(450)));
    expect(() => openDataDir({ DATA_DIR })).toThrow('has more than the 900 bytes');
    expect(existsSync(join(DATA_DIR, '..'))).toBe(false);
  });

  it('is refused by a start below /proc, where nothing can be made', () => {
    const env = { PATH: process.env.PATH, DATA_DIR: '/proc/marketplace/data' };
    const start = spawnSync(process.execPath, ['scripts/start.mjs'], { encoding: 'utf8', env });
    expect(start).toMatchObject({ status: 1, stdout: '' });
    expect(start.stderr).toContain('Cannot write to the data folder /proc/marketplace/data (');
  });

  it('tells that its disk is full, without a stack', () => {
    const full = `import { writeFileSync } from 'node:fs';
      import { main } from './scripts/lib/project.mjs';
      await main(() => writeFileSync('/dev/full', 'x'));`;
    const args = ['--input-type=module', '--eval', full];
    const told = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(told).toMatchObject({ status: 1, stdout: '' });
    // Only Linux has a device that is always full.
    if (process.platform === 'linux')
      expect(told.stderr).toMatch(
        /^\nThe disk is full \(ENOSPC: .*\)\. Make room on it, then run this again\.\n$/,
      );
  });

  it('is reported as missing in JSON for commands with --json', () => {
    const DATA_DIR = join(folder, '.dtaa');
    const args = ['scripts/ops.mjs', 'queue:status', '--json'];
    const env = { PATH: process.env.PATH, DATA_DIR };
    const told = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    expect({ status: told.status, stdout: told.stdout }).toEqual({ status: 1, stdout: '' });
    const { error } = JSON.parse(told.stderr);
    expect(error.code).toBe('service_unavailable');
    expect(error.message).toContain(`No marketplace is in ${DATA_DIR}.`);
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});

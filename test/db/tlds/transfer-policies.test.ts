import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { listTlds } from '../../../shared/market/tlds/tld-catalogue.ts';
import {
  createTransferPolicyFinder,
  importTransferPolicies,
  listTransferPolicies,
} from '../../../shared/market/tlds/transfer-policies.ts';
import {
  ANY_TLD,
  lockDaysOf,
  transferPolicyOf,
} from '../../../shared/market/tlds/transfer-policy.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import type { RejectedLine } from '../../../shared/platform/line-reader.ts';
import { countStatements } from '../../support/inventory.ts';
import { runOps } from '../../support/ops-command.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const FILE = 'db/seeds/transfer-policies.ndjson';
const lines = readFileSync(FILE, 'utf8').trim().split('\n');

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

async function importRows(rows: readonly object[]) {
  const rejected: RejectedLine[] = [];
  const counts = await importTransferPolicies(runtime, {
    source: Readable.from([rows.map((row) => JSON.stringify(row)).join('\n')]),
    onRejected: (row) => rejected.push(row),
  });
  return { counts, rejected };
}

/** A policy version of a TLD with locks of this many days. */
const version = (tld: string, effective_from: string | null, days: number) => ({
  tld,
  effective_from,
  creation_lock_days: days,
  transfer_lock_days: days,
  registrant_change_lock_days: 0,
  auth_code_days: 14,
  source: 'a test',
});

const lockDays = async (tld: string, instant: string) =>
  lockDaysOf(transferPolicyOf(await listTransferPolicies(runtime), tld, new Date(instant)));

describe('transfer policies', () => {
  it('default to the strictest rules when none are imported', async () => {
    const policies = await listTransferPolicies(runtime);
    expect(transferPolicyOf(policies, 'com', new Date())).toEqual({
      creationLockDays: 60,
      transferLockDays: 60,
      registrantChangeLockDays: 60,
      authCodeDays: 14,
    });
  });

  it('cover every country-code TLD that is sold', async () => {
    await seedTlds(runtime);
    const policies = await listTransferPolicies(runtime);
    const countries = (await listTlds(runtime)).filter(({ rules }) => rules.type !== 'generic');
    expect(countries.filter(({ tld }) => !policies.has(tld))).toEqual([]);
    const ofToday = (tld: string) => transferPolicyOf(policies, tld, new Date('2026-11-27'));
    expect(ofToday('com')).toMatchObject({ creationLockDays: 60, registrantChangeLockDays: 60 });
    expect(ofToday('de')).toMatchObject({ creationLockDays: 0, registrantChangeLockDays: 0 });
    expect(ofToday('us')).toMatchObject({ transferLockDays: 60, registrantChangeLockDays: 0 });
  });

  it('without an effective date apply only once a date is imported', async () => {
    await importRows(lines.map((line) => JSON.parse(line)));
    expect(await lockDays('com', '2099-01-01')).toBe(60);
    const dated = lines
      .map((line) => JSON.parse(line))
      .map((row) => ({ ...row, effective_from: row.effective_from ?? '2027-06-01' }));
    await importRows(dated);
    expect(await lockDays('com', '2027-05-31T23:59:59Z')).toBe(60);
    expect(await lockDays('com', '2027-06-01T00:00:00Z')).toBe(30);
    expect(await lockDays('de', '2027-06-01T00:00:00Z')).toBe(0);
  });

  it('for a TLD override the general ones and are replaced as a whole', async () => {
    await importRows([version(ANY_TLD, '2020-01-01', 60), version('TO', '2030-01-01', 3)]);
    expect(await lockDays('to', '2029-12-31')).toBe(60);
    expect(await lockDays('to', '2030-01-01')).toBe(3);
    await importRows([version('to', '2031-01-01', 4)]);
    expect(await lockDays('to', '2030-06-01')).toBe(60);
    expect(await lockDays('to', '2031-06-01')).toBe(4);
    expect(await lockDays('com', '2031-06-01')).toBe(60);
  });

  it('are rejected line by line, with the reason', async () => {
    const { counts, rejected } = await importRows([
      version('no tld', '2020-01-01', 1),
      version('com', '2020-13-01', 1),
      { ...version('com', null, 1), auth_code_days: 0 },
      version('net', null, 1),
    ]);
    expect(counts).toEqual({ imported: 1, rejected: 3 });
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [1, '/tld must be a TLD, such as com or co.uk, or *'],
      [2, '/effective_from must be a date'],
      [3, '/auth_code_days must be >= 1'],
    ]);
  });

  it('are cached for a minute and read once for concurrent callers', async () => {
    const policyOf = createTransferPolicyFinder(runtime);
    const seDays = async () =>
      lockDaysOf(await policyOf('example.se', new Date('2026-01-01T00:00:00Z')));
    const asked = () => Promise.all([seDays(), seDays(), seDays()]);
    expect(await countStatements(runtime, asked)).toBe(1);
    await importRows([version('se', '2020-01-01', 7)]);
    expect(await seDays()).toBe(0);
    runtime.clock.advance(MINUTE);
    expect(await seDays()).toBe(7);
  });
});

describe('transfer-policy:import', () => {
  it('imports the file and writes an audit entry', async () => {
    const { code, stdout } = await runOps(runtime, [
      'transfer-policy:import',
      '--file',
      FILE,
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ imported: lines.length, rejected: 0 });
    const rows = await runtime.db.knex('audit_log').where({ action: 'transfer-policy:import' });
    expect(rows).toHaveLength(1);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordAudit } from '../../../shared/people/audit/audit-log.ts';
import { checkAudit } from '../../../shared/people/audit/check-audit.ts';
import { runOps } from '../../support/ops-command.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;

beforeEach(async () => {
  runtime = await createTestRuntime();
});
afterEach(() => runtime?.stop());

const write = (subject: string) =>
  runtime.db.transact((uow) =>
    recordAudit(uow, {
      actor: 'test',
      action: 'user:create',
      subject,
      after: { name: 'é ☕ 1.50' },
    }),
  );

/** Changes the trail with full database privileges, which can disable the protecting trigger. */
const tamper = (statement: string) =>
  runtime.db.knex.transaction(async (tx) => {
    await tx.raw("set local session_replication_role = 'replica'");
    await tx.raw(statement);
  });

describe('the hash chain of the audit trail', () => {
  it('verifies entries written concurrently, in commit order', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, at) => write(`subject-${at}`)));
    const checked = await checkAudit(runtime);
    const count = await runtime.db.knex('audit_log').count();
    expect(checked).toMatchObject({ ok: true, entries: Number(count[0]?.count), fault: null });
    await write('one more');
    expect((await checkAudit(runtime, checked.head)).ok).toBe(true);
  });

  it('contains nothing from a rolled-back transaction', async () => {
    await write('first');
    await runtime.db
      .transact(async (uow) => {
        await recordAudit(uow, { actor: 'test', action: 'user:create', subject: 'lost' });
        throw new Error('changed my mind');
      })
      .catch(() => {});
    await write('second');
    expect(await checkAudit(runtime)).toMatchObject({ ok: true });
  });

  it.each([
    [
      'changed',
      `update audit_log set actor = 'somebody else' where subject = 'second'`,
      /not what was written/,
    ],
    [
      'moved in time',
      `update audit_log set at = at - interval '1 microsecond' where subject = 'second'`,
      /not what/,
    ],
    ['removed', `delete from audit_log where subject = 'second'`, /was removed/],
    [
      'removed with its place',
      `with gone as (delete from audit_log where subject = 'second' returning id)
        delete from audit_chain where entry_id in (select id from gone)`,
      /Place \d+ of the chain is missing/,
    ],
    [
      'added around the chain',
      `insert into audit_log (actor, action, subject, at) values ('x', 'y', 'z', now())`,
      /is in no chain/,
    ],
  ])('reveals an entry that was %s', async (_what, statement, fault) => {
    for (const subject of ['first', 'second', 'third']) await write(subject);
    expect((await checkAudit(runtime)).ok).toBe(true);
    await tamper(statement);
    const checked = await checkAudit(runtime);
    expect(checked).toMatchObject({ ok: false, fault: expect.stringMatching(fault) });
    const command = await runOps(runtime, ['audit:check', '--json']);
    expect([command.code, command.json.ok]).toEqual([1, false]);
  });

  it('reveals a cut-off end to whoever kept the previous head', async () => {
    for (const subject of ['first', 'second']) await write(subject);
    const { head } = await checkAudit(runtime);
    await tamper(`with gone as (delete from audit_log where subject = 'second' returning id)
      delete from audit_chain where entry_id in (select id from gone)`);
    expect((await checkAudit(runtime)).ok).toBe(true);
    expect((await checkAudit(runtime, head)).fault).toMatch(/rewritten/);
    const command = await runOps(runtime, ['audit:check', '--head', String(head), '--json']);
    expect(command.code).toBe(1);
  });

  it('is append-only in the database', async () => {
    await write('first');
    await expect(runtime.db.knex('audit_chain').del()).rejects.toThrow('append-only');
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordAudit } from '../../../shared/people/audit/audit-log.ts';
import {
  createPartner,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime?.stop());

describe('the audit trail', () => {
  it('records who did what, when, and what changed', async () => {
    const { id } = await createPartner(runtime, 'cli:ada', { name: 'Example Registrar' });
    await suspendPartner(runtime, 'usr_grace', id);
    await suspendPartner(runtime, 'usr_grace', id);
    const trail = await runtime.db.knex('audit_log').where({ subject: id }).orderBy('id');
    expect(trail).toMatchObject([
      { actor: 'cli:ada', action: 'partner:create', before: null },
      {
        actor: 'usr_grace',
        action: 'partner:suspend',
        before: { status: 'active' },
        after: { status: 'suspended' },
      },
    ]);
  });

  it.each([
    "update audit_log set actor = 'somebody else'",
    'delete from audit_log',
    'delete from audit_log where false',
    'truncate audit_log',
  ])('cannot be changed afterwards: %s', async (sql) => {
    const { knex } = runtime.db;
    const before = await knex('audit_log').orderBy('id');
    await expect(knex.raw(sql)).rejects.toMatchObject({ constraint: 'audit_log_is_append_only' });
    expect(await knex('audit_log').orderBy('id')).toEqual(before);
  });

  it('refuses to store a secret', async () => {
    const write = (after: Record<string, unknown>) =>
      runtime.db.transact((uow) =>
        recordAudit(uow, { actor: 'a', action: 'b', subject: 'c', after }),
      );
    for (const name of ['secret', 'password_hash', 'token', 'secretCiphertext']) {
      await expect(write({ [name]: 'x' })).rejects.toThrow('audit trail');
      await expect(write({ nested: { [name]: 'x' } })).rejects.toThrow('audit trail');
    }
    expect(await runtime.db.knex('audit_log').where({ subject: 'c' })).toEqual([]);
  });
});

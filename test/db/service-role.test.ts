import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { grantToService } from '../../db/service-role.ts';
import { isExplainable } from '../../measure/scale/statement-plan.ts';
import { ATTEMPT_LOG } from '../../shared/messaging/webhooks/delivery-retention.ts';
import { AUDIT_LOG } from '../../shared/people/audit/audit-log.ts';
import { addPartitions, dropPartitions } from '../../shared/platform/database/partitioned-log.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing, givenPartner } from '../support/factories.ts';
import { untilEverythingHappenedOnce, untilRegistered } from '../support/running-service.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../support/runtime.ts';
import { sell } from '../support/sales.ts';
import { freePort, type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { signedClient } from '../support/signed-client.ts';
import { readStoreStatements, temporaryTablesOf } from '../support/store-statements.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

describe('a Postgres role that is not the owner', () => {
  const role = `dm_service_${randomBytes(6).toString('hex')}`;
  let runtime: TestRuntime;
  let serviceUrl: string;
  let client: pg.Client;
  beforeAll(async () => {
    runtime = await createTestRuntime({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    await runtime.db.knex.raw(`create role ${role} login password 'for-tests'`);
    await grantToService(runtime.config.databaseUrl, role);
    const url = new URL(runtime.config.databaseUrl);
    [url.username, url.password] = [role, 'for-tests'];
    serviceUrl = url.href;
    client = new pg.Client(serviceUrl);
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await runtime.db.knex.raw(`drop owned by ${role}`);
    await runtime.db.knex.raw(`drop role ${role}`);
    await runtime.stop();
  });

  it('may run every statement of every store', async () => {
    const statements = await readStoreStatements();
    const refused: string[] = [];
    const explained = statements.filter(isExplainable);
    for (const each of explained) {
      await client.query('begin');
      for (const table of temporaryTablesOf(each, statements)) await client.query(table);
      // EXPLAIN checks the privileges for everything that the plan reads and writes.
      const explain = { text: `explain (generic_plan) ${each.statement.text}` };
      await client.query(explain).catch((error: pg.DatabaseError) => {
        refused.push(`${each.file} ${each.name}: ${error.code} ${error.message}`);
      });
      await client.query('rollback');
    }
    expect(explained.length).toBeGreaterThan(500);
    expect(refused).toEqual([]);
  });

  it('can add and drop partitions of logs', async () => {
    const service = await joinRuntime(runtime, { DATABASE_URL: serviceUrl });
    const { knex } = service.db;
    expect(await addPartitions(knex, ATTEMPT_LOG, new Date('2031-02-03'))).toBeGreaterThan(0);
    const before = ATTEMPT_LOG.firstIdAt(new Date('2033-01-01'));
    expect(await dropPartitions(knex, ATTEMPT_LOG, before)).toBeGreaterThan(0);
    await service.stop();
  });

  it('cannot delete audit entries, even in a partition that it created', async () => {
    const service = await joinRuntime(runtime, { DATABASE_URL: serviceUrl });
    expect(await addPartitions(service.db.knex, AUDIT_LOG, new Date('2031-02-03'))).toBe(4);
    await service.stop();
    const remove = () => client.query('delete from audit_log_20310201');
    await expect(remove()).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
    await grantToService(runtime.config.databaseUrl, role);
    await expect(remove()).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  });

  it.each([
    'drop table orders',
    'alter table orders add column mine text',
    'create table mine (id text)',
    'truncate orders',
    'update ledger_entries set id = id',
    'delete from ledger_postings',
    'delete from audit_log',
    "insert into audit_log_default (id, at, actor, action, subject) values (1, now(), 'a', 'b', 'c')",
    'update audit_log_default set actor = actor',
    "select drop_range_partition('public.audit_log', 'id', '9')",
    "select drop_finished_partition('audit_log', 'id', '9', '{}')",
    'update audit_chain set hash = hash',
    'delete from documents',
    'alter table audit_log disable trigger all',
    "delete from knex_migrations where name = ''",
  ])('may not: %s', async (text) => {
    await expect(client.query(text)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  });

  describe('running the service as that role', () => {
    let processes: ServiceProcess[];
    let receiver: WebhookReceiver;
    let baseUrl: string;
    beforeAll(async () => {
      const port = await freePort();
      baseUrl = `http://127.0.0.1:${port}`;
      receiver = await startWebhookReceiver();
      const env = { ...runtime.env, DATABASE_URL: serviceUrl, PORT: String(port) };
      processes = ['api/main.ts', 'workers/main.ts'].map((program) => serviceProcess(program, env));
      for (const each of processes) each.start();
    });
    afterAll(async () => {
      await Promise.all(processes.map((each) => each.stop()));
      await receiver.close();
    });

    it('sells and transfers a domain, notifies the partner, and balances the ledger', async () => {
      const client = signedClient(baseUrl, await givenPartner(runtime));
      await untilRegistered(client, receiver.url);
      const { body } = await sell(client, await givenListing(runtime)).expect(201);
      await eventually(
        async () => (await client.get(`/v1/orders/${body.public_id}`)).body.status,
        (status) => status === 'TRANSFER_COMPLETED',
      );
      await untilEverythingHappenedOnce({ runtime, receiver });
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTransferJob } from '../../shared/sales/orders/order.jobs.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { givenOps, type OpsClient } from '../support/ops-client.ts';
import { sell } from '../support/sales.ts';

let app: TestApp;
let ops: OpsClient;
let fleet: WorkerProcess;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startTestApp({ OUTBOX_POLL_MS: '50', TRANSFER_POLICY_SANDBOX: 'manual' });
  ops = await givenOps(app);
  browser = await startBrowser();
  fleet = startWorkers(app.runtime, { queues: ['transfers'] });
});
afterAll(async () => {
  await browser?.stop();
  await fleet?.stop();
  await app?.stop();
});

describe('the board of the queues', () => {
  it('shows why a job is dead, and runs it again when its cause was put right', async () => {
    const { db } = app.runtime;
    const partner = await app.partner();
    const { body } = await sell(partner.client, await givenListing(app.runtime), { expect: 201 });
    await db.transact(async (uow) =>
      // A payload that the job does not know.
      uow.jobs.add(startTransferJob, { order: body.public_id } as never),
    );
    const jobs = () =>
      db.knex('outbox').where({ name: 'start-transfer' }).orderBy('id', 'desc').first();
    const dead = await eventually(jobs, (job) => job?.state === 'dead');
    expect(dead.last_error).toContain('malformed');

    const { page, faults } = await browser.open();
    await page.goto(`${app.url}/ops/queues/queue/transfers?status=failed`);
    await page.getByLabel('E-mail address').fill(ops.email);
    await page.getByLabel('Password').fill(ops.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('start-transfer').first().waitFor();
    await db
      .knex('outbox')
      .where({ id: dead.id })
      .update({ payload: JSON.stringify({ orderId: body.public_id }) });
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Confirm' }).click();
    await eventually(jobs, (job) => job?.state === 'done');
    expect(faults).toEqual([]);
    const nameless = (await accessibilityFaults(page)).filter((fault) =>
      /^(dark: )?button-name/.test(fault),
    );
    expect(nameless).toEqual([]);
    // What the workers did is counted by the minute.
    const metrics = await page.evaluate<{ completed: { meta: { count: number } } }>(
      "fetch('/ops/queues/api/queues/transfers/metrics').then((answer) => answer.json())",
    );
    expect(metrics.completed.meta.count).toBeGreaterThan(0);
    const trail = await db.knex('audit_log').where({ action: 'queues:change' }).pluck('subject');
    expect(trail).toEqual([expect.stringMatching(/^PUT .*retry/)]);
  });
});

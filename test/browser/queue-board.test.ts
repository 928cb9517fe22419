import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTransferJob } from '../../shared/sales/orders/order.jobs.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { givenOps, type OpsClient } from '../support/ops-client.ts';
import { sell } from '../support/sales.ts';
import { givenPasskeyRow } from '../support/second-factors.ts';

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
  /** A job of an order whose payload its worker does not know. */
  const givenDeadJob = async () => {
    const { db } = app.runtime;
    const partner = await app.partner();
    const { body } = await sell(partner.client, await givenListing(app.runtime)).expect(201);
    await db.transact(async (uow) =>
      // A payload that the job does not know.
      uow.jobs.add(startTransferJob, { orderId: [body.public_id, 'and no other'] } as never),
    );
    const jobs = () =>
      db.knex('outbox').where({ name: 'start-transfer' }).orderBy('id', 'desc').first();
    const dead = await eventually(jobs, (job) => job?.state === 'dead');
    return { orderId: body.public_id, jobs, dead };
  };
  const openBoard = async (queue: string, staff: { email: string; password: string }) => {
    const opened = await browser.open();
    await opened.page.goto(`${app.url}/ops/queues/queue/${queue}`);
    await opened.page.getByLabel('E-mail address').fill(staff.email);
    await opened.page.getByLabel('Password').fill(staff.password);
    await opened.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return opened;
  };
  const retryAll = async (page: Page) => {
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Confirm' }).click();
  };

  it('shows why a job is dead, and runs it again when its cause was put right', async () => {
    const { db } = app.runtime;
    const { orderId, jobs, dead } = await givenDeadJob();
    expect(dead.last_error).toContain('malformed');

    const { page, faults } = await openBoard('transfers?status=failed', ops);
    await page.getByText('start-transfer').first().waitFor();
    await db
      .knex('outbox')
      .where({ id: dead.id })
      .update({ payload: JSON.stringify({ orderId }) });
    await retryAll(page);
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

  it('says what to do when a change needs the second factor first', async () => {
    const staff = await givenOps(app);
    const { jobs, dead } = await givenDeadJob();
    const { page } = await openBoard('transfers?status=failed', staff);
    await page.getByText('start-transfer').first().waitFor();
    const { id } = await app.runtime.db.knex('users').where({ email: staff.email }).first();
    await givenPasskeyRow(app.runtime, id);
    await retryAll(page);
    await page.getByText('Not allowed').waitFor();
    await page.getByText('Give it at /ops/confirm, or sign in again.').waitFor();
    await picture(page, 'queue-board-refusal');
    expect(await jobs()).toMatchObject({ id: dead.id, state: 'dead' });
  });
});

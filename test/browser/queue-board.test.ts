import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
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
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { deliveriesOf, givenEndpoint, givenEvents } from '../support/webhooks.ts';

let app: TestApp;
let ops: OpsClient;
let fleet: WorkerProcess;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startTestApp({
    outboxPollMs: 50,
    TRANSFER_POLICY_SANDBOX: 'manual',
    WEBHOOK_SCHEDULE_MS: '3600000,3600000',
    WEBHOOK_TIMEOUT_MS: '25000',
  });
  ops = await givenOps(app);
  browser = await startBrowser();
  fleet = startWorkers(app.runtime, { queues: ['transfers', 'webhooks'] });
});
afterAll(async () => {
  await browser?.stop();
  await fleet?.stop();
  await app?.stop();
});

describe('the queue dashboard', () => {
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
    await opened.page.getByLabel('Email address').fill(staff.email);
    await opened.page.getByLabel('Password').fill(staff.password);
    await opened.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return opened;
  };
  const retryAll = async (page: Page) => {
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Confirm' }).click();
  };

  it('shows why a job is dead and retries it after its cause is fixed', async () => {
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
    const nameless = async () =>
      (await accessibilityFaults(page)).filter((fault) =>
        /^(dark: )?(button-name|page-has-heading-one)/.test(fault),
      );
    const headings = () => page.getByRole('heading', { level: 1 }).allInnerTexts();
    expect([await nameless(), await headings()]).toEqual([[], ['transfers']]);
    // What the workers did is counted by the minute.
    const metrics = await page.evaluate<{ completed: { meta: { count: number } } }>(
      "fetch('/ops/queues/api/queues/transfers/metrics').then((answer) => answer.json())",
    );
    expect(metrics.completed.meta.count).toBeGreaterThan(0);
    await page.goto(`${app.url}/ops/queues`);
    await page.getByRole('heading', { name: 'Marketplace queues' }).waitFor();
    expect([await nameless(), await headings()]).toEqual([[], ['Marketplace queues']]);
    const trail = await db.knex('audit_log').where({ action: 'queues:change' }).pluck('subject');
    expect(trail).toEqual([expect.stringMatching(/^PUT .*retry/)]);
  });

  describe('for webhooks', () => {
    let receivers: WebhookReceiver[] = [];
    afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));

    /** An endpoint that refuses, one that is slow, and one that takes what it gets, each with events. */
    const givenEndpoints = async () => {
      const { runtime } = app;
      receivers = await Promise.all([1, 2, 3].map(() => startWebhookReceiver()));
      const [dead, slow, well] = receivers;
      if (!dead || !slow || !well) throw new Error('no receivers');
      dead.answer({ status: 503 });
      slow.hang();
      const endpoints = await Promise.all(
        [dead, slow, well].map(async (receiver) => {
          const endpoint = await givenEndpoint(runtime, receiver.url);
          await givenEvents(runtime, endpoint, 2);
          return { receiver, ...endpoint };
        }),
      );
      return endpoints as [Place, Place, Place];
    };
    type Place = Awaited<ReturnType<typeof givenEndpoint>> & { receiver: WebhookReceiver };

    /** Waits until the page says this of its jobs, white space aside. */
    const untilTold = (page: Page, ...told: string[]) =>
      eventually(
        async () => (await page.locator('main').innerText()).replace(/\s/g, ''),
        (text) => told.every((each) => text.includes(each)),
      );
    const show = (page: Page, status: string) =>
      page.goto(`${app.url}/ops/queues/queue/webhooks?status=${status}`);
    const confirm = (page: Page) =>
      page.getByRole('alertdialog').getByRole('button', { name: 'Confirm' }).click();

    it('shows the failing endpoint with its next retry, the slow one and completed deliveries', async () => {
      const [dead, slow, well] = await givenEndpoints();
      const { page, faults } = await openBoard('webhooks?status=delayed', ops);
      const title = (place: Place) => page.getByText(`deliver ${place.endpointId}`).first();
      await title(dead).waitFor();
      await untilTold(page, `partner:"${dead.partnerId}"`, 'waiting:2', 'last_answer:"HTTP503"');
      await untilTold(page, 'next_try:"20', 'Willrunat');
      await picture(page, 'queue-board-delayed');

      await show(page, 'active');
      await title(slow).waitFor();
      await picture(page, 'queue-board-active');

      await show(page, 'completed');
      await title(well).waitFor();
      await untilTold(page, `endpoint:"${well.endpointId}"`, 'sent:2', 'failed:0', 'waiting:0');
      await picture(page, 'queue-board-completed');
      // What was delivered is not delivered again by a click.
      expect(await page.getByRole('button', { name: /Retry/ }).count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it('retries an endpoint at once when its job is promoted', async () => {
      const [dead] = await givenEndpoints();
      const { page } = await openBoard('webhooks?status=delayed', ops);
      await page.getByText(`deliver ${dead.endpointId}`).first().waitFor();
      dead.receiver.answer({ status: 200 });
      await page
        .locator('main *')
        .filter({ has: page.getByRole('heading', { name: `deliver ${dead.endpointId}` }) })
        .filter({ has: page.getByRole('button', { name: 'Promote', exact: true }) })
        .last()
        .getByRole('button', { name: 'Promote', exact: true })
        .click();
      await confirm(page);
      await dead.receiver.waitFor(4);
      await untilDelivered(dead);
    });

    it('pauses and resumes deliveries', async () => {
      const [, , well] = await givenEndpoints();
      const queue = app.runtime.queues.get('webhooks');
      const { page } = await openBoard('webhooks?status=waiting', ops);
      await well.receiver.waitFor(2);
      await page.getByRole('button', { name: 'More actions' }).first().click();
      await page.getByRole('menuitem', { name: 'Pause' }).click();
      await confirm(page);
      await eventually(() => queue.isPaused());
      await eventually(
        () => jobsOf(well),
        (jobs) => jobs === 0,
      );
      await givenEvents(app.runtime, well, 2);
      await page.getByText(`deliver ${well.endpointId}`).first().waitFor();
      await page.getByRole('link', { name: 'webhooks [ Paused ]' }).waitFor();
      await untilTold(page, 'waiting:2');
      await picture(page, 'queue-board-paused');
      expect(well.receiver.received).toHaveLength(2);

      await page.getByRole('button', { name: 'More actions' }).first().click();
      await page.getByRole('menuitem', { name: 'Resume' }).click();
      await confirm(page);
      await well.receiver.waitFor(4);
      await untilDelivered(well);
    });

    const untilDelivered = ({ endpointId }: Place) =>
      eventually(
        () => deliveriesOf(app.runtime, endpointId),
        (rows) => rows.every(({ state }) => state === 'delivered'),
      );
    const jobsOf = async ({ endpointId }: Place) => {
      const rows = await app.runtime.db
        .knex('outbox')
        .where({ dedupe_key: `deliver:${endpointId}` })
        .whereNot({ state: 'done' });
      return rows.length;
    };
  });

  it('explains what to do when a change needs the second factor', async () => {
    const staff = await givenOps(app);
    const { jobs, dead } = await givenDeadJob();
    const { page } = await openBoard('transfers?status=failed', staff);
    await page.getByText('start-transfer').first().waitFor();
    const { id } = await app.runtime.db.knex('users').where({ email: staff.email }).first();
    await givenPasskeyRow(app.runtime, id);
    await retryAll(page);
    await page.getByText('Not allowed').waitFor();
    await page.getByText('Enter it at /ops/confirm, or sign in again.').waitFor();
    await picture(page, 'queue-board-refusal');
    expect(await jobs()).toMatchObject({ id: dead.id, state: 'dead' });
  });
});

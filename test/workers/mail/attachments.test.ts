import { afterEach, describe, expect, it } from '@jest/globals';
import { documentPdf } from '../../../shared/messaging/documents/document-pdf.ts';
import { findDocument } from '../../../shared/messaging/documents/read-documents.ts';
import { addContact } from '../../../shared/messaging/mail/mail-settings.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import { insertSale, newOrder } from '../../../shared/sales/orders/record-order.ts';
import { markPayoutPaid } from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { takeBack } from '../../support/take-back.ts';

let smtp: TestSmtpServer;
let runtime: TestRuntime;
let fleet: WorkerProcess;

async function begin() {
  smtp = await startSmtpServer();
  runtime = await createTestRuntime({
    MAIL: 'on',
    MAIL_URL: smtp.url,
    MAIL_FROM: 'Example Domains <mail@market.example>',
    outboxPollMs: 20,
  });
  fleet = startWorkers(runtime, { queues: ['mail'] });
}
afterEach(async () => {
  await fleet.stop();
  await runtime.stop();
  await smtp.stop();
});

/** The attachments of the mail with this subject, once it has come. */
async function attachmentsOf(subject: RegExp) {
  const received = await eventually(
    async () => {
      runtime.clock.advance(1_000);
      return smtp.received;
    },
    (all) => all.some(({ parsed }) => subject.test(parsed.subject ?? '')),
  );
  const mail = received.find(({ parsed }) => subject.test(parsed.subject ?? ''));
  return mail?.parsed.attachments ?? [];
}

describe('email attachments', () => {
  it('include the receipt and invoice for the buyer, and the credit note of a refund', async () => {
    await begin();
    const { partnerId } = await givenPartner(runtime);
    const sold = { environment: 'LIVE', domain: 'oakdeck.com', status: 'sold' } as const;
    const { id } = await givenListing(runtime, sold);
    const orderId = await runtime.db.transact(async (uow) => {
      const order = newOrder(
        {
          partnerId,
          environment: 'LIVE',
          commissionBps: 1_500,
          listing: { id, saleNumber: 1 },
          domain: 'oakdeck.com',
          status: 'PAID',
          paymentModel: 'brokerage',
          brokerageCaseId: newId('brokerageCase', uow.now),
          price: new Money(120_000, 'EUR'),
          buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
        },
        uow.now,
      );
      await insertSale(uow, runtime.config, order);
      return order.id;
    });
    const attached = await attachmentsOf(/receipt/);
    expect(attached.map(({ filename }) => filename)).toEqual([
      expect.stringMatching(/^RCP-\d{4}-000001\.pdf$/),
      expect.stringMatching(/^INV-\d{4}-000001\.pdf$/),
    ]);
    expect(attached.map(({ contentType }) => contentType)).toEqual([
      'application/pdf',
      'application/pdf',
    ]);
    const owner = { partnerId, environment: 'LIVE' as const };
    const invoice = await findDocument(runtime.db.knex, owner, {
      kind: 'invoice',
      subject: orderId,
    });
    if (!invoice) throw new Error('no invoice');
    expect(attached[1]?.content.equals(await documentPdf(runtime, invoice))).toBe(true);

    await takeBack(runtime, orderId);
    const [note] = await attachmentsOf(/refund/i);
    expect(note?.filename).toMatch(/^CRN-/);
  });

  it('include the partner’s statement and the advice of a payout', async () => {
    await begin();
    const partner = await givenPartner(runtime);
    const { partnerId } = partner;
    await runtime.db.transact((uow) => addContact(uow, partnerId, 'money@partner.example'));
    await givenOrder(runtime, partner, { paymentModel: 'hosted_checkout' });
    runtime.clock.advance(86_400_000);
    await closePartnerPeriods(runtime, { ...partner, until: runtime.clock.now() });
    const attached = await attachmentsOf(/statement is ready/);
    expect(attached.map(({ filename }) => filename?.slice(0, 8))).toEqual(['TEST-STM', 'TEST-SBC']);
    const { id: payoutId } = await runtime.db.knex('payouts').first('id');
    await markPayoutPaid(runtime, 'test', { payoutId, reference: 'wire-1' });
    const [advice] = await attachmentsOf(/We sent you/);
    expect(advice?.filename).toMatch(/^TEST-PAY-/);
  });
});

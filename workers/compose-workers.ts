import { createRegistrars } from '../shared/domains/registrar/create-registrars.ts';
import type { Registrars } from '../shared/domains/registrar/registrar.ts';
import { sandboxOutcome } from '../shared/market/inventory/sandbox-names.ts';
import {
  createEmbeddings,
  type Embeddings,
} from '../shared/market/search/embeddings/embeddings.ts';
import { createTransferPolicyFinder } from '../shared/market/tlds/transfer-policies.ts';
import { PdfRenderer } from '../shared/messaging/documents/paper/pdf-renderer.ts';
import {
  createDomainPace,
  createMailBudget,
  type DomainPace,
  type MailBudget,
} from '../shared/messaging/mail/deliver-mail.ts';
import {
  createMailTransport,
  type MailTransport,
} from '../shared/messaging/mail/mail-transport.ts';
import { type Attempts, createAttempts } from '../shared/messaging/webhooks/attempt.ts';
import { DeliveryPool } from '../shared/messaging/webhooks/delivery-pool.ts';
import { createDueReader, type ReadDue } from '../shared/messaging/webhooks/due-deliveries.ts';
import { createPaymentProviders } from '../shared/money/payments/create-payment-providers.ts';
import type { PaymentProviders } from '../shared/money/payments/payment-provider.ts';
import type { Infrastructure } from '../shared/operations/infrastructure.ts';
import { SECOND } from '../shared/platform/clock.ts';
import { registrantOfPush } from '../shared/sales/transfers/registrar-push.ts';

/** The time budget of the encoder. Nobody is waiting for a worker's lookups, so it can be generous. */
const ENCODER_MS = 10 * SECOND;

/** The services of a worker process. Built once; commands use the parts they need. */
export interface WorkerServices extends Infrastructure {
  registrars: Registrars;
  payments: PaymentProviders;
  embeddings: Embeddings;
  pdfs: PdfRenderer;
  mailTransport: MailTransport;
  mailPace: DomainPace;
  mailBudget: MailBudget;
  deliveryPool: DeliveryPool;
  webhookAttempts: Attempts;
  readDue: ReadDue;
}

/** Builds the workers' services on `infrastructure`, which releases them when it stops. */
export function composeWorkers(infrastructure: Infrastructure): WorkerServices {
  // A report can wait for the encoder to start.
  const config = { ...infrastructure.config, embeddingsBudgetMs: ENCODER_MS };
  const embeddings = createEmbeddings({ ...infrastructure, config });
  infrastructure.beforeStop(() => embeddings.close());
  const mailTransport = createMailTransport(infrastructure);
  infrastructure.beforeStop(() => mailTransport.close());
  const pdfs = new PdfRenderer();
  infrastructure.beforeStop(() => pdfs.close());
  return {
    ...infrastructure,
    pdfs,
    registrars: createRegistrars(
      infrastructure,
      sandboxOutcome,
      createTransferPolicyFinder(infrastructure),
      (reference) => registrantOfPush(infrastructure, reference),
    ),
    payments: createPaymentProviders(infrastructure),
    embeddings,
    mailTransport,
    mailPace: createDomainPace(infrastructure),
    mailBudget: createMailBudget(infrastructure),
    deliveryPool: new DeliveryPool(infrastructure),
    webhookAttempts: createAttempts(infrastructure),
    readDue: createDueReader(infrastructure),
  };
}

import type { AddressInfo } from 'node:net';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { previewMail } from '../../shared/operations/mail-catalogue/preview-mail.ts';
import { transferStartedMail } from '../../shared/sales/transfers/transfer.mails.ts';
import { eventually } from '../../test/support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { startChild } from '../support/child.ts';
import { alternate, type Figure, perSecond } from '../support/figures.ts';

const MAILS = 1_000;
const BATCH = 100;
const CONNECTIONS = 4;

/** Measures mails through one worker process against the same message through a bare pool, and the worker's memory. */
export async function benchMail(): Promise<Figure[]> {
  const server = await startServer();
  const runtime = await createTestRuntime({
    MAIL: 'on',
    MAIL_URL: server.url,
    MAIL_FROM: 'Example Domains <mail@market.example>',
    MAIL_CONNECTIONS: `${CONNECTIONS}`,
    MAIL_DOMAIN_PER_MINUTE: '1000000',
  });
  const worker = await startChild('measure/bench/support/worker-process.ts', {
    ...runtime.env,
    BENCH_QUEUE: 'mail',
  });
  const megabytes: number[] = [];
  try {
    const rates = await alternate(
      async () => {
        const rate = await send(runtime, server.count);
        megabytes.push((await worker.usage()).rssBytes / 2 ** 20);
        return rate;
      },
      () => sendAlone(runtime, server.url),
    );
    const [first = 0, ...later] = megabytes;
    return [
      {
        name: `Mails, one worker process, ${CONNECTIONS} connections (render, send, record)`,
        unit: 'mails/min',
        limitName: 'bare nodemailer pool with a message that is written already',
        ours: rates.ours.map((rate) => rate * 60),
        limit: rates.limit.map((rate) => rate * 60),
      },
      {
        name: `Resident memory of a worker of mail, after each further ${MAILS.toLocaleString('en-US')} mails`,
        unit: 'MB',
        limitName: 'after the first ones',
        ours: later,
        limit: later.map(() => first),
        lessIsBetter: true,
      },
    ];
  } finally {
    await worker.stop();
    await runtime.stop();
    await server.stop();
  }
}

let round = 0;

/** Measures from the commit of the first mail until the server has the last. */
async function send(runtime: TestRuntime, count: () => number): Promise<number> {
  round += 1;
  const before = count();
  return perSecond(MAILS, async () => {
    for (let from = 0; from < MAILS; from += BATCH) {
      await runtime.db.transact(async (uow) => {
        for (let at = from; at < from + BATCH; at += 1) {
          uow.mails.add(transferStartedMail, {
            to: { email: `buyer-${at}@buyer-${at % 50}.example` },
            of: null,
            data: {
              orderId: `ord_${round}_${at}`,
              domain: 'oakdeck.com',
              buyerName: 'Robin',
              at: uow.now.toISOString(),
            },
          });
        }
      });
    }
    await eventually(count, (now) => now - before >= MAILS, { everyMs: 5, withinMs: 120_000 });
  });
}

async function sendAlone(runtime: TestRuntime, url: string): Promise<number> {
  const { subject, html, text } = await previewMail({ config: runtime.config }, 'transfer-started');
  const { hostname: host, port } = new URL(url);
  const pool = createTransport({
    pool: true,
    host,
    port: Number(port),
    maxConnections: CONNECTIONS,
  });
  const rate = await perSecond(MAILS, () =>
    Promise.all(
      Array.from({ length: MAILS }, (_, at) =>
        pool.sendMail({
          from: 'mail@market.example',
          to: `buyer-${at}@buyer.example`,
          subject,
          html,
          text,
        }),
      ),
    ),
  );
  pool.close();
  return rate;
}

/** Starts a server that accepts all mail and stores none. */
async function startServer() {
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, _session, done) {
      stream.on('end', () => {
        count += 1;
        done(null, 'taken');
      });
      stream.resume();
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    count: () => count,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

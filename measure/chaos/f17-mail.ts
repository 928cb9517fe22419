import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendMailJob } from '../../shared/messaging/mail/mail.jobs.ts';
import { transferStartedMail } from '../../shared/sales/transfers/transfer.mails.ts';
import { eventually } from '../../test/support/eventually.ts';
import {
  freePort,
  type ServiceProcess,
  serviceProcess,
} from '../../test/support/service-process.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';

const PATIENCE_MS = 180_000;
/** How many transactions queue mails at the same time. */
const WRITERS = 4;
/** One transaction in this many is rolled back; of the others, one in this many is repeated. */
const ROLLED_BACK = 4;
const TWICE = 5;

export const mailDisturbed: FaultRun = {
  id: 'F17',
  title: 'The SMTP server and workers killed while mail is sent',
  async run(trial) {
    const folder = mkdtempSync(join(tmpdir(), 'dm-chaos-mail-'));
    const file = join(folder, 'taken.ndjson');
    writeFileSync(file, '');
    const port = await freePort();
    const smtp = serviceProcess('measure/chaos/smtp-child.ts', {
      SMTP_PORT: `${port}`,
      SMTP_FILE: file,
    });
    const env = {
      MAIL: 'on',
      MAIL_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'Example Domains <mail@market.example>',
      mailTimeoutMs: 1_500,
      mailScheduleMs: Array<number>(500).fill(300),
      MAIL_DOMAIN_PER_MINUTE: '1000000',
    };
    try {
      smtp.start();
      await withMarket(trial, { apis: 0, env }, (market) =>
        sendThrough(trial, market, { smtp, port, file }),
      );
    } finally {
      await smtp.kill();
      rmSync(folder, { recursive: true });
    }
  },
};

interface Outside {
  smtp: ServiceProcess;
  port: number;
  /** Lists the mails that the server accepted. */
  file: string;
}

async function sendThrough(trial: Trial, market: Market, outside: Outside): Promise<void> {
  const count = trial.amount({ short: 120, normal: 600, long: 10_000 });
  const deaths = trial.amount({ short: 6, normal: 24, long: 300 });
  const subjectOf = (cause: number) => `cause-${cause}.example is on its way to you`;
  const committed = new Set<number>();
  const waiting = Array.from({ length: count }, (_, at) => at);

  const ask = async (cause: number, fails: boolean) => {
    await market.runtime.db
      .transact(async (uow) => {
        uow.mails.add(transferStartedMail, {
          to: { email: `buyer-${cause % 7}@buyer-${cause % 3}.example` },
          of: { partnerId: market.partner.partnerId, environment: 'LIVE' },
          data: {
            orderId: `ord_${cause}`,
            domain: `cause-${cause}.example`,
            buyerName: null,
            at: uow.now.toISOString(),
          },
        });
        // Postgres rejects this text, so the unit of work is rolled back after its mails were written.
        if (fails) uow.jobs.add(sendMailJob, { mailId: '\u0000' });
      })
      .then(
        () => committed.add(cause),
        () => {},
      );
  };
  const write = async () => {
    for (let cause = waiting.shift(); cause !== undefined; cause = waiting.shift()) {
      const fails = trial.whole(1, ROLLED_BACK) === 1;
      await ask(cause, fails);
      if (!fails && trial.whole(1, TWICE) === 1) await ask(cause, false);
      await sleep(trial.whole(0, 40));
    }
  };
  const kill = async () => {
    for (let death = 0; death < deaths; death += 1) {
      await sleep(trial.whole(50, 700));
      if (trial.whole(0, 1) === 0) {
        await outside.smtp.kill();
        await sleep(trial.whole(50, 500));
        outside.smtp.start();
      } else {
        const victim = trial.random.pick(market.workers);
        await victim.kill();
        victim.start();
      }
    }
  };
  await Promise.all([...Array.from({ length: WRITERS }, write), kill()]);
  await untilAnswers(outside.port);
  const from = performance.now();
  await eventually(
    () => market.runtime.db.knex('mails').where({ state: 'queued' }).first('id'),
    (queued) => queued === undefined,
    { withinMs: PATIENCE_MS, everyMs: 200 },
  );
  trial.recovered(performance.now() - from);

  const taken = readFileSync(outside.file, 'utf8').trim().split('\n').filter(Boolean);
  const ids = new Map<string, string[]>();
  for (const line of taken) {
    const { id, subject } = JSON.parse(line);
    ids.set(subject, [...(ids.get(subject) ?? []), id]);
  }
  const wanted = new Set([...committed].map(subjectOf));
  const lost = [...wanted].filter((subject) => !ids.has(subject));
  const unwanted = [...ids.keys()].filter((subject) => !wanted.has(subject));
  const renamed = [...ids].filter(([, all]) => new Set(all).size > 1);
  trial.expect(lost.length === 0, `${lost.length} causes got no mail: ${lost[0]}`);
  trial.expect(unwanted.length === 0, `${unwanted.length} mails without a cause: ${unwanted[0]}`);
  trial.expect(renamed.length === 0, `${renamed.length} mails under two Message-IDs`);
  const states = await market.runtime.db.knex('mails').groupBy('state').select('state').count();
  trial.expect(
    states.length === 1 && states[0]?.state === 'sent',
    `not all were sent: ${JSON.stringify(states)}`,
  );
  trial.count({
    events: wanted.size,
    received: wanted.size - lost.length,
    lost: lost.length,
    duplicates: taken.length - ids.size,
  });
}

/** Waits until the server sends a greeting. A connection that it closes without a word doesn't count. */
function untilAnswers(port: number): Promise<boolean> {
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      const end = (answered: boolean) => {
        resolve(answered);
        socket.destroy();
      };
      socket.setTimeout(1_000, () => end(false));
      socket.once('data', () => end(true));
      socket.once('error', () => end(false)).once('close', () => end(false));
    });
  return eventually(answers, Boolean, { withinMs: PATIENCE_MS });
}

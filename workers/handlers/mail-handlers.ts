import { attachDocuments } from '../../shared/messaging/mail/attach-documents.ts';
import { composeMail, messageIdOf } from '../../shared/messaging/mail/compose-mail.ts';
import {
  beginAttempt,
  findQueuedMail,
  reasonNotToSend,
  recordAttempt,
  recordSuppressed,
} from '../../shared/messaging/mail/deliver-mail.ts';
import { sendMailJob } from '../../shared/messaging/mail/mail.jobs.ts';
import type { Mail } from '../../shared/messaging/mail/mail.ts';
import { MAILS } from '../../shared/operations/mail-catalogue/mail-catalogue.ts';
import { addMs, MINUTE } from '../../shared/platform/clock.ts';
import {
  done,
  giveUp,
  handle,
  type JobContext,
  type Outcome,
  retry,
  snooze,
} from '../runtime/job-handler.ts';

/** The time limit of one attempt: a server may respond every few seconds and never finish. */
const ATTEMPT_MS = 1.5 * MINUTE;

/**
 * Sends one mail. After a crash between the server's response and our record the mail is sent again, under the same
 * Message-ID. Mail that the server temporarily rejects is retried as `mailScheduleMs` says.
 */
export const sendMailHandler = handle(sendMailJob, sendMail);

async function sendMail(
  { runtime, job, signal }: JobContext,
  { mailId }: { mailId: string },
): Promise<Outcome> {
  const mail = await findQueuedMail(runtime, mailId);
  if (!mail) return done();
  const definition: Mail<never> | undefined = MAILS[mail.kind];
  if (!definition) return giveUp(`no mail of this version is called ${mail.kind}`);
  const hindrance = await reasonNotToSend(runtime, mail, definition);
  if (hindrance !== undefined) {
    await recordSuppressed(runtime, job, mailId, hindrance);
    return done();
  }
  const waitMs = await runtime.mailPace.wait(mail.recipient);
  if (waitMs > 0) return snooze(addMs(runtime.clock.now(), waitMs));
  // A retry does not count as another mail.
  const left = mail.attempts === 0 ? await runtime.mailBudget.take(mail, definition) : 0;
  if (typeof left === 'string') {
    await recordSuppressed(runtime, job, mailId, left);
    return done();
  }
  if (left > 0) return snooze(addMs(runtime.clock.now(), left));

  const attempt = await beginAttempt(runtime, mailId, messageIdOf(runtime, mailId));
  if (!attempt) return done();
  const attachments = await attachDocuments(runtime, mail);
  const outgoing = await composeMail(runtime, definition, mail, attempt.messageId, attachments);
  const result = await runtime.mailTransport.send(
    outgoing,
    AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]),
  );
  // The worker is shutting down; another one retries at once.
  if (signal.aborted && result.status === 'failed') return retry(result.reason);
  const { attempts } = attempt;
  const next = await recordAttempt(
    runtime,
    job,
    { mailId, recipient: mail.recipient, attempts },
    result,
  );
  return next ? snooze(next) : done();
}

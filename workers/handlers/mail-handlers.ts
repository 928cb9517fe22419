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

/** A server may answer every few seconds and never come to an end. */
const ATTEMPT_MS = 1.5 * MINUTE;

/**
 * Sends one mail. A crash between the server's word and our record has it sent again, under the same Message-ID.
 * What the server does not take for now is tried again by `mailScheduleMs`.
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
  // Another attempt is no other mail.
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
  // The worker has to go; another one sends it at once.
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

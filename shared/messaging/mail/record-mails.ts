import type { Config } from '../../platform/config/config.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { JobRequest } from '../jobs/job.ts';
import { localeOf } from './letter-format.ts';
import { sendMailJob } from './mail.jobs.ts';
import { insertMails, selectAudiences } from './mail.store.ts';
import { type MailRequest, TOPIC_ROLES, UNSPARED_ROLES } from './mail.ts';

// The unit of work uses this to write the mails added to `uow.mails`.

/** The part of the configuration that decides whether mail is written. */
export type MailPolicy = Pick<Config, 'mail'>;

/**
 * Writes mails, and returns the jobs that send them. An address gets one mail per cause. With MAIL=off, writes
 * nothing.
 */
export async function recordMails(
  tx: Tx,
  requests: readonly MailRequest[],
  { mail }: MailPolicy,
  now: Date,
): Promise<JobRequest[]> {
  if (!mail || requests.length === 0) return [];
  const partnerIds = [...new Set(requests.flatMap(({ of }) => of?.partnerId ?? []))];
  const audiences = await selectAudiences.all(tx, { partnerIds });
  const audienceOf = (partnerId: string | null) =>
    audiences.find((each) => each.partnerId === partnerId);

  const mails = requests.flatMap((request) => {
    const { to, of } = request;
    if (to === 'staff') return addressed(request, audienceOf(null)?.emails ?? []);
    if (to === 'contacts') {
      const { emails = [], members = [] } = audienceOf(of?.partnerId ?? null) ?? {};
      const roles = request.topic ? (TOPIC_ROLES[request.topic] ?? []) : UNSPARED_ROLES;
      const concerned = members.filter(({ role }) => roles.includes(role));
      return addressed(request, [...new Set([...emails, ...concerned.map(({ email }) => email)])]);
    }
    if (request.audience === 'buyer' && !audienceOf(of?.partnerId ?? null)?.buyerMail) return [];
    return addressed(request, [to.email], to.country);
  });
  if (mails.length === 0) return [];
  const rows = mails.map((each) => ({ ...each, id: newId('mail', now) }));
  const written = await insertMails.all(tx, {
    now,
    ids: rows.map(({ id }) => id),
    kinds: rows.map(({ request }) => request.kind),
    causes: rows.map(({ request }) => request.cause),
    recipients: rows.map(({ recipient }) => recipient),
    partnerIds: rows.map(({ request }) => request.of?.partnerId ?? null),
    environments: rows.map(({ request }) => request.of?.environment ?? null),
    data: rows.map(({ request }) => JSON.stringify(request.data)),
    documents: rows.map(({ request }) => JSON.stringify(request.documents)),
    locales: rows.map(({ locale }) => locale),
  });
  return written.map(({ id }) => ({
    queue: sendMailJob.queue,
    name: sendMailJob.name,
    payload: { mailId: id },
    runAt: now,
    dedupeKey: null,
  }));
}

function addressed(request: MailRequest, emails: readonly string[], country?: string | null) {
  const locale = localeOf(country);
  return emails.map((recipient) => ({ request, recipient, locale }));
}

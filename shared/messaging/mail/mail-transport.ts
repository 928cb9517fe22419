import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { pemOf } from '../../platform/config/config.ts';
import type { Database } from '../unit-of-work/database.ts';
import { deleteOldMailboxMessages, insertMailboxMessage } from './mailbox.store.ts';

/** A mail as it leaves: one recipient, every part written. */
export interface OutgoingMail {
  id: string;
  messageId: string;
  date: Date;
  from: { name: string; address: string };
  to: string;
  replyTo: string | null;
  subject: string;
  html: string;
  text: string;
  /** Beside those that every mail has. */
  headers: Readonly<Record<string, string>>;
  attachments: readonly Attachment[];
}

export interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
}

/**
 * What the server made of a mail: it took it; it refuses it for good (`noSuchAddress` when the address is the
 * reason); or it did not take it for now, or did not answer.
 */
export type SendResult =
  | { status: 'accepted'; response: string }
  | { status: 'refused'; reason: string; noSuchAddress: boolean }
  | { status: 'failed'; reason: string };

/** Where mail goes. */
export interface MailTransport {
  /** Never throws for what the server does. The signal ends the attempt, and closes its connection. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}

/** The SMTP server of MAIL_URL; without one, the mailbox of development. */
export function createMailTransport(deps: {
  config: Config;
  db: Database;
  clock: Clock;
}): MailTransport {
  return deps.config.mailUrl === '' ? mailboxTransport(deps) : smtpTransport(deps.config);
}

const MAX_REASON_LENGTH = 300;
/** What RFC 8058 wants signed beside what RFC 6376 recommends. */
const SIGNED_HEADERS =
  'From:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post:Auto-Submitted';

/** A pool of connections, made at the first mail. */
function smtpTransport(config: Config): MailTransport {
  let pool: ReturnType<typeof openPool> | undefined;
  return {
    async send(mail, signal) {
      pool ??= openPool(config);
      try {
        const { response } = await (await pool).sendMail({ ...messageOf(mail), signal });
        return { status: 'accepted', response: trimmed(response) };
      } catch (error) {
        return resultOf(error as SmtpError);
      }
    },
    close() {
      void pool?.then((each) => each.close());
    },
  };
}

async function openPool(config: Config) {
  const { createTransport } = await import('nodemailer');
  const url = new URL(config.mailUrl);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return createTransport({
    pool: true,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    // A password never crosses the network in the clear.
    requireTLS: !secure && (user !== '' || url.searchParams.get('tls') === 'required'),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
    maxConnections: config.mailConnections,
    // What the server did not take is ours to try again, by the schedule.
    maxRequeues: 0,
    dnsTimeout: config.mailTimeoutMs,
    connectionTimeout: config.mailTimeoutMs,
    greetingTimeout: config.mailTimeoutMs,
    socketTimeout: config.mailTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...dkimOf(config),
  });
}

function dkimOf({ mailDkimKey, mailDkimSelector, mailFrom }: Config) {
  if (mailDkimKey === '') return {};
  return {
    dkim: {
      domainName: senderOf(mailFrom).address.split('@')[1] ?? '',
      keySelector: mailDkimSelector,
      privateKey: pemOf(mailDkimKey),
      headerFieldNames: SIGNED_HEADERS,
    },
  };
}

interface SmtpError extends Error {
  /** The code of the SMTP reply; undefined without one. */
  responseCode?: number;
  response?: string;
  /** What was asked when it failed. */
  command?: string;
}

/**
 * Only what the server says about this recipient or this message is final. A 5xx before that (a greeting, a
 * password, a sender that it does not take) is about us, and is mended without the mail being lost.
 */
function resultOf(error: SmtpError): SendResult {
  const { responseCode = 0, command } = error;
  const reason = trimmed(error.response || error.message);
  const isFinal = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
  if (!isFinal) return { status: 'failed', reason };
  return {
    status: 'refused',
    reason,
    noSuchAddress: command === 'RCPT TO' && /\b5\.1\.\d/.test(reason),
  };
}

/** Servers may repeat what they refuse, and who reads the reason must not get a link that acts for the recipient. */
const TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

const trimmed = (text: string) =>
  text.replace(TOKEN, 'withheld').replace(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH);

/** As nodemailer takes it. Names and addresses stay apart, so that neither can pass for the other. */
function messageOf(mail: OutgoingMail) {
  return {
    messageId: mail.messageId,
    date: mail.date,
    from: mail.from,
    to: { name: '', address: mail.to },
    envelope: { from: mail.from.address, to: [mail.to] },
    ...(mail.replyTo !== null && { replyTo: { name: '', address: mail.replyTo } }),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
    attachments: mail.attachments.map((each) => ({ ...each })),
  };
}

/** Messages that the mailbox of development keeps. */
const MAILBOX_KEEPS = 1_000;

/** Keeps mail in our database, for /dev/mail to show; not for production. */
function mailboxTransport({ db, clock }: { db: Database; clock: Clock }): MailTransport {
  return {
    async send(mail) {
      const { createTransport } = await import('nodemailer');
      const writer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await writer.sendMail(messageOf(mail));
      await insertMailboxMessage.run(db.knex, {
        mailId: mail.id,
        recipient: mail.to,
        subject: mail.subject,
        html: mail.html,
        text: mail.text,
        raw: message as Buffer,
        now: clock.now(),
      });
      await deleteOldMailboxMessages.run(db.knex, { keep: MAILBOX_KEEPS });
      return { status: 'accepted', response: 'kept in the mailbox at /dev/mail' };
    },
    close() {},
  };
}

/** The name and the address of a sender such as `Example Domains <mail@example.com>`. */
export function senderOf(mailFrom: string): { name: string; address: string } {
  const [, name = '', address = ''] = /^(.*)<([^>]+)>$/.exec(mailFrom) ?? ['', '', mailFrom];
  if (address === '') return { name: 'Domain marketplace', address: 'mail@localhost' };
  const quoted = /^"(.*)"$/.exec(name.trim())?.[1]?.replace(/\\(.)/g, '$1');
  return { name: quoted ?? (name.trim() || 'Domain marketplace'), address };
}

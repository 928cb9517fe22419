import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { pemOf } from '../../platform/config/config.ts';
import type { Database } from '../unit-of-work/database.ts';
import { deleteOldMailboxMessages, insertMailboxMessage } from './mailbox.store.ts';

/** A fully composed mail to one recipient. */
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
  /** Headers in addition to those that every mail has. */
  headers: Readonly<Record<string, string>>;
  attachments: readonly Attachment[];
}

export interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
}

/**
 * The result of sending a mail: the server accepted it, rejected it permanently (`noSuchAddress` if because of the
 * address), or deferred it or did not answer.
 */
export type SendResult =
  | { status: 'accepted'; response: string }
  | { status: 'refused'; reason: string; noSuchAddress: boolean }
  | { status: 'failed'; reason: string };

/** Sends mail. */
export interface MailTransport {
  /** Sends a mail. Never throws because of the server. The signal aborts the attempt and closes its connection. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}

/** Creates the transport to the SMTP server of MAIL_URL, or to the development mailbox if it is not set. */
export function createMailTransport(deps: {
  config: Config;
  db: Database;
  clock: Clock;
}): MailTransport {
  return deps.config.mailUrl === '' ? mailboxTransport(deps) : smtpTransport(deps.config);
}

const MAX_REASON_LENGTH = 300;
/** The headers to sign: those that RFC 6376 recommends, and those that RFC 8058 requires. */
const SIGNED_HEADERS =
  'From:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post:Auto-Submitted';

/** Creates a transport whose connection pool is opened at the first mail. */
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
    // Never send a password unencrypted.
    requireTLS: !secure && (user !== '' || url.searchParams.get('tls') === 'required'),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
    maxConnections: config.mailConnections,
    // Our own schedule handles retries.
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
  /** The SMTP command that failed. */
  command?: string;
}

/**
 * Maps an SMTP error to a result. Only replies about this recipient or this message are final. An earlier 5xx (to the
 * greeting, login or sender) is a problem on our side, so the mail is kept until it is fixed.
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

/** Matches tokens in replies: servers may quote the mail, and readers of the reason must not get a working link. */
const TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

const trimmed = (text: string) =>
  text.replace(TOKEN, 'withheld').replace(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH);

/** Converts a mail for nodemailer. Names and addresses stay separate, so that neither can pass for the other. */
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

/** The number of messages that the development mailbox keeps. */
const MAILBOX_KEEPS = 1_000;

/** Creates a transport that stores mail in our database for /dev/mail; not for production. */
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

/** Parses the name and address of a sender such as `Example Domains <mail@example.com>`. */
export function senderOf(mailFrom: string): { name: string; address: string } {
  const [, name = '', address = ''] = /^(.*)<([^>]+)>$/.exec(mailFrom) ?? ['', '', mailFrom];
  if (address === '') return { name: 'Domain marketplace', address: 'mail@localhost' };
  const quoted = /^"(.*)"$/.exec(name.trim())?.[1]?.replace(/\\(.)/g, '$1');
  return { name: quoted ?? (name.trim() || 'Domain marketplace'), address };
}

import { integer, mailbox, oneOf, type Section, smtpAddress, text } from './variable.ts';

/** How mail is sent: SMTP server, sender, DKIM signature and rate. */
export const MAIL_SECTIONS = [
  {
    title: 'Mail',
    about: '[operations.md](operations.md#mail)',
    variables: {
      mail: oneOf(
        'MAIL',
        ['on', 'off'],
        'on',
        'Off writes and sends no email. Emails skipped meanwhile are never sent.',
      ),
      mailUrl: smtpAddress(
        'MAIL_URL',
        'SMTP server: smtps:// for TLS from the start, smtp:// for STARTTLS, which a password or `?tls=required` makes mandatory. Empty is the mailbox at /dev/mail. Required in production unless MAIL=off; `none` for processes other than `worker-mail`.',
      ),
      mailFrom: mailbox(
        'MAIL_FROM',
        'Sender, as `Example Domains <mail@example.com>`. Required with MAIL_URL.',
      ),
      mailDkimKey: text(
        'MAIL_DKIM_KEY',
        '',
        'Private key (PEM, or base64 of it) that signs mail with DKIM; empty leaves that to the SMTP server.',
      ),
      mailDkimSelector: text(
        'MAIL_DKIM_SELECTOR',
        '',
        'Selector of the key: its public half is the TXT record of <selector>._domainkey.<domain of MAIL_FROM>.',
      ),
      mailConnections: integer(
        'MAIL_CONNECTIONS',
        4,
        'SMTP connections per worker process. Each sends one email at a time.',
        1,
        100,
      ),
      mailDomainPerMinute: integer(
        'MAIL_DOMAIN_PER_MINUTE',
        300,
        'Emails per minute to addresses of one domain.',
        1,
      ),
      mailPartnerPerDay: integer(
        'MAIL_PARTNER_PER_DAY',
        10_000,
        'Emails per day to the buyers of a partner in an environment. Further ones wait for the next day.',
        1,
      ),
      mailKeepDays: integer(
        'MAIL_KEEP_DAYS',
        90,
        'When emails that were sent, bounced or suppressed are deleted.',
        1,
        3_650,
      ),
    },
  },
] as const satisfies readonly Section[];

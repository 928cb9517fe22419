import { composeForDisplay, type DisplayScope } from '../../messaging/mail/compose-mail.ts';
import type { Mail, MailKind } from '../../messaging/mail/mail.ts';
import type { MailWithBrand } from '../../messaging/mail/mail-settings.ts';
import type { OutgoingMail } from '../../messaging/mail/mail-transport.ts';
import { MAILS } from './mail-catalogue.ts';

/** Composes a mail of a kind with its example data, for display. */
export function previewMail(scope: DisplayScope, kind: MailKind): Promise<OutgoingMail> {
  const { example, audience }: Mail<never> = MAILS[kind];
  const now = new Date('2026-11-22T09:30:00.000Z');
  return showMail(scope, {
    id: 'eml_00000000000000000000000000',
    kind,
    cause: 'preview',
    recipient: 'recipient@example.com',
    partnerId: null,
    environment: 'LIVE',
    data: example,
    documents: [],
    locale: 'en-US',
    state: 'queued',
    attempts: 0,
    messageId: null,
    reason: null,
    createdAt: now,
    finishedAt: null,
    partnerName: audience === 'buyer' ? 'Larkspur' : null,
    displayName: null,
    supportEmail: audience === 'buyer' ? 'help@partner.example' : null,
    accentColor: null,
    partnerApproved: true,
  });
}

/** Composes a stored mail, for display. */
export function showMail(scope: DisplayScope, mail: MailWithBrand): Promise<OutgoingMail> {
  return composeForDisplay(scope, MAILS[mail.kind], mail);
}

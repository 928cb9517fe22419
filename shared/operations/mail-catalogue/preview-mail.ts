import { type ComposeScope, composeMail, messageIdOf } from '../../delivery/mail/compose-mail.ts';
import type { Mail, MailKind } from '../../delivery/mail/mail.ts';
import type { MailWithBrand } from '../../delivery/mail/mail-settings.ts';
import type { OutgoingMail } from '../../delivery/mail/mail-transport.ts';
import { MAILS } from './mail-catalogue.ts';

/** A mail of a kind as it would leave, with the data of its example. */
export function previewMail(scope: ComposeScope, kind: MailKind): Promise<OutgoingMail> {
  const { example, audience }: Mail<never> = MAILS[kind];
  const now = new Date('2026-11-22T09:30:00.000Z');
  return composeStored(scope, {
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
  });
}

/** A mail that was written, as it would leave now. */
export function composeStored(scope: ComposeScope, mail: MailWithBrand): Promise<OutgoingMail> {
  const messageId = mail.messageId ?? messageIdOf(scope, mail.id);
  return composeMail(scope, MAILS[mail.kind], mail, messageId, []);
}

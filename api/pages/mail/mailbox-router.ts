import { Router } from 'express';
import {
  documentSummary,
  type IssuedDocument,
} from '../../../shared/messaging/documents/document.ts';
import { findAttachedDocuments } from '../../../shared/messaging/mail/attach-documents.ts';
import {
  listMailbox,
  type MailboxMessage,
  readMailboxMessage,
} from '../../../shared/messaging/mail/mailbox.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { sendDocument } from '../../http/pdf.ts';
import { errorPage } from '../kit/error-page.ts';
import { timestamp } from '../kit/format.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { pageHeaders } from '../kit/page-headers.ts';
import { documentLinks, link } from '../kit/page-parts.ts';
import { realPageNow } from '../kit/page-time.ts';
import { table } from '../kit/table.ts';
import { sendMailFrame } from './mail-frame.ts';

const MAILBOX = 'Mailbox';
const SHOWN = 200;

/** Serves the development mailbox: all mail that would have been sent. Production does not have it. */
export function mailboxRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true });
  router.use(pageHeaders('mailbox'), (_req, res, next) => {
    res.locals.route = '/dev/mail';
    next();
  });
  const messageOf = (id: string) => {
    if (!/^\d{1,15}$/.test(id)) throw fail('not_found');
    return readMailboxMessage(runtime, Number(id));
  };

  router.get('/', async (_req, res) => {
    const messages = await listMailbox(runtime, SHOWN);
    const now = realPageNow(runtime);
    const content = html`<h1>${MAILBOX}</h1>
<p>Emails that this development server would have sent. Nothing here left this machine.</p>
${table(
  'Messages, newest first',
  ['Subject', 'To', 'When'],
  messages.map(({ id, subject, recipient, receivedAt }) => [
    link(`/dev/mail/${id}`, subject),
    recipient,
    timestamp(receivedAt, now),
  ]),
  'No mail yet. Buy a domain in the sample shop, and its emails arrive here.',
)}`;
    res.type('html').send(page(MAILBOX, content));
  });
  router.get('/:id', async (req, res) => {
    const message = await messageOf(req.params.id);
    const documents = await findAttachedDocuments(runtime, message.mailId);
    res.type('html').send(page(message.subject, messageView(message, documents)));
  });
  router.get('/:id/documents/:document', async (req, res) => {
    const { mailId } = await messageOf(req.params.id);
    const documents = await findAttachedDocuments(runtime, mailId);
    const wanted = documents.find(({ id }) => id === req.params.document);
    await sendDocument(runtime, res, wanted);
  });
  router.get('/:id/html', async (req, res) => {
    sendMailFrame(res, (await messageOf(req.params.id)).html);
  });
  router.get('/:id/raw', async (req, res) => {
    res.type('text/plain').send((await messageOf(req.params.id)).raw.toString());
  });
  router.use(() => {
    throw fail('not_found');
  });
  router.use(
    errorPage({
      log: runtime.log,
      render: ({ title, text }) => page(title, html`<h1>${title}</h1><p>${text}</p>`),
    }),
  );
  return router;
}

function messageView(
  { id, subject, html: _markup, text, raw }: MailboxMessage,
  documents: readonly IssuedDocument[],
): Markup {
  const [headers = ''] = raw.toString().split('\r\n\r\n', 1);
  return html`<p>${link('/dev/mail', 'All messages')}</p>
<h1>${subject}</h1>
${documentLinks(documents.map(documentSummary), (_kind, document) => `/dev/mail/${id}/documents/${document}`)}
<h2>HTML</h2>
<iframe class="mail" title="The message as HTML" src="/dev/mail/${id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
<h2>Text</h2>
<pre>${linked(text)}</pre>
<h2>Headers</h2>
<pre>${headers}</pre>
<p>${link(`/dev/mail/${id}/raw`, 'The whole message')}</p>`;
}

/** Returns text with clickable URLs. */
function linked(text: string): Markup {
  const parts = text.split(/(https?:\/\/\S+)/);
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<a href="${part}">${part}</a>` : part))}`;
}

function page(title: string, content: Markup): string {
  return htmlDocument({
    title: title === MAILBOX ? title : `${title} · ${MAILBOX}`,
    styles: ['mailbox.css'],
    content: html`<main>${content}</main>`,
  });
}

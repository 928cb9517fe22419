import { Type } from 'typebox';
import { MAIL_KINDS, MAIL_TOPICS } from '../../../../shared/messaging/mail/mail.ts';
import {
  listMails,
  listSuppressions,
  readMail,
  type StoredMail,
} from '../../../../shared/messaging/mail/mail-settings.ts';
import { MAILS } from '../../../../shared/operations/mail-catalogue/mail-catalogue.ts';
import {
  previewMail,
  showMail,
} from '../../../../shared/operations/mail-catalogue/preview-mail.ts';
import { fail } from '../../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { choicesOf, inputFilter, selectFilter } from '../../../pages/kit/form.ts';
import { humanize, timestamp } from '../../../pages/kit/format.ts';
import { descriptionList, emptyValue, link, section, tabs } from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { numberColumn, table } from '../../../pages/kit/table.ts';
import { actionLink } from '../action-links.ts';
import { consolePage, IdField, requireId } from '../console-page.ts';
import { mailPath, partnerPath } from '../console-paths.ts';
import { listInRealTime } from '../list-page.ts';

const STATES = ['queued', 'sent', 'bounced', 'suppressed'] as const;
const PATH = '/ops/mail';
const views = (current: 'mails' | 'suppressions' | 'templates') =>
  tabs('Mail', [
    { text: 'Emails', href: PATH, current: current === 'mails' },
    {
      text: 'Suppression list',
      href: `${PATH}/suppressions`,
      current: current === 'suppressions',
    },
    { text: 'Templates', href: `${PATH}/templates`, current: current === 'templates' },
  ]);

/** Mails with a status or to an address. */
export const mailsPage = listInRealTime({
  path: '/mail',
  title: 'Mail',
  section: 'mail',
  filters: {
    state: Type.Optional(Type.Enum([...STATES])),
    email: Type.Optional(Type.String({ maxLength: 254 })),
  },
  sorts: ['newest', 'oldest'],
  read: (context, { state = null, email = null }, page) =>
    listMails(context, { state, recipient: email }, page),
  above: () => views('mails'),
  form: ({ state = null, email = null }) => ({
    fields: [
      selectFilter('state', 'State', choicesOf(STATES), state),
      inputFilter('email', 'Recipient', email, 254),
    ],
  }),
  dates: 'Created',
  caption: 'Emails',
  columns: () => [
    {
      title: 'Email',
      cell: (mail) => html`${link(mailPath(mail.id), humanize(mail.kind))} ${environmentOf(mail)}`,
    },
    { title: 'Recipient', cell: ({ recipient }) => recipient },
    {
      title: 'State',
      cell: ({ state, reason }) =>
        html`${statusBadge(state)}${reason !== null && state !== 'sent' && html`<span class="sub">${reason}</span>`}`,
    },
    { ...numberColumn('Attempts'), cell: ({ attempts }) => attempts },
    {
      title: 'Created',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No emails.',
  more: 'More emails',
  csv: {
    id: ({ id }) => id,
    kind: ({ kind }) => kind,
    recipient: ({ recipient }) => recipient,
    environment: ({ environment }) => environment,
    partner_id: ({ partnerId }) => partnerId,
    state: ({ state }) => state,
    reason: ({ reason }) => reason,
    attempts: ({ attempts }) => attempts,
    created_at: ({ createdAt }) => createdAt.toISOString(),
    finished_at: ({ finishedAt }) => finishedAt?.toISOString() ?? null,
  },
});

const environmentOf = ({ environment }: StoredMail) => environment && environmentTag(environment);

/** One mail as it was written, and its delivery. */
export const mailPage = consolePage({
  path: '/mail/:mail',
  input: Type.Object({ mail: IdField }),
  async show(context, { mail: id }) {
    requireId('mail', id, 'No email has this ID.');
    const mail = await readMail(context, id);
    const outgoing = await showMail({ config: context.config }, mail);
    const path = mailPath(id);
    const ended = mail.state === 'bounced' || mail.state === 'suppressed';
    return {
      title: outgoing.subject,
      section: 'mail',
      content: html`${descriptionList([
        ['State', html`${statusBadge(mail.state)} ${mail.reason}`],
        ['Kind', humanize(mail.kind)],
        ['Recipient', link(`${PATH}?email=${encodeURIComponent(mail.recipient)}`, mail.recipient)],
        ['Environment', environmentOf(mail) || emptyValue()],
        [
          'Partner',
          mail.partnerId === null
            ? emptyValue()
            : link(partnerPath(mail.partnerId), mail.partnerName ?? mail.partnerId),
        ],
        ['Cause', html`<span class="id">${mail.cause}</span>`],
        ['Message-ID', html`<span class="id">${mail.messageId ?? 'not sent yet'}</span>`],
        ['Attempts', String(mail.attempts)],
        ['Created', timestamp(mail.createdAt, context.now)],
        ['Ended', mail.finishedAt ? timestamp(mail.finishedAt, context.now) : emptyValue()],
      ])}
${ended && actionLink(context, { form: 'mail-resend', about: mail.recipient, given: { mail: id }, back: path })}
${shown(`${path}/html`, outgoing.text)}`,
    };
  },
});

/** Addresses that get no email, and why. */
export const suppressionsPage = listInRealTime({
  path: '/mail/suppressions',
  title: 'Suppression list',
  section: 'mail',
  filters: {},
  sorts: ['newest', 'oldest'],
  read: (context, _filters, page) => listSuppressions(context, page),
  cursor: {
    read(text: string) {
      const [topic = '', ...email] = text.split(' ');
      return { topic, email: email.join(' ') };
    },
    write: ({ topic, email }) => `${topic} ${email}`,
  },
  above: () => views('suppressions'),
  form: () => ({ fields: [] }),
  dates: 'Since',
  intro: () =>
    html`<code>npm run ops -- mail:suppress</code> adds an address, <code>mail:allow</code> removes it.`,
  caption: 'Addresses that get no email',
  columns: () => [
    { title: 'Address', cell: ({ email }) => email },
    { title: 'Topic', cell: ({ topic }) => topic },
    { title: 'Reason', cell: ({ reason }) => humanize(reason) },
    {
      title: 'Since',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'Every address gets email.',
  more: 'More addresses',
  csv: {
    email: ({ email }) => email,
    topic: ({ topic }) => topic,
    reason: ({ reason }) => reason,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** Every kind of mail. */
export const mailTemplatesPage = consolePage({
  path: '/mail/templates',
  input: Type.Object({}),
  async show() {
    return {
      title: 'Email templates',
      section: 'mail',
      content: html`${views('templates')}
${table(
  'Kinds of email',
  ['Email', 'To', 'Can be unsubscribed'],
  MAIL_KINDS.map((kind) => [
    link(`${PATH}/templates/${kind}`, humanize(kind)),
    humanize(MAILS[kind].audience),
    MAILS[kind].topic === null ? 'No' : MAIL_TOPICS[MAILS[kind].topic],
  ]),
  'No emails.',
)}`,
    };
  },
});

/** One kind of mail, with example data. */
export const mailTemplatePage = consolePage({
  path: '/mail/templates/:kind',
  input: Type.Object({ kind: IdField }),
  async show(context, { kind: name }) {
    const kind = MAIL_KINDS.find((each) => each === name);
    if (kind === undefined) throw fail('not_found', { message: 'No email has this name.' });
    const outgoing = await previewMail({ config: context.config }, kind);
    return {
      title: humanize(kind),
      section: 'mail',
      content: html`${views('templates')}
${descriptionList([
  ['Subject', outgoing.subject],
  ['From', `${outgoing.from.name} <${outgoing.from.address}>`],
])}
${shown(`${PATH}/templates/${kind}/html`, outgoing.text)}`,
    };
  },
});

function shown(frame: string, text: string): Markup {
  return html`<p>Links here have no token: only the recipient can use them.</p>
${section('HTML', html`<iframe class="mail" title="The email as HTML" src="${frame}" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`)}
${section('Text', html`<pre class="mail" tabindex="0">${text}</pre>`)}`;
}

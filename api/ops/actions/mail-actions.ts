import { Type } from 'typebox';
import { EVERY_TOPIC, MAIL_TOPICS } from '../../../shared/messaging/mail/mail.ts';
import {
  listContacts,
  listMails,
  listSuppressions,
  listSuppressionsOf,
} from '../../../shared/messaging/mail/mail-settings.ts';
import {
  addContactForOps,
  allowForOps,
  changeBrand,
  removeContactForOps,
  resendMail,
  suppressForOps,
} from '../../../shared/people/partners/change-mail-settings.ts';
import { readPartner } from '../../../shared/people/partners/read-partners.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { COLOR } from '../../../shared/platform/json-schema.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import {
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  opsAction,
  PartnerField,
  placeBefore,
  route,
  SUPPORT,
} from '../ops-action.ts';

const EmailField = Type.String({ maxLength: 254, description: 'Email address.' });
const TopicField = Type.Enum([EVERY_TOPIC, ...Object.keys(MAIL_TOPICS)], {
  description: 'Which notices. `all` means every email.',
});
const OfWhom = {
  partner: Type.Optional(PartnerField),
  staff: Type.Optional(Type.Boolean({ description: 'Staff instead of a partner.' })),
};

/** Returns the partner, or null for staff. @throws validation_error for neither or both */
function ownerOf({ partner, staff }: { partner?: string; staff?: boolean }): string | null {
  if ((partner !== undefined) === (staff === true)) {
    throw invalid([
      { path: '/partner', message: 'is required without staff, and not allowed with it' },
    ]);
  }
  return partner ?? null;
}

const mailList = opsAction({
  name: 'mail:list',
  summary: 'List emails, newest first',
  columns: ['mail_id', 'kind', 'recipient', 'state', 'reason'],
  input: Type.Object({
    state: Type.Optional(
      Type.Enum(['queued', 'sent', 'bounced', 'suppressed'], { description: 'Only this state.' }),
    ),
    email: Type.Optional(EmailField),
    limit: limitField(),
    before: Type.Optional(Type.String({ description: 'Only emails older than this ID.' })),
  }),
  async run(context, { state, email, limit = DEFAULT_LIMIT, before }) {
    const { rows, next } = await listMails(
      context,
      { state: state ?? null, recipient: email ?? null },
      { ...firstPage('newest', limit), after: placeBefore('mail', before) },
    );
    return {
      mails: rows.map((mail) => ({
        mail_id: mail.id,
        kind: mail.kind,
        recipient: mail.recipient,
        state: mail.state,
        attempts: mail.attempts,
        reason: mail.reason,
        created_at: mail.createdAt,
        finished_at: mail.finishedAt,
      })),
      ...(next !== null && { next_before: next }),
    };
  },
});

export const mailResend = opsAction({
  name: 'mail:resend',
  summary: 'Resend an email that bounced or was suppressed',
  input: Type.Object({ mail: Type.String({ description: 'Email ID (eml_...).' }) }),
  async run(context, { mail }) {
    await resendMail(context, context.actor, mail);
    return { mail_id: mail, state: 'queued' };
  },
});

const mailSuppressions = opsAction({
  name: 'mail:suppressions',
  summary: 'List addresses that get no email, and why',
  columns: ['email', 'topic', 'reason', 'created_at'],
  input: Type.Object({ email: Type.Optional(EmailField), limit: limitField() }),
  async run(context, { email, limit = DEFAULT_LIMIT }) {
    const found =
      email === undefined
        ? (await listSuppressions(context, firstPage('newest' as const, limit))).rows
        : await listSuppressionsOf(context, email);
    return {
      suppressions: found.map(({ createdAt, ...each }) => ({ ...each, created_at: createdAt })),
    };
  },
});

const mailSuppress = opsAction({
  name: 'mail:suppress',
  summary: 'Suppress email to an address, for one topic or all',
  input: Type.Object({ email: EmailField, topic: TopicField }),
  run: (context, input) => suppressForOps(context, context.actor, input),
});

const mailAllow = opsAction({
  name: 'mail:allow',
  summary: 'Take an address off the suppression list',
  input: Type.Object({ email: EmailField, topic: TopicField }),
  run: (context, input) => allowForOps(context, context.actor, input),
});

const contactAdd = opsAction({
  name: 'contact:add',
  summary: 'Add a notification address of a partner or of staff',
  input: Type.Object({ ...OfWhom, email: EmailField }),
  async run(context, { email, ...whom }) {
    const partner = ownerOf(whom);
    const address = await addContactForOps(context, context.actor, partner, email);
    return { partner_id: partner, email: address };
  },
});

const contactRemove = opsAction({
  name: 'contact:remove',
  summary: 'Remove a notification address of a partner or of staff',
  input: Type.Object({ ...OfWhom, email: EmailField }),
  async run(context, { email, ...whom }) {
    const partner = ownerOf(whom);
    const address = await removeContactForOps(context, context.actor, partner, email);
    return { partner_id: partner, email: address };
  },
});

const contactList = opsAction({
  name: 'contact:list',
  summary: 'List the notification addresses of a partner or of staff',
  input: Type.Object(OfWhom),
  async run(context, whom) {
    const partner = ownerOf(whom);
    if (partner !== null) await readPartner(context, partner);
    return { partner_id: partner, emails: await listContacts(context, partner) };
  },
});

const LinkField = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, description: `${description} An https address.` });

const partnerBrand = opsAction({
  name: 'partner:brand',
  summary: 'Set how a partner appears to its buyers, and whether they get email',
  input: Type.Object({
    partner: PartnerField,
    display_name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 60, description: 'The name that buyers know.' }),
    ),
    support_email: Type.Optional(
      Type.String({ maxLength: 254, description: 'Support address for buyers. Replies go there.' }),
    ),
    accent_color: Type.Optional(
      Type.String({ pattern: COLOR, description: 'Color of buttons, such as #3346d3.' }),
    ),
    logo_url: Type.Optional(LinkField('Logo on their pages.')),
    support_url: Type.Optional(LinkField('Help page that their pages link to.')),
    terms_url: Type.Optional(LinkField('Terms that their pages link to.')),
    buyer_mail: Type.Optional(
      Type.Enum(['on', 'off'], { description: 'Whether we email its buyers.' }),
    ),
  }),
  async run(context, { partner, buyer_mail, ...given }) {
    const { display_name, support_email, accent_color, logo_url, support_url, terms_url } = given;
    const brand = await changeBrand(context, context.actor, {
      partnerId: partner,
      ...(display_name !== undefined && { displayName: display_name }),
      ...(support_email !== undefined && { supportEmail: support_email }),
      ...(accent_color !== undefined && { accentColor: accent_color }),
      ...(logo_url !== undefined && { logoUrl: logo_url }),
      ...(support_url !== undefined && { supportUrl: support_url }),
      ...(terms_url !== undefined && { termsUrl: terms_url }),
      ...(buyer_mail !== undefined && { buyerMail: buyer_mail === 'on' }),
    });
    return {
      partner_id: partner,
      display_name: brand.displayName,
      support_email: brand.supportEmail,
      accent_color: brand.accentColor,
      logo_url: brand.logoUrl,
      support_url: brand.supportUrl,
      terms_url: brand.termsUrl,
      buyer_mail: brand.buyerMail ? 'on' : 'off',
    };
  },
});

export const mailRoutes = [
  route('GET', '/mails', 200, mailList, EVERYONE, HARMLESS),
  route('POST', '/mails/:mail/resend', 202, mailResend, SUPPORT, HARMLESS),
  route('GET', '/mail-suppressions', 200, mailSuppressions, EVERYONE, HARMLESS),
  route('POST', '/mail-suppressions', 200, mailSuppress, SUPPORT, HARMLESS),
  route('POST', '/mail-suppressions/remove', 200, mailAllow, SUPPORT, HARMLESS),
  route('GET', '/contacts', 200, contactList, EVERYONE, HARMLESS),
  route('POST', '/contacts', 200, contactAdd, SUPPORT, DANGEROUS),
  route('POST', '/contacts/remove', 200, contactRemove, SUPPORT, DANGEROUS),
  route('POST', '/partners/:partner/brand', 200, partnerBrand, SUPPORT, DANGEROUS),
];

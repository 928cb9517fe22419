import { Type } from 'typebox';
import {
  readCredentials,
  type SealedCredential,
} from '../../../../shared/people/partners/read-credentials.ts';
import { listPartnersPage, readPartner } from '../../../../shared/people/partners/read-partners.ts';
import {
  type ActionLink,
  actionLink,
  actionLinks,
  descriptionList,
  pager,
  section,
  table,
} from '../../../pages/kit/components.ts';
import {
  auditPath,
  badge,
  environmentTag,
  humanize,
  link,
  partnerPath,
  pathWith,
  percent,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html, type Markup } from '../../../pages/kit/html.ts';
import type { OpsAnswer } from '../../ops-action.ts';
import { CursorField, consolePage, IdField, PAGE_SIZE, requireId } from '../console-page.ts';

/** The partner accounts, newest first. */
export const partnersPage = consolePage({
  path: '/partners',
  input: Type.Object({ cursor: CursorField }),
  async show(context, { cursor = null }) {
    const { partners, next } = await listPartnersPage(context, {
      before: cursor,
      limit: PAGE_SIZE,
    });
    return {
      title: 'Partners',
      section: 'partners',
      content: html`${actionLinks([{ form: 'partner-create', text: 'Open an account', given: {} }])}
${table(
  'Partners, the newest first',
  [
    'Name',
    'Status',
    { title: 'Commission', number: true },
    'Settles',
    { title: 'Live keys', number: true },
    { title: 'Sandbox keys', number: true },
    'Affiliate',
    'Since',
  ],
  partners.map((partner) => [
    link(partnerPath(partner.id), partner.name),
    badge(partner.status),
    percent(partner.commissionBps),
    humanize(partner.settlementPeriod),
    partner.liveKeys,
    partner.sandboxKeys,
    partner.affiliateId ? 'Yes' : 'No',
    timestamp(partner.createdAt, context.now),
  ]),
  'There is no partner yet.',
)}
${pager('/ops/partners', { cursor: next }, 'Earlier accounts', cursor === null)}`,
    };
  },
});

/** One partner with its key pairs, never with a secret. */
export const partnerPage = consolePage({
  path: '/partners/:partner',
  input: Type.Object({ partner: IdField }),
  async show(context, { partner: id }) {
    requireId('partner', id, 'No partner has this id.');
    const [partner, credentials] = await Promise.all([
      readPartner(context, id),
      readCredentials(context, id),
    ]);
    const given = { partner: id };
    const { now } = context;
    return {
      title: partner.name,
      section: 'partners',
      content: html`${actionLinks([
        { form: 'credential-create', text: 'Issue a key pair', given, tone: 'main' },
        partner.status === 'active'
          ? { form: 'partner-suspend', text: 'Suspend', given, tone: 'danger' }
          : { form: 'partner-resume', text: 'Resume', given },
      ])}
${descriptionList([
  ['Status', badge(partner.status)],
  ['Commission', percent(partner.commissionBps)],
  ['Settles', humanize(partner.settlementPeriod)],
  ['Affiliate account', partner.affiliateId],
  ['Since', timestamp(partner.createdAt, now)],
  ['Partner', html`<span class="id">${partner.id}</span>`],
])}
${section(
  'Key pairs',
  table(
    'Key pairs, the oldest first',
    ['Key id', 'Environment', 'Status', 'Scopes', 'Issued', { title: 'Actions', quiet: true }],
    credentials.map((credential) => [
      html`<span class="id">${credential.keyId}</span>`,
      environmentTag(credential.environment),
      statusOf(credential, now),
      credential.scopes.join(', '),
      timestamp(credential.createdAt, now),
      credential.status === 'active' ? keyActs(credential).map(actionLink) : '',
    ]),
    'It has no key pair yet.',
  ),
)}
${section(
  'Elsewhere',
  html`<ul>
<li><a href="${pathWith('/ops/orders', { partner: id })}">Its orders</a></li>
<li><a href="${pathWith('/ops/settlements', { partner: id })}">Its settlements</a></li>
<li>Its webhooks: <a href="/ops/webhooks/LIVE/${id}">live</a>, <a href="/ops/webhooks/SANDBOX/${id}">sandbox</a></li>
<li><a href="${auditPath(id)}">The audit trail of the account</a></li>
</ul>`,
)}`,
    };
  },
});

function statusOf({ status, expiresAt, revokedAt }: SealedCredential, now: Date): Markup {
  if (revokedAt) return html`${badge(status)}<span class="sub">${timestamp(revokedAt, now)}</span>`;
  if (expiresAt === null) return badge(status);
  const over = expiresAt <= now;
  return html`${badge(over ? 'expired' : 'active')}<span class="sub">${over ? 'since' : 'until'} ${timestamp(expiresAt, now)}</span>`;
}

function keyActs(credential: SealedCredential): ActionLink[] {
  const given = { key_id: credential.keyId };
  const about = credential.keyId;
  const revoke: ActionLink = {
    form: 'credential-revoke',
    text: 'Revoke',
    about,
    given,
    tone: 'danger',
  };
  const rotate: ActionLink = { form: 'credential-rotate', text: 'Rotate', about, given };
  return credential.expiresAt ? [revoke] : [rotate, revoke];
}

/** A key pair with its secret, for the one page that may show it. */
export function newKeyPairNotice(answer: OpsAnswer): Markup {
  const previous = answer.previous as { key_id: string; expires_at: Date } | undefined;
  return html`<div class="secret" role="status" tabindex="-1" autofocus>
<p><strong>Copy the secret now.</strong> It is shown this once; nobody can read it again.</p>
<p>Key id: <code>${answer.key_id}</code></p>
<p>Secret: <code>${answer.secret}</code></p>
</div>
${descriptionList([
  ['Environment', answer.environment],
  ['Scopes', (answer.scopes as readonly string[]).join(', ')],
  ['The old pair', previous?.key_id],
  ['is good until', previous?.expires_at.toISOString()],
])}`;
}

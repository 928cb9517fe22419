import type { PartnerOfMember } from '../../../shared/people/members/manage-members.ts';
import {
  type IssuedKeyPair,
  MAX_KEY_NAME,
  SCOPES,
} from '../../../shared/people/partners/credential.ts';
import type { StoredCredential } from '../../../shared/people/partners/read-credentials.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { checkboxes, confirmButton, inputField, selectField } from '../kit/form.ts';
import { humanize, timestamp } from '../kit/format.ts';
import { badge, descriptionList, link, notice, section } from '../kit/page-parts.ts';
import type { PageNow } from '../kit/page-time.ts';
import { table } from '../kit/table.ts';
import { siteBase } from './site-layout.ts';

/** How long an old key can stay valid beside its successor. */
export const OVERLAPS = [
  { hours: 0, text: 'Stop the old key now' },
  { hours: 24, text: '1 day' },
  { hours: 72, text: '3 days' },
  { hours: 168, text: '7 days' },
] as const;

/** Lists the partners that someone works for. */
export function partnerList(partners: readonly PartnerOfMember[]): Markup {
  return html`${table(
    'Partners that you work for',
    ['Partner', 'Your role'],
    partners.map(({ partnerId, name, role }) => [
      link(`/partner/${partnerId}`, name),
      humanize(role),
    ]),
    'You don’t work for a partner yet. Open an account of your own, or ask for an invitation.',
  )}
<p class="acts"><a class="button" href="/account/sign-up">Open a partner account</a></p>`;
}

const pathOf = ({ partnerId, keyId }: { partnerId: string; keyId: string }) =>
  `/partner/${partnerId}/keys/${keyId}`;

/** Lists a partner's keys, with the form for members who may create one. */
export function keyList(page: {
  partnerId: string;
  credentials: readonly StoredCredential[];
  may: boolean;
  now: PageNow;
}): Markup {
  const { partnerId, credentials, may, now } = page;
  const list = table(
    'Keys, oldest first',
    ['Key', 'Environment', 'Status', 'Scopes', 'Last used'],
    credentials.map((key) => [
      html`${link(pathOf(key), key.name ?? 'Unnamed key')}<br><code>${key.keyId}</code>`,
      key.environment,
      statusOf(key, now),
      key.scopes.join(', '),
      key.lastUsedAt ? timestamp(key.lastUsedAt, now) : 'Never',
    ]),
    'No keys yet.',
  );
  return html`${list}
${may && section('New key', newKeyForm(`/partner/${partnerId}/keys`))}`;
}

function isOver({ status, expiresAt }: StoredCredential, now: PageNow): boolean {
  return status === 'revoked' || (expiresAt !== null && expiresAt <= now);
}

function statusOf(key: StoredCredential, now: PageNow): Markup {
  const { status, expiresAt } = key;
  if (status === 'revoked') return badge('neutral', 'Revoked');
  if (isOver(key, now)) return badge('neutral', 'Expired');
  return html`${badge('good', 'Active')}${expiresAt && html`<br>until ${timestamp(expiresAt, now)}`}`;
}

/** Shows one key: its scopes and allowed addresses, with the forms for members who may change it. */
export function keyPage(page: { key: StoredCredential; may: boolean; now: PageNow }): Markup {
  const { key, may, now } = page;
  const path = pathOf(key);
  const requests = `${siteBase(key.partnerId, key.environment)}/requests?key=${key.keyId}`;
  return html`<p>${link(`/partner/${key.partnerId}/keys`, 'All keys')} · ${link(requests, 'Its requests')}</p>
${descriptionList([
  ['Key ID', html`<code>${key.keyId}</code>`],
  ['Environment', key.environment],
  ['Status', statusOf(key, now)],
  ['Scopes', key.scopes.join(', ')],
  ['Allowed addresses', key.allowedIps?.join(', ') ?? 'Any'],
  ['Issued', timestamp(key.createdAt, now)],
  ['Last used', key.lastUsedAt ? timestamp(key.lastUsedAt, now) : 'Never'],
  [
    'Replaced by',
    key.replacedBy && link(pathOf({ ...key, keyId: key.replacedBy }), key.replacedBy),
  ],
])}
${
  may &&
  !isOver(key, now) &&
  html`${section('Settings', changeForm(`${path}/change`, key))}
${key.replacedBy === null && section('Rotate', rotateForm(`${path}/rotate`), 'A new key gets the same settings. Both work until the overlap ends.')}
${section(
  'Revoke',
  confirmButton({
    action: `${path}/revoke`,
    text: 'Revoke',
    question: `Anything that uses ${key.name ?? key.keyId} stops working at once. This cannot be undone.`,
  }),
  'Requests that it signs are rejected right away.',
)}`
}`;
}

function settingFields(key?: StoredCredential): Markup {
  return html`${inputField({
    name: 'name',
    label: 'Name',
    hint: 'What uses it, such as “Shop, production”.',
    optional: true,
    value: key?.name ?? '',
    attributes: { maxlength: MAX_KEY_NAME, autocomplete: 'off' },
  })}
${checkboxes({
  name: 'scope',
  label: 'Scopes',
  choices: SCOPES.map((value) => ({ value, text: value })),
  chosen: key?.scopes ?? SCOPES,
})}
${inputField({
  name: 'allowed_ips',
  label: 'Allowed addresses',
  hint: 'Such as 192.0.2.7, 2001:db8::/48. Empty for any.',
  optional: true,
  value: key?.allowedIps?.join(', ') ?? '',
  attributes: { maxlength: 1_000, autocomplete: 'off' },
})}`;
}

function newKeyForm(path: string): Markup {
  return html`<form class="ask" method="post" action="${path}">
${selectField({
  name: 'environment',
  label: 'Environment',
  choices: ['SANDBOX', 'LIVE'].map((value) => ({ value, text: value })),
  chosen: 'SANDBOX',
})}
${settingFields()}
${selectField({
  name: 'expires',
  label: 'Expires',
  choices: [30, 90, 365].map((days) => ({ value: String(days), text: `In ${days} days` })),
  none: 'Never',
  chosen: null,
})}
<p class="acts"><button class="primary" type="submit">Create key</button></p>
</form>`;
}

function changeForm(action: string, key: StoredCredential): Markup {
  return html`<form class="ask" method="post" action="${action}">
${settingFields(key)}
<p class="acts"><button class="primary" type="submit">Save</button></p>
</form>`;
}

function rotateForm(action: string): Markup {
  return html`<form class="ask" method="post" action="${action}">
${selectField({
  name: 'overlap',
  label: 'Overlap',
  choices: OVERLAPS.map(({ hours, text }) => ({ value: String(hours), text })),
  chosen: '24',
})}
<p class="acts"><button type="submit">Rotate</button></p>
</form>`;
}

/** Shows a secret, on the only page that may show it. */
export function newSecret({ partnerId, keyId, secret }: IssuedKeyPair): Markup {
  return html`${notice({
    tone: 'wait',
    focus: true,
    content: html`<p><strong>Copy the secret now.</strong> It is shown only this once.</p>
<p>Key ID: <code>${keyId}</code></p>
<p>Secret: <code>${secret}</code></p>`,
  })}
<p class="acts"><a class="button primary" href="/partner/${partnerId}/keys">I saved the secret</a></p>`;
}

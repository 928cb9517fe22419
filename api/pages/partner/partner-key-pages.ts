import type { PartnerOfMember } from '../../../shared/people/members/members.ts';
import { SCOPES } from '../../../shared/people/partners/credential.ts';
import type { SealedCredential } from '../../../shared/people/partners/read-credentials.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { checkboxes, selectField } from '../kit/form.ts';
import { humanize, timestamp } from '../kit/format.ts';
import { badge, link, notice, section } from '../kit/page-parts.ts';
import { ACTIONS, table } from '../kit/table.ts';

/** The partners that somebody works for. */
export function partnerList(partners: readonly PartnerOfMember[]): Markup {
  return html`${table(
    'Partners that you work for',
    ['Partner', 'Your role'],
    partners.map(({ partnerId, name, role }) => [
      link(`/partner/${partnerId}/keys`, name),
      humanize(role),
    ]),
    'You work for no partner yet. Open an account of your own, or ask for an invitation.',
  )}
<p class="acts"><a class="button" href="/account/sign-up">Open a partner account</a></p>`;
}

/** A partner's keys, and for those who may change them the forms. */
export function keyList(page: {
  partnerId: string;
  credentials: readonly SealedCredential[];
  may: boolean;
  now: Date;
}): Markup {
  const { partnerId, credentials, may, now } = page;
  const path = `/partner/${partnerId}/keys`;
  const list = table(
    'Keys, oldest first',
    ['Key', 'Environment', 'Scopes', 'Status', 'Issued', ...(may ? [ACTIONS] : [])],
    credentials.map(({ keyId, environment, scopes, status, expiresAt, createdAt }) => {
      const over = status === 'revoked' || (expiresAt !== null && expiresAt <= now);
      const state = status === 'revoked' ? 'Revoked' : over ? 'Expired' : 'Active';
      return [
        html`<code>${keyId}</code>`,
        environment,
        scopes.join(', '),
        html`${badge(over ? 'neutral' : 'good', state)}${
          !over && expiresAt && html`<br>until ${timestamp(expiresAt, now)}`
        }`,
        timestamp(createdAt, now),
        ...(may
          ? [
              html`${!over && !expiresAt && keyButton(`${path}/rotate`, keyId, 'Rotate')}
${!over && keyButton(`${path}/revoke`, keyId, 'Revoke')}`,
            ]
          : []),
      ];
    }),
    'No keys yet.',
  );
  return html`<p>${link('/partner', 'Your partners')}</p>
${list}
${may && section('New key', newKeyForm(path))}`;
}

function keyButton(action: string, keyId: string, text: 'Rotate' | 'Revoke'): Markup {
  return html`<form method="post" action="${action}"><input type="hidden" name="key_id" value="${keyId}"><button${
    text === 'Revoke' && html` class="danger"`
  } type="submit">${text}<span class="unseen"> ${keyId}</span></button></form>`;
}

function newKeyForm(path: string): Markup {
  return html`<form class="narrow" method="post" action="${path}">
${selectField({
  name: 'environment',
  label: 'Environment',
  choices: ['SANDBOX', 'LIVE'].map((value) => ({ value, text: value })),
  chosen: 'SANDBOX',
})}
${checkboxes({
  name: 'scope',
  label: 'Scopes',
  choices: SCOPES.map((value) => ({ value, text: value })),
  chosen: SCOPES,
})}
<p class="acts"><button class="primary" type="submit">Create key</button></p>
</form>`;
}

/** A secret on the one page that may show it. */
export function newSecret(key: { partnerId: string; keyId: string; secret: string }): Markup {
  const { partnerId, keyId, secret } = key;
  return html`${notice({
    tone: 'wait',
    focus: true,
    content: html`<p><strong>Copy the secret now.</strong> It is shown only this once.</p>
<p>Key id: <code>${keyId}</code></p>
<p>Secret: <code>${secret}</code></p>`,
  })}
<p class="acts"><a class="button primary" href="/partner/${partnerId}/keys">I saved the secret</a></p>`;
}

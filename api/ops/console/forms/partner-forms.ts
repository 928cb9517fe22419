import type { PartnerStatus } from '../../../../shared/people/partners/partner.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatInstant } from '../../../pages/kit/format.ts';
import { descriptionList, notice } from '../../../pages/kit/page-parts.ts';
import { memberInvite } from '../../actions/member-actions.ts';
import {
  credentialChange,
  credentialCreate,
  credentialRevoke,
  credentialRotate,
  partnerAffiliate,
  partnerApprove,
  partnerApproveAccount,
  partnerCreate,
  partnerDelivery,
  partnerResume,
  partnerSetConnectedAccount,
  partnerSetPayoutAccount,
  partnerSetTaxProfile,
  partnerSuspend,
} from '../../actions/partner-actions.ts';
import type { OpsAnswer } from '../../ops-action.ts';
import * as subjects from '../action-subjects.ts';
import { partnerPath } from '../console-paths.ts';
import { always, form } from './action-form.ts';

const partner = { section: 'partners', given: ['partner'], subject: subjects.partner } as const;

/** The state that decides which actions on a partner's account are possible. */
export interface PartnerState {
  status: PartnerStatus;
  /** Whether it may have LIVE keys. */
  approved: boolean;
  /** Whether it has an affiliate account. */
  affiliate: boolean;
}

/** Actions on a partner's account. */
export const PARTNER_FORMS = {
  'credential-create': form({
    ...partner,
    action: credentialCreate,
    link: 'Issue a key pair',
    tone: 'primary',
    offered: (_state: PartnerState) => true,
    title: (name) => `New key pair for ${name}`,
    effect: 'The secret is shown once, on the next page. Have a safe place for it ready.',
    button: 'Issue the key pair',
    done: () => 'The key pair is issued.',
    reveal: newKeyPair,
  }),
  'partner-approve': form({
    ...partner,
    action: partnerApprove,
    link: 'Approve for LIVE',
    offered: ({ approved }: PartnerState) => !approved,
    title: (name) => `Approve ${name} for LIVE?`,
    effect: 'It can have LIVE key pairs and sell with them.',
    button: 'Approve partner',
    done: (name) => `${name} is approved.`,
  }),
  'partner-affiliate': form({
    ...partner,
    action: partnerAffiliate,
    link: 'Make an affiliate',
    offered: ({ affiliate }: PartnerState) => !affiliate,
    title: (name) => `Make ${name} an affiliate?`,
    effect:
      'It can make referral links with the scope refer, and earns a commission on the sales they lead to. This cannot be undone.',
    button: 'Link an affiliate account',
    done: (name) => `${name} is an affiliate.`,
  }),
  'partner-delivery': form({
    ...partner,
    action: partnerDelivery,
    link: 'Delivery',
    offered: (_state: PartnerState) => true,
    title: (name) => `Delivery of domains sold by ${name}`,
    effect: 'Applies to LIVE sales without a delivery of their own whose transfer has not started.',
    button: 'Save',
    done: (name) => `The delivery setting of ${name} is saved.`,
  }),
  'partner-suspend': form({
    ...partner,
    action: partnerSuspend,
    link: 'Suspend',
    tone: 'danger',
    offered: ({ status }: PartnerState) => status === 'active',
    title: (name) => `Suspend ${name}?`,
    effect:
      'Every signed request of this partner is rejected at once, and its payouts are held, until you resume it.',
    button: 'Suspend partner',
    done: (name) => `${name} is suspended.`,
  }),
  'partner-resume': form({
    ...partner,
    action: partnerResume,
    link: 'Resume',
    offered: ({ status }: PartnerState) => status === 'suspended',
    title: (name) => `Resume ${name}?`,
    effect: 'Its key pairs work again at once, and its payouts can be paid.',
    button: 'Resume partner',
    done: (name) => `${name} is active again.`,
  }),
  'partner-set-tax-profile': form({
    ...partner,
    action: partnerSetTaxProfile,
    link: 'Tax profile',
    offered: (_state: PartnerState) => true,
    title: (name) => `Tax profile of ${name}`,
    effect: 'New documents show this. Issued documents do not change.',
    button: 'Save tax profile',
    done: () => 'The tax profile is saved.',
  }),
  'partner-set-connected-account': form({
    ...partner,
    action: partnerSetConnectedAccount,
    link: 'Stripe account',
    offered: (_state: PartnerState) => true,
    title: (name) => `Connected account of ${name} at Stripe`,
    effect:
      'Stripe sends payouts to this account. Pending approvals are cleared and the partner is notified. Payouts to a new account start after 24 hours.',
    button: 'Save account',
    done: (_name, { account }) => `${account} is saved.`,
  }),
  'partner-set-payout-account': form({
    ...partner,
    action: partnerSetPayoutAccount,
    link: 'Bank account',
    offered: (_state: PartnerState) => true,
    title: (name) => `Bank account of ${name}`,
    effect:
      'Bank files pay to this account. Pending approvals are cleared and the partner is notified. Payouts to a new account start after 24 hours.',
    button: 'Save bank account',
    done: (_name, { iban_end }) => `The bank account that ends in ${iban_end} is saved.`,
  }),
  'member-invite': form({
    ...partner,
    action: memberInvite,
    link: 'Invite a member',
    offered: (_state: PartnerState) => true,
    title: (name) => `Invite someone to ${name}`,
    effect: 'The person gets a link that works once, for 7 days.',
    button: 'Send invitation',
    done: (name, { email }) => `${email} is invited to ${name}.`,
  }),
};

/** Actions on a partner's payout account. */
export const DESTINATION_FORMS = {
  'partner-approve-account': form({
    action: partnerApproveAccount,
    section: 'partners',
    given: ['partner', 'kind', 'revision'],
    subject: subjects.destination,
    link: 'Approve the account',
    tone: 'primary',
    offered: ({ awaits }: { awaits: boolean }) => awaits,
    title: (name) => `Approve the account of ${name}?`,
    effect: 'Payouts can go to the changed account after one day. Ask the partner first.',
    button: 'Approve account',
    done: (name) => `The account of ${name} is approved.`,
  }),
};

export const NEW_PARTNER_FORMS = {
  'partner-create': form({
    action: partnerCreate,
    section: 'partners',
    given: [],
    subject: subjects.noSubject('/ops/partners'),
    link: 'Open an account',
    offered: always,
    title: () => 'Open a partner account',
    effect: 'A new account has no key pair. Issue one on its page.',
    button: 'Open account',
    done: () => 'The account is open.',
    next: ({ partner_id }) => partnerPath(String(partner_id)),
  }),
};

/** The state that decides which actions on a key pair are possible. */
export interface KeyPairState {
  status: 'active' | 'revoked';
  replacedBy: string | null;
}

const keyPair = { section: 'partners', given: ['key_id'], subject: subjects.credential } as const;

/** Actions on a key pair. */
export const KEY_PAIR_FORMS = {
  'credential-change': form({
    ...keyPair,
    action: credentialChange,
    link: 'Change',
    offered: ({ status }: KeyPairState) => status === 'active',
    title: (name) => `Change ${name}?`,
    effect: 'Empty fields do not change. Requests use the new settings at once.',
    hints: { allowed_ips: 'Addresses and networks, separated by commas. 0.0.0.0/0, ::/0 for any.' },
    button: 'Change key pair',
    done: (name) => `${name} is changed.`,
  }),
  'credential-rotate': form({
    ...keyPair,
    action: credentialRotate,
    link: 'Rotate',
    offered: ({ status, replacedBy }: KeyPairState) => status === 'active' && replacedBy === null,
    title: (name) => `Rotate ${name}?`,
    effect:
      'A new key pair with the same scopes is issued. Its secret is shown once, on the next page. The old pair keeps working during the overlap.',
    button: 'Rotate key pair',
    done: () => 'The key pair is rotated.',
    reveal: newKeyPair,
  }),
  'credential-revoke': form({
    ...keyPair,
    action: credentialRevoke,
    link: 'Revoke',
    tone: 'danger',
    offered: ({ status }: KeyPairState) => status === 'active',
    title: (name) => `Revoke ${name}?`,
    effect: 'Requests signed with it are rejected at once. This cannot be undone.',
    button: 'Revoke key pair',
    done: (name) => `${name} is revoked.`,
  }),
};

/** Shows a key pair with its secret, on the only page that may show it. */
function newKeyPair(answer: OpsAnswer): Markup {
  const previous = answer.previous as { key_id: string; expires_at: Date } | undefined;
  return html`${notice({
    tone: 'wait',
    focus: true,
    content: html`<p><strong>Copy the secret now.</strong> It is shown only this once.</p>
<p>Key ID: <code>${answer.key_id}</code></p>
<p>Secret: <code>${answer.secret}</code></p>`,
  })}
${descriptionList([
  ['Environment', answer.environment],
  ['Scopes', (answer.scopes as readonly string[]).join(', ')],
  ['Old key pair', previous?.key_id],
  ['Works until', previous && formatInstant(previous.expires_at)],
])}`;
}

import { Type } from 'typebox';
import { readOwnedDomain } from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import type { OwnedDomain } from '../../../../shared/domains/owned-domains/owned-domain.ts';
import {
  findTransferOut,
  stopTransferOut,
} from '../../../../shared/domains/transfers-out/follow-transfer-out.ts';
import {
  issueOwnCode,
  whyItStays,
} from '../../../../shared/domains/transfers-out/issue-own-code.ts';
import { transferOutRules } from '../../../../shared/domains/transfers-out/transfer-lock.ts';
import type { TransferOut } from '../../../../shared/domains/transfers-out/transfer-out.ts';
import { unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { findTldOf } from '../../../../shared/market/tlds/tld-catalogue.ts';
import { proveSession } from '../../../../shared/people/users/factor-change.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { confirmButton } from '../../kit/form.ts';
import { timestamp } from '../../kit/format.ts';
import { descriptionList, link, notice, section } from '../../kit/page-parts.ts';
import type { PageNow } from '../../kit/page-time.ts';
import { type AccountView, accountCommand, accountSitePage } from '../account-page.ts';
import { presentPasswordField } from '../password-fields.ts';
import { DomainName, domainPath } from './owned-domain-parts.ts';

const TITLE = 'Move to another registrar';

/** How an owner moves a domain to another registrar: obstacles, the code, and the progress. */
export const transferOutPage = accountSitePage({
  path: '/domains/:domain/transfer',
  input: Type.Object({ domain: DomainName }),
  async show(context, { domain: name }) {
    const { user, now } = context;
    const owned = await readOwnedDomain(context, user.id, name.toLowerCase());
    const { domain, unicode } = owned;
    const [out, policy, tlds] = await Promise.all([
      findTransferOut(context, domain),
      transferOutRules(context, owned, now),
      context.tlds.read(),
    ]);
    const why = whyItStays(owned, policy, findTldOf(tlds, domain)?.rules, now);
    return {
      title: `${TITLE}: ${unicode}`,
      section: 'domains',
      content: html`<p>${link(domainPath(domain), unicode)}</p>
<p class="intro">Another registrar requests the domain with its authorization code. The code is shown once and works for ${policy.authCodeDays} days; we approve the transfer right away and email you at each step.</p>
${out && underWay(out, now)}
${
  out?.status !== 'pending_transfer' &&
  out?.status !== 'stopping' &&
  section(
    'Authorization code',
    why === undefined ? codeForm(domain, user.hasSecondFactor, out) : obstacle(owned, why),
  )
}`,
    };
  },
});

const STANDING = {
  code_requested: 'We are getting the code',
  code_issued: 'Code issued',
  pending_transfer: 'Another registrar requested the domain',
  stopping: 'The code is being revoked',
} as const;

function underWay({ domain, status, since, expiresAt, requestedBy }: TransferOut, now: PageNow) {
  const stands: string = STANDING[status as keyof typeof STANDING];
  return section(
    'In progress',
    html`${descriptionList([
      ['State', stands],
      ['Since', timestamp(since, now)],
      ['Code expires', expiresAt && timestamp(expiresAt, now)],
      ['Other registrar', requestedBy],
    ])}
${
  status !== 'stopping' &&
  html`<div class="acts">${confirmButton({
    action: domainPath(domain, '/transfer/stop'),
    text: 'Stop the transfer',
    question: 'We revoke the code and turn on the transfer lock.',
  })}</div>`
}`,
  );
}

function obstacle({ domain }: OwnedDomain, why: string): Markup {
  return notice({
    tone: 'wait',
    title: 'This domain cannot be moved now',
    content: html`<p>${why}</p><p>${link(domainPath(domain), 'Go to the domain')}</p>`,
  });
}

function codeForm(domain: string, hasSecondFactor: boolean, out: TransferOut | undefined): Markup {
  return html`<form class="narrow" method="post" action="${domainPath(domain, '/transfer/code')}">
${!hasSecondFactor && presentPasswordField()}
<p class="acts"><button class="primary" type="submit">${out ? 'Show a new code' : 'Show the authorization code'}</button></p>
${out && html`<p class="hint">The previous code then stops working.</p>`}
</form>`;
}

/** Shows the authorization code to a user who has just confirmed their identity. */
export const showAuthCode = accountCommand({
  path: '/domains/:domain/transfer/code',
  dangerous: true,
  input: Type.Object({
    domain: DomainName,
    present: Type.Optional(Type.String({ maxLength: 1_000 })),
  }),
  page: transferOutPage,
  async run(context, { domain: name, present = '' }): Promise<AccountView> {
    const { user, token, from } = context;
    await proveSession(context, { user, token }, { password: present, from });
    const domain = name.toLowerCase();
    const issued = await issueOwnCode(context, { userId: user.id, domain });
    return {
      title: `Authorization code: ${unicodeOf(domain)}`,
      section: 'domains',
      content: html`${notice({
        tone: 'wait',
        focus: true,
        content: html`<p><strong>Copy the code now.</strong> It is shown only here, and anyone who has it can move the domain.</p>`,
      })}
<p class="auth-code"><code>${issued.authCode}</code></p>
<p>Give it to your new registrar. It expires ${timestamp(issued.expiresAt, context.now)}.</p>
<p class="acts"><a class="button primary" href="${domainPath(domain, '/transfer')}">I copied the code</a></p>`,
    };
  },
});

/** Invalidates the code; the domain stays. */
export const stopOwnTransfer = accountCommand({
  path: '/domains/:domain/transfer/stop',
  dangerous: false,
  input: Type.Object({ domain: DomainName }),
  page: transferOutPage,
  async run(context, { domain: name }) {
    const { id: userId } = context.user;
    const { domain } = await readOwnedDomain(context, userId, name.toLowerCase());
    await context.db.transact((uow) => stopTransferOut(uow, userId, { domain }));
    const done = 'We revoke the code and lock the domain. We will email you when it is done.';
    return { to: domainPath(domain, '/transfer'), done };
  },
});

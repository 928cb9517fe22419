import type { DomainRegistrant } from '../../../../shared/domains/domain-registrants/domain-registrant.ts';
import {
  findRegistrant,
  openRegistrant,
} from '../../../../shared/domains/domain-registrants/registered-for.ts';
import {
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
} from '../../../../shared/domains/owned-domains/owned-domain.ts';
import type { Registrant } from '../../../../shared/domains/registrants/registrant.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { verificationBadge } from '../../kit/order-delivery.ts';
import { descriptionList, emptyState, section } from '../../kit/page-parts.ts';
import type { AccountContext } from '../account-page.ts';

/** Who a domain is registered for, and what has to be done about it. */
export async function registrantSection(
  context: AccountContext,
  { domain }: Pick<OwnedDomain, 'domain'>,
): Promise<Markup> {
  const found = await findRegistrant(context.db.knex, { environment: OWNERS_ENVIRONMENT, domain });
  return section(
    'Registrant',
    found
      ? html`${registrantFacts(openRegistrant(context, found), found)}${
          found.verification === 'pending' && resendForm(domain)
        }`
      : emptyState('We don’t know who this domain is registered for.'),
  );
}

function registrantFacts(registrant: Registrant, found: DomainRegistrant): Markup {
  const { name, organization, street, city, state, postalCode, country, phone, email } = registrant;
  const address = [...street, [postalCode, city].filter(Boolean).join(' '), state, country];
  return descriptionList([
    ['Name', html`<span dir="auto">${name}</span>`],
    ['Organization', organization && html`<span dir="auto">${organization}</span>`],
    [
      'Address',
      html`<span dir="auto">${address.filter(Boolean).map((line, at) => html`${at > 0 && html`<br>`}${line}`)}</span>`,
    ],
    ['Phone number', phone],
    ['E-mail address', html`${email} ${verificationBadge(found)}`],
  ]);
}

function resendForm(domain: string): Markup {
  return html`<p class="hint">We sent a mail with a link to this address. Open it to verify the address.</p>
<form method="post" action="/account/domains/${domain}/registrant/mail"><p class="acts"><button type="submit">Send the mail again</button></p></form>`;
}

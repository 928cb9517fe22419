import {
  findLastChange,
  registrantLockedUntil,
} from '../../../../shared/domains/domain-registrants/change-registrant.ts';
import type { DomainRegistrant } from '../../../../shared/domains/domain-registrants/domain-registrant.ts';
import {
  findRegistrant,
  openRegistrant,
} from '../../../../shared/domains/domain-registrants/registered-for.ts';
import type { RegistrantChange } from '../../../../shared/domains/domain-registrants/registrant-change.ts';
import {
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  whyGone,
} from '../../../../shared/domains/owned-domains/owned-domain.ts';
import type { Registrant } from '../../../../shared/domains/registrants/registrant.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatDay } from '../../kit/format.ts';
import { verificationBadge } from '../../kit/order-delivery.ts';
import { descriptionList, emptyState, notice, section } from '../../kit/page-parts.ts';
import type { AccountContext } from '../account-page.ts';
import { domainPath } from './owned-domain-parts.ts';

/** Shows the registrant of a domain, and what has to be done about it. */
export async function registrantSection(
  context: AccountContext,
  owned: OwnedDomain,
): Promise<Markup> {
  const { domain, legalHold, takenAt } = owned;
  const { user, now, db } = context;
  const found = await findRegistrant(db.knex, { environment: OWNERS_ENVIRONMENT, domain });
  const [lockedUntil, change] = await Promise.all([
    registrantLockedUntil(context, domain, now),
    findLastChange(context, { domain, userId: user.id }),
  ]);
  const isOpen = change !== undefined && change.endedAt === null;
  const isGone = whyGone(owned) !== undefined;
  const isFree = !legalHold && !takenAt && !isGone && !isOpen;
  return section(
    'Registrant',
    html`${change && changeNotice(change, found)}
${
  found
    ? registrantFacts(openRegistrant(context, found), found)
    : emptyState('We don’t know who this domain is registered for.')
}
${lockedUntil && html`<p>Locked against transfers until ${formatDay(lockedUntil)}, because the registrant changed.</p>`}
${found?.verification === 'pending' && !isGone && resendForm(domain)}
${isFree && html`<p class="acts"><a class="button" href="${domainPath(domain, '/registrant')}">Change the registrant</a></p>`}`,
  );
}

/** Returns the status of the owner's last requested change; a completed change is visible in the data itself. */
function changeNotice(
  { status, reason, createdAt }: RegistrantChange,
  found: DomainRegistrant | undefined,
): Markup | false {
  const isOld = found !== undefined && found.registeredAt > createdAt;
  switch (status) {
    case 'held':
      return notice({ tone: 'wait', content: 'We are reviewing your change of the registrant.' });
    case 'pending':
      return notice({ tone: 'neutral', content: 'The registry is changing the registrant.' });
    case 'refused':
      return (
        !isOld && notice({ tone: 'bad', content: html`The registrant was not changed. ${reason}` })
      );
    case 'declined':
      return (
        !isOld &&
        notice({ tone: 'bad', content: 'We can’t register the domain for them. Contact support.' })
      );
    case 'done':
      return false;
  }
}

/** Returns a registrant's data as the registry has it; with `found`, also whether the address is verified. */
export function registrantFacts(registrant: Registrant, found?: DomainRegistrant): Markup {
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
    ['Email address', html`${email} ${found && verificationBadge(found)}`],
  ]);
}

function resendForm(domain: string): Markup {
  return html`<p class="hint">We emailed a link to this address. Open it to verify the address.</p>
<form method="post" action="/account/domains/${domain}/registrant/mail"><p class="acts"><button type="submit">Resend the email</button></p></form>`;
}

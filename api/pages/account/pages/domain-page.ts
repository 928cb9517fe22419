import { Type } from 'typebox';
import {
  type DomainChangeResult,
  listChangesOf,
} from '../../../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { dsRecords } from '../../../../shared/domains/bulk/registrar-operations.ts';
import { readOwnedDomain } from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import {
  AT_ANOTHER_REGISTRAR,
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  PURCHASE_FAULTS,
  whyGone,
} from '../../../../shared/domains/owned-domains/owned-domain.ts';
import { listRejectedRequests } from '../../../../shared/domains/registrar/rejected-requests.ts';
import { transferOutRules } from '../../../../shared/domains/transfers-out/transfer-lock.ts';
import type { TldRules } from '../../../../shared/market/tlds/tld.ts';
import { findTldOf } from '../../../../shared/market/tlds/tld-catalogue.ts';
import { canKeepCards, findCardAt, isGood } from '../../../../shared/money/payments/kept-cards.ts';
import { addMs, DAY } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatMoney } from '../../../../shared/platform/money.ts';
import { confirmButton } from '../../kit/form.ts';
import { formatDay, timestamp } from '../../kit/format.ts';
import { badge, link, notice, section } from '../../kit/page-parts.ts';
import type { PageNow } from '../../kit/page-time.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { table } from '../../kit/table.ts';
import { type AccountContext, accountSitePage } from '../account-page.ts';
import { describeAction } from '../operation-forms.ts';
import { formKeyField, newFormKey } from '../start-change.ts';
import {
  DOMAINS,
  DomainName,
  domainPath,
  expiry,
  market,
  onOff,
  tagLinks,
} from './owned-domain-parts.ts';
import { registrantSection } from './registrant-section.ts';

/** How long changes are shown here; older ones are in the list of all changes. */
const RECENT_MS = 7 * DAY;

/** One domain: its state, with the possible actions beside each setting. */
export const domainPage = accountSitePage({
  path: '/domains/:domain',
  input: Type.Object({ domain: DomainName, change: Type.Optional(Type.String({ maxLength: 64 })) }),
  async show(context, { domain: name, change }) {
    const { user, now } = context;
    const domain = name.toLowerCase();
    const since = addMs(now, -RECENT_MS);
    // Read before the domain, which then shows every change that is called done.
    const changes = await listChangesOf(context, { userId: user.id, domain, since });
    const owned = await readOwnedDomain(context, user.id, domain);
    const { unicode } = owned;
    const [tlds, renewer, { lockedUntil }, rejected] = await Promise.all([
      context.tlds.read(),
      renewerOf(context),
      transferOutRules(context, owned, now),
      listRejectedRequests(context, domain, since),
    ]);
    const rules = findTldOf(tlds, domain)?.rules;
    const isFree = !whyGone(owned) && !owned.legalHold && !owned.takenAt;
    return {
      title: unicode,
      section: 'domains',
      scripts: changes.some(isPending) ? ['job-progress.js'] : [],
      content: html`<p>${link(DOMAINS, 'All domains')}</p>
${standing(owned)}
${changes.map((each) => (isPending(each) || each.id === change) && changeNotice(each))}
${[registration, dns, protection, moving, marketAndTags].map((part) => part({ owned, rules, isFree, renewer, lockedUntil, now }))}
${await registrantSection(context, owned)}
${
  changes.length + rejected.length > 0 &&
  section(
    'Latest changes',
    html`${table(
      'Changes to this domain in the last seven days',
      ['Change', 'Status', 'Note', 'Asked for'],
      [
        ...changes.map((each) => [
          describeAction(each.action),
          statusBadge(each.state),
          each.message ?? '',
          timestamp(each.createdAt, now),
        ]),
        ...rejected.map((at) => [
          'Transfer to another registrar',
          badge('neutral', 'Rejected'),
          'Another registrar requested the domain. It stays in your account.',
          timestamp(at, now),
        ]),
      ],
      '',
    )}`,
  )
}`,
    };
  },
});

/** What a domain page shows, and whether the owner may change the domain now. */
interface Shown {
  owned: OwnedDomain;
  rules: TldRules | undefined;
  isFree: boolean;
  renewer: Renewer;
  /** The end of the lock that the rules of its TLD put on it; null if there is none. */
  lockedUntil: Date | null;
  now: PageNow;
}

/** What pays automatic renewals: the owner's stored card, one that is still missing, or the owner each time. */
type Renewer = 'card' | 'no_card' | 'owner';

async function renewerOf({ db, payments, user, now }: AccountContext): Promise<Renewer> {
  if (!canKeepCards(payments, OWNERS_ENVIRONMENT)) return 'owner';
  const card = await findCardAt(db.knex, user.id, payments(OWNERS_ENVIRONMENT).name);
  return isGood(card, now) ? 'card' : 'no_card';
}

/** Returns the notices at the top of the page. */
function standing({ legalHold, held, listing, takenAt, purchaseFault }: OwnedDomain): Markup {
  return html`${purchaseFault === 'refunded' && notice({ tone: 'neutral', title: 'Returned', content: `${PURCHASE_FAULTS.refunded} You can no longer change or renew it. It leaves your account once it has a new owner.` })}
${listing?.status === 'sold' && notice({ tone: 'neutral', content: 'This domain is sold. You can no longer change it.' })}
${purchaseFault === 'disputed' && notice({ tone: 'wait', title: 'Payment disputed', content: 'Until the dispute ends, you can’t sell this domain, move it or give it to another registrant, and we don’t charge your card to renew it.' })}
${takenAt && notice({ tone: 'bad', title: 'At another registrar', content: html`Since ${formatDay(takenAt)}: ${AT_ANOTHER_REGISTRAR} Until it is back, you can’t change or renew it. If you moved it yourself, contact support.` })}
${legalHold && notice({ tone: 'bad', title: 'On legal hold', content: 'A court or similar order prevents selling, moving or changing this domain. Contact support.' })}
${held && notice({ tone: 'bad', title: 'Out of the DNS', content: 'The domain is on hold at the registry: its website and its email do not work until the hold is lifted.' })}`;
}

const isPending = ({ state }: DomainChangeResult) => state === 'pending' || state === 'started';

/** Returns the result of a change; while it is in progress, the page refreshes by itself. */
function changeNotice(change: DomainChangeResult): Markup {
  const title = describeAction(change.action);
  const { id, message, state } = change;
  if (state === 'ok') return notice({ tone: 'good', title, content: html`<p>Done.</p>` });
  if (state === 'error') return notice({ tone: 'bad', title, content: html`Not done. ${message}` });
  if (state === 'cancelled') return notice({ tone: 'neutral', title, content: 'Canceled.' });
  return html`<div data-stream="/account/jobs/${id}/stream">${notice({
    tone: 'neutral',
    title,
    content: html`<p>In progress. This page updates when it is done.</p><p><a class="button" href="?change=${id}">Refresh</a></p>`,
  })}</div>`;
}

/** A setting of a domain: its name, its state and its action. */
type Setting = readonly [name: string, state: unknown, action?: Markup | false | undefined];

function settings(title: string, rows: readonly (Setting | false | undefined)[]): Markup {
  const shown = rows.filter((row): row is Setting => Boolean(row));
  return section(
    title,
    html`<dl class="settings">${shown.map(
      ([name, state, action]) => html`<div><dt>${name}</dt><dd>${state}</dd>
<dd class="choices">${action}</dd></div>\n`,
    )}</dl>`,
  );
}

const PAYMENTS = link('/account/payments', 'Payments');
const EXCEPT_PREMIUM = 'Premium domains are different: you confirm the price each time.';

/** How a bought domain with automatic renewal is renewed. */
const RENEWED: Readonly<Record<Renewer, () => Markup | string>> = {
  card: () =>
    html`We renew it 30 days before it expires and charge the card saved under ${PAYMENTS}. ${EXCEPT_PREMIUM}`,
  no_card: () =>
    html`This needs a card, and you have no valid one saved under ${PAYMENTS}. Renew the domain here and check “Keep this card” when you pay.`,
  owner: () => 'We email you before it expires, and you renew it here.',
};

function registration({ owned, isFree, renewer, now }: Shown): Markup {
  const { domain, unicode, autoRenew, isBought, purchaseFault } = owned;
  const renewed = isBought
    ? RENEWED[purchaseFault === 'disputed' ? 'owner' : renewer]()
    : `It renews automatically, 30 days before it expires. ${EXCEPT_PREMIUM}`;
  return settings('Registration', [
    domain !== unicode && ['ASCII form', html`<span class="id">${domain}</span>`],
    [
      'Expires',
      expiry(owned, now),
      isFree &&
        html`${button(domainPath(domain, '/renew'), 'Renew')}${owned.expiresAt < now && html` ${button(domainPath(domain, '/restore'), 'Restore')}`}`,
    ],
    [
      'Auto-renew',
      html`${onOff(autoRenew)} ${purchaseFault !== 'refunded' && html`<span class="sub">${autoRenew ? renewed : 'It expires unless you renew it.'}</span>`}`,
      isFree && toggle(domain, 'auto_renew', 'auto-renew', autoRenew),
    ],
  ]);
}

function dns({ owned, rules, isFree }: Shown): Markup {
  const { domain, nameservers, signers, held } = owned;
  const dnssec =
    signers.length > 0
      ? html`On <span class="sub">${dsRecords(signers.length)}</span>`
      : html`${onOff(false)}`;
  const hasDnssec = rules?.dnssec !== false || signers.length > 0;
  return settings('DNS', [
    held && ['In the DNS', 'No, it is on hold'],
    [
      'Nameservers',
      nameservers.length === 0
        ? html`None <span class="sub">Without nameservers the domain doesn’t work.</span>`
        : html`<ul class="lines">${nameservers.map((host) => html`<li><code>${host}</code></li>`)}</ul>`,
      isFree && change(domain, 'nameservers', 'Change'),
    ],
    [
      'DNSSEC',
      hasDnssec ? dnssec : 'Not offered by this TLD',
      isFree && hasDnssec && button(domainPath(domain, '/dnssec'), 'Manage', 'DNSSEC'),
    ],
  ]);
}

function protection({ owned, rules, isFree, lockedUntil }: Shown): Markup {
  const { domain, tld, locked, privacy } = owned;
  const unlocked = lockedUntil
    ? `The rules of .${tld} lock the domain until ${formatDay(lockedUntil)} anyway.`
    : 'Another registrar can request it with an authorization code.';
  return settings('Protection', [
    [
      'Transfer lock',
      html`${onOff(locked)} <span class="sub">${locked ? 'No other registrar can request the domain.' : unlocked}</span>`,
      isFree &&
        rules?.transfer.lock_supported !== false &&
        toggle(
          domain,
          'lock',
          'the transfer lock',
          locked,
          'Without the lock, anyone who has an authorization code can move the domain to another registrar.',
        ),
    ],
    [
      'WHOIS privacy',
      html`${onOff(privacy)} <span class="sub">${privacy ? 'WHOIS hides your contact details.' : 'Anyone can see your contact details in WHOIS.'}</span>`,
      isFree &&
        toggle(
          domain,
          'privacy',
          'WHOIS privacy',
          privacy,
          'Your name, address, phone number and email address become public.',
        ),
    ],
  ]);
}

function moving({ owned, isFree }: Shown): Markup | false {
  const { domain, leaving } = owned;
  if (!isFree) return false;
  return settings('Moving away', [
    [
      'Authorization code',
      leaving
        ? html`${badge('wait', 'Out')} <span class="sub">Another registrar can use it to request the domain.</span>`
        : html`None <span class="sub">Another registrar needs it to request the domain.</span>`,
      button(
        domainPath(domain, '/transfer'),
        leaving ? 'See or stop' : 'Move to another registrar',
      ),
    ],
  ]);
}

function marketAndTags({ owned, isFree }: Shown): Markup {
  const { domain, listing, tags, purchaseFault } = owned;
  const isListed = listing?.status === 'listed';
  return settings('Market', [
    [
      'For sale',
      isListed || whyGone(owned)
        ? market(owned)
        : html`<span class="none">No</span> ${purchaseFault && html`<span class="sub">${PURCHASE_FAULTS[purchaseFault]}</span>`}`,
      isFree &&
        (isListed
          ? html`${change(domain, 'price', 'Change the price')} ${confirmButton({
              action: domainPath(domain, '/change/unlist'),
              text: 'Take off the market',
              question: 'Open quotes and payments in progress are honored until they expire.',
              fields: { key: newFormKey() },
            })}`
          : !purchaseFault && change(domain, 'list', 'List for sale')),
    ],
    isListed && [
      'Offers',
      html`${listing.offersAccepted ? 'Welcome' : 'No'} ${listing.offersAccepted && listing.floorPrice && html`<span class="sub">Lowest offer: ${formatMoney(listing.floorPrice)}</span>`}`,
      isFree && change(domain, 'list', 'Change the terms'),
    ],
    [
      'Tags',
      tagLinks(tags) || html`<span class="none">None</span>`,
      isFree && change(domain, 'tags', 'Edit', 'tags'),
    ],
  ]);
}

/** Returns a link to the form of a change; `about` names the change for screen readers, which may not read its row. */
function change(domain: string, op: string, text: string, about = ''): Markup {
  return button(domainPath(domain, `/change/${op}`), text, about);
}

function button(href: string, text: string, about = ''): Markup {
  return html`<a class="button" href="${href}">${text}${about && html`<span class="unseen"> ${about}</span>`}</a>`;
}

/** Returns a button that turns a setting on or off at once; `question` asks before it is turned off. */
function toggle(
  domain: string,
  op: 'auto_renew' | 'lock' | 'privacy',
  what: string,
  isOn: boolean,
  question?: string,
): Markup {
  const action = domainPath(domain, `/change/${op}`);
  if (isOn && question !== undefined) {
    const fields = { enabled: 'false', key: newFormKey() };
    return confirmButton({ action, text: 'Turn off', about: what, question, fields });
  }
  return html`<form method="post" action="${action}">${formKeyField()}<input type="hidden" name="enabled" value="${!isOn}"><button type="submit">Turn ${isOn ? 'off' : 'on'}<span class="unseen"> ${what}</span></button></form>`;
}

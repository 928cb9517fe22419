import { Type } from 'typebox';
import { BULK_OPS, type BulkOp } from '../../../../shared/domains/bulk/bulk-operations.ts';
import { previewBulk } from '../../../../shared/domains/bulk/check-items.ts';
import { readOwnedDomain } from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import type { OwnedDomain } from '../../../../shared/domains/owned-domains/owned-domain.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { decimalAmount, formatMoneyWithCode } from '../../../../shared/platform/money.ts';
import { link, notice } from '../../kit/page-parts.ts';
import { type AccountContext, accountCommand, accountSitePage } from '../account-page.ts';
import {
  OPERATION_FIELDS,
  OPERATION_FORMS,
  type OperationValues,
  readAction,
} from '../operation-forms.ts';
import { FormKey, formKeyField, startDomainChange } from '../start-change.ts';
import { DomainName, domainPath } from './owned-domain-parts.ts';

const Op = Type.Enum([...BULK_OPS]);

/** The form of one change to one domain. */
export const domainChangePage = accountSitePage({
  path: '/domains/:domain/change/:op',
  input: Type.Object({ domain: DomainName, op: Op }),
  async show(context, { domain: name, op }) {
    const owned = await readOwnedDomain(context, context.user.id, name.toLowerCase());
    const { domain, unicode } = owned;
    const values = context.refused?.values as OperationValues | undefined;
    const { title, about, fields } = OPERATION_FORMS[op];
    return {
      title: `${title}: ${unicode}`,
      section: 'domains',
      content: html`<p>${link(domainPath(domain), unicode)}</p>
<p class="intro">${about}</p>
${await toKnow(context, op, owned)}
<form class="ask" method="post" action="${domainPath(domain, `/change/${op}`)}">
${formKeyField()}${fields(values ?? present(op, owned))}
<p class="acts"><button class="primary" type="submit">${title}</button> <a class="button link" href="${domainPath(domain)}">Cancel</a></p>
</form>`,
    };
  },
});

/** Returns the initial form values: the current state of the domain. */
function present(op: BulkOp, { nameservers, listing }: OwnedDomain): OperationValues {
  if (op === 'nameservers') return { nameservers: nameservers.join('\n') };
  if (!listing || (op !== 'price' && op !== 'list')) return {};
  const { price, floorPrice, offersAccepted } = listing;
  return {
    price: decimalAmount(price),
    currency: price.currency,
    ...(floorPrice && { floor: decimalAmount(floorPrice) }),
    offers: offersAccepted ? 'true' : 'false',
  };
}

/** Returns what the owner should know before the change. */
async function toKnow(
  context: AccountContext,
  op: BulkOp,
  { domain, signers, tags }: OwnedDomain,
): Promise<Markup | false> {
  if (op === 'nameservers' && signers.length > 0) {
    const content = html`DNSSEC is on. If the new nameservers don’t sign with the same key, the domain stops working. ${link(domainPath(domain, '/dnssec'), 'Remove its DS records')} first, and wait a day.`;
    return notice({ tone: 'wait', content });
  }
  if (op === 'tags') return tags.length > 0 && html`<p>Its tags now: ${tags.join(', ')}.</p>`;
  if (op !== 'renew') return false;
  const action = { op, params: { years: 1 } } as const;
  const wanted = { userId: context.user.id, action, domains: [domain] };
  const [{ cost } = {}] = await previewBulk(context, wanted);
  return html`<p>${cost ? `A year costs ${formatMoneyWithCode(cost)}.` : 'Our price list has no price for it.'}</p>`;
}

/** Starts the change; the domain's page shows its result. */
export const changeDomain = accountCommand({
  path: '/domains/:domain/change/:op',
  dangerous: true,
  input: Type.Object({ domain: DomainName, op: Op, key: FormKey, ...OPERATION_FIELDS }),
  page: domainChangePage,
  async run(context, { domain, op, key, ...values }) {
    const action = readAction(op, values);
    return startDomainChange(context, { domain: domain.toLowerCase(), action, key });
  },
});

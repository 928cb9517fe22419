import { Type } from 'typebox';
import { parseDomain } from '../../../../shared/market/names/domain-name.ts';
import { searchOrdersAndPartners } from '../../../../shared/operations/monitoring/console-read-model.ts';
import { html } from '../../../../shared/platform/html.ts';
import { ID_PREFIXES, type IdKind, isId } from '../../../../shared/platform/ids.ts';
import { timestamp } from '../../../pages/kit/format.ts';
import { link, section } from '../../../pages/kit/page-parts.ts';
import { table } from '../../../pages/kit/table.ts';
import { consolePage } from '../console-page.ts';
import {
  auditPath,
  casePath,
  endpointPath,
  mailPath,
  orderPath,
  partnerPath,
  personPath,
  settlementPath,
  settlementRunPath,
} from '../console-paths.ts';
import { environmentTag, statusBadge } from '../status-badge.ts';

/** Finds by id, domain or a partner's name; an id leads straight to its page. */
export const searchPage = consolePage({
  path: '/search',
  input: Type.Object({ q: Type.String({ maxLength: 200, default: '' }) }),
  async show(context, { q }) {
    const text = q.trim();
    const home = homeOf(text);
    if (home) return home;
    const { partners, orders } =
      text === ''
        ? { partners: [], orders: [] }
        : await searchOrdersAndPartners(context, { text, domain: domainOf(text) });
    return {
      title: text === '' ? 'Search' : `Search: ${text}`,
      section: null,
      searched: text,
      content: html`${section(
        'Orders',
        table(
          'Orders for this domain',
          ['Domain', 'Status', 'Partner', 'Recorded'],
          orders.map((order) => [
            html`${link(orderPath(order.id), order.domain)} ${environmentTag(order.environment)}`,
            statusBadge(order.status),
            order.partnerName,
            timestamp(order.at, context.now),
          ]),
          'No orders for this domain.',
        ),
      )}
${section(
  'Partners',
  table(
    'Partners with this name',
    ['Name', 'Status', 'ID'],
    partners.map((partner) => [
      link(partnerPath(partner.id), partner.name),
      statusBadge(partner.status),
      html`<span class="id">${partner.id}</span>`,
    ]),
    'No partners with this name.',
  ),
)}`,
    };
  },
});

/** The page of each kind of id. What has none has an audit trail. */
const HOMES: Readonly<Record<IdKind, (id: string) => string>> = {
  order: orderPath,
  partner: partnerPath,
  user: personPath,
  settlement: settlementPath,
  settlementRun: settlementRunPath,
  brokerageCase: casePath,
  event: auditPath,
  quote: auditPath,
  transfer: auditPath,
  refund: auditPath,
  ledgerEntry: auditPath,
  webhookEndpoint: endpointPath,
  webhookDelivery: auditPath,
  webhookReplay: auditPath,
  affiliate: auditPath,
  checkoutSession: auditPath,
  payment: auditPath,
  payout: auditPath,
  referralLink: auditPath,
  commission: auditPath,
  oauthClient: auditPath,
  bulkJob: auditPath,
  mail: mailPath,
  document: auditPath,
};

/** Where an id leads; undefined for what is none. */
function homeOf(text: string): string | undefined {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  const kind = kinds.find((each) => isId(each, text));
  if (kind) return HOMES[kind](text);
  return /^pk_(sandbox|live)_\w+$/.test(text) ? auditPath(text) : undefined;
}

function domainOf(text: string): string | null {
  try {
    return parseDomain(text).ascii;
  } catch {
    return null;
  }
}

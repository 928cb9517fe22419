import { Type } from 'typebox';
import { parseDomain } from '../../../../shared/market/inventory/domain-name.ts';
import { searchOrdersAndPartners } from '../../../../shared/operations/monitoring/console-read-model.ts';
import { ID_PREFIXES, type IdKind, isId } from '../../../../shared/platform/ids.ts';
import { section, table } from '../../../pages/kit/components.ts';
import {
  auditPath,
  badge,
  environmentTag,
  link,
  orderPath,
  partnerPath,
  personPath,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html } from '../../../pages/kit/html.ts';
import { consolePage } from '../console-page.ts';

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
          'Orders of this domain',
          ['Domain', 'Status', 'Partner', 'Recorded'],
          orders.map((order) => [
            html`${link(orderPath(order.id), order.domain)} ${environmentTag(order.environment)}`,
            badge(order.status),
            order.partnerName,
            timestamp(order.at, context.now),
          ]),
          'No order is of a domain of this name.',
        ),
      )}
${section(
  'Partners',
  table(
    'Partners of this name',
    ['Name', 'Status', 'Id'],
    partners.map((partner) => [
      link(partnerPath(partner.id), partner.name),
      badge(partner.status),
      html`<span class="id">${partner.id}</span>`,
    ]),
    'No partner has this in its name.',
  ),
)}`,
    };
  },
});

const HOMES: Partial<Record<IdKind, (id: string) => string>> = {
  order: orderPath,
  partner: partnerPath,
  settlement: (id) => `/ops/settlements/${id}`,
  settlementRun: (id) => `/ops/settlement-runs/${id}`,
  user: personPath,
  brokerageCase: (id) => `/ops/brokerage/${id}`,
};

/** The page of an id; what has no page of its own has an audit trail. */
function homeOf(text: string): string | undefined {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  const kind = kinds.find((each) => isId(each, text));
  if (kind) return (HOMES[kind] ?? auditPath)(text);
  return /^pk_(sandbox|live)_\w+$/.test(text) ? auditPath(text) : undefined;
}

function domainOf(text: string): string | null {
  try {
    return parseDomain(text).ascii;
  } catch {
    return null;
  }
}

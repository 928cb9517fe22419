/** A feature by which the documents group calls; `paths` are the path prefixes of the feature. */
export interface Tag {
  name: string;
  description: string;
  paths: readonly string[];
}

export const PUBLIC_TAGS: readonly Tag[] = [
  {
    name: 'Search',
    description: 'Whether names are available, and for how much.',
    paths: ['/domain/search'],
  },
  {
    name: 'WHOIS',
    description: 'The registration data of a domain, from RDAP or WHOIS.',
    paths: ['/tools/whois'],
  },
  {
    name: 'TLDs',
    description: 'Prices and requirements of TLDs.',
    paths: ['/pricing/tld', '/tlds'],
  },
  { name: 'Market', description: 'Domains for sale by their owners.', paths: ['/market'] },
  { name: 'Batch', description: 'Several reads in one request.', paths: ['/batch'] },
  {
    name: 'Owned domains',
    description: "The signed-in owner's domains, one by one or by the thousand.",
    paths: ['/domains'],
  },
];

export const PARTNER_TAGS: readonly Tag[] = [
  {
    name: 'Discovery',
    description: 'Searching, prices and availability.',
    paths: ['/v1/domains', '/v1/availability', '/v1/pricing'],
  },
  { name: 'Quotes', description: 'Locking a price for ten minutes.', paths: ['/v1/quotes'] },
  { name: 'Offers', description: 'Making offers below the price.', paths: ['/v1/offers'] },
  {
    name: 'Orders',
    description: 'Recording sales that you collected, and following them.',
    paths: ['/v1/orders'],
  },
  { name: 'Refunds', description: 'Refunding a sale.', paths: ['/v1/refunds'] },
  { name: 'Checkout', description: 'Hosted payment pages.', paths: ['/v1/checkout-session'] },
  { name: 'Sandbox', description: 'Advancing sandbox orders.', paths: ['/v1/sandbox'] },
  {
    name: 'Settlements',
    description: 'Statements of what was sold and what is owed.',
    paths: ['/v1/settlements'],
  },
  {
    name: 'Reports',
    description: 'Transactions, payouts and issued documents.',
    paths: ['/v1/transactions', '/v1/payouts', '/v1/documents'],
  },
  {
    name: 'Brokerage',
    description: 'Buying a domain that is not for sale.',
    paths: ['/v1/brokerage'],
  },
  {
    name: 'Referral',
    description: 'Tracked links and what they earned.',
    paths: ['/v1/links', '/v1/me', '/v1/analytics'],
  },
  {
    name: 'Events',
    description: 'The history of everything that happened.',
    paths: ['/v1/events'],
  },
  {
    name: 'Webhooks',
    description: 'The endpoint that events are sent to, and its deliveries.',
    paths: ['/v1/webhooks', '/webhooks'],
  },
];

/** Returns the feature that a path belongs to. @throws Error if no tag has the path */
export function tagOf(tags: readonly Tag[], path: string): string {
  const fits = (start: string) => path === start || path.startsWith(`${start}/`);
  const tag = tags.find(({ paths }) => paths.some(fits));
  if (!tag) throw new Error(`no tag of api/openapi/openapi-tags.ts has the path ${path}`);
  return tag.name;
}

/** Returns the Tag Objects of a document. */
export function tagObjects(tags: readonly Tag[]) {
  return tags.map(({ name, description }) => ({ name, description }));
}

/** A page of the portal that is written in a Markdown file. */
export interface Guide {
  /** The last part of its address: `/docs/<slug>`. */
  slug: string;
  /** In the navigation. */
  name: string;
  /** From the top of the repository. */
  file: string;
}

export interface GuideGroup {
  title: string;
  guides: readonly Guide[];
}

const guide = (slug: string, name: string): Guide => ({ slug, name, file: `docs/${slug}.md` });

/**
 * What the portal publishes, in the order of its navigation. Pages for operators and engineers of the
 * service stay in the repository.
 */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  {
    title: 'Start',
    guides: [
      guide('quickstart', 'Quickstart'),
      guide('getting-started', 'What to build'),
      guide('sandbox', 'The sandbox'),
      guide('going-live', 'Going live'),
    ],
  },
  {
    title: 'Partner API',
    guides: [
      guide('signing', 'Signing requests'),
      guide('partner-api', 'The partner API'),
      guide('webhooks', 'Webhooks and events'),
      guide('errors', 'Errors'),
      guide('states', 'States'),
      { slug: 'sdk', name: 'TypeScript SDK', file: 'sdk/README.md' },
      { slug: 'sdk-methods', name: 'Methods of the SDK', file: 'sdk/METHODS.md' },
      guide('checkout', 'Hosted checkout'),
      guide('brokerage', 'Brokerage'),
      guide('referral', 'Referrals'),
    ],
  },
  {
    title: 'Money',
    guides: [
      guide('money', 'One month, worked'),
      guide('settlements', 'Settlements and payouts'),
      guide('reports', 'Reports'),
      guide('payments', 'Payments of buyers'),
    ],
  },
  {
    title: 'Public API',
    guides: [
      guide('public-api', 'The public API'),
      guide('sign-in', 'Signing users in'),
      guide('bulk', 'Bulk operations'),
      guide('lookup', 'Lookups'),
      guide('tool-server', 'The tool server'),
      guide('versioning', 'Versions'),
    ],
  },
];

export const CHANGELOG: Guide = { slug: 'changelog', name: 'Changes', file: 'CHANGELOG.md' };

export const GUIDES: readonly Guide[] = [
  ...GUIDE_GROUPS.flatMap(({ guides }) => guides),
  CHANGELOG,
];

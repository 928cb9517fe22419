import { eventReference } from './event-reference.ts';

/** A portal page that is written in Markdown. */
export interface Guide {
  /** The last part of its path: `/docs/<slug>`. */
  slug: string;
  /** Its name in the navigation. */
  name: string;
  /** What the reader finds there, in one line. */
  about: string;
  /** Relative to the top of the repository; the page's links are relative to it. */
  file: string;
  /** Generates Markdown that the page's file does not hold: `text` is the file's text, empty without a file. */
  generate?(text: string): string;
}

export interface GuideGroup {
  title: string;
  guides: readonly Guide[];
}

const guide = (slug: string, name: string, about: string): Guide => {
  return { slug, name, about, file: `docs/${slug}.md` };
};

/**
 * The pages for readers: people with an account, who have never seen the repository. The portal publishes them in this
 * order of its navigation.
 */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  {
    title: 'Start',
    guides: [
      guide(
        'quickstart',
        'Quickstart',
        'Search, quote, order, read: a sale in the sandbox, in five languages.',
      ),
      guide('getting-started', 'What to build', 'What your shop needs to do, step by step.'),
      guide(
        'sandbox',
        'The sandbox',
        'Names with fixed outcomes, and how to advance an order yourself.',
      ),
      guide('going-live', 'Going live', 'A checklist for your first real sale.'),
    ],
  },
  {
    title: 'Partner API',
    guides: [
      guide(
        'signing',
        'Signing requests',
        'The canonical string, worked examples, and an inspector that signs as you type.',
      ),
      guide(
        'partner-api',
        'The partner API',
        'Every endpoint explained: scopes, limits, orders, refunds.',
      ),
      guide('webhooks', 'Webhooks and events', 'Receive, verify, retry, and read the history.'),
      {
        ...guide('events', 'Event types', 'Every event: when it happens, its fields, an example.'),
        generate: eventReference,
      },
      guide('errors', 'Errors', 'Every code, and what to do about it.'),
      guide('states', 'States', 'State diagrams of orders, transfers and brokerage cases.'),
      {
        slug: 'sdk',
        name: 'TypeScript SDK',
        about: 'Typed calls, retries, webhooks, and a command line.',
        file: 'sdk/README.md',
      },
      {
        slug: 'sdk-methods',
        name: 'SDK methods',
        about: 'Every call with its path and scope.',
        file: 'sdk/METHODS.md',
      },
      guide(
        'checkout',
        'Hosted checkout',
        'The buyer pays on our page, and you earn a commission.',
      ),
      guide('brokerage', 'Brokerage', 'Buying domains that are not listed.'),
      guide('referral', 'Referrals', 'Tracked links, and what they earn.'),
    ],
  },
  {
    title: 'Money',
    guides: [
      guide(
        'money',
        'One month, worked',
        'Orders, a statement, a payout and the ledger, to the cent.',
      ),
      guide('settlements', 'Settlements and payouts', 'Periods, due dates, clawbacks and payouts.'),
      guide('documents', 'Documents and tax', 'Invoices, statements and their numbers; VAT.'),
      guide('reports', 'Reports', 'Transactions and payouts as JSON and CSV.'),
    ],
  },
  {
    title: 'Public API',
    guides: [
      guide(
        'public-api',
        'The public API',
        'Search, lookups, prices and the market, without a key.',
      ),
      guide('sign-in', 'Signing users in', 'OAuth 2.1 for apps that act for a person.'),
      guide('bulk', 'Bulk operations', 'Change a thousand domains in one job.'),
      guide('lookup', 'Lookups', 'The registration data of a domain, from RDAP or WHOIS.'),
      guide('tool-server', 'The tool server', 'The same calls as tools for an assistant.'),
      guide('versioning', 'Versions', 'What stays stable, and how much notice you get.'),
    ],
  },
];

export const CHANGELOG: Guide = {
  slug: 'changelog',
  name: 'Changes',
  about: 'What is new, what changed, and what is going away.',
  file: 'CHANGELOG.md',
  generate: changesForReaders,
};

export const GUIDES: readonly Guide[] = [
  ...GUIDE_GROUPS.flatMap(({ guides }) => guides),
  CHANGELOG,
];

/**
 * The pages for operators and engineers of the service, by path; they stay in the repository. A path that ends in a
 * slash is a folder. Every page of the repository is either here or for readers.
 */
export const REPOSITORY_PAGES: readonly string[] = [
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'docs/adr/',
  'docs/architecture.md',
  'docs/benchmarks.md',
  'docs/chaos.md',
  'docs/closing.md',
  'docs/configuration.md',
  'docs/embeddings.md',
  'docs/examples/shop/README.md',
  'docs/locks.md',
  'docs/monitoring.md',
  'docs/operations.md',
  'docs/payments.md',
  'docs/registrar.md',
  'docs/runbooks.md',
  'docs/scaling.md',
  'docs/screening.md',
  'docs/search-evaluation.md',
  'docs/search.md',
  'docs/security.md',
];

/** A list of changes for operators, up to the next list or heading. */
const FOR_OPERATORS = /^For operators:\n[\s\S]*?(?=^For |^#|(?![\s\S]))/gm;
/** A third-level heading with nothing below it. */
const EMPTY_SECTION = /^### .*\n\s*(?=^#|(?![\s\S]))/gm;

/** Returns the changelog's Markdown without changes that only operators of the service notice. */
function changesForReaders(changelog: string): string {
  return changelog.replace(FOR_OPERATORS, '').replace(EMPTY_SECTION, '');
}

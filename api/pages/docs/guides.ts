import { readdirSync, readFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { SAMPLE_EXTENSIONS } from './code-samples.ts';
import { eventReference } from './event-reference.ts';
import { type RenderedPage, renderMarkdown } from './markdown.ts';

/** A page of the portal that is written in Markdown. */
export interface Guide {
  /** The last part of its address: `/docs/<slug>`. */
  slug: string;
  /** In the navigation. */
  name: string;
  /** What the reader finds there, in a line. */
  about: string;
  /** From the top of the repository; where the links of the page start. */
  file: string;
  /** Makes the Markdown of a page that is not in its file but made from the code. */
  generate?(): string;
}

export interface GuideGroup {
  title: string;
  guides: readonly Guide[];
}

const guide = (slug: string, name: string, about: string): Guide => {
  return { slug, name, about, file: `docs/${slug}.md` };
};

/**
 * What the portal publishes, in the order of its navigation. Pages for operators and engineers of the
 * service stay in the repository.
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
        'Names with fixed outcomes, and how to move an order yourself.',
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
      guide('brokerage', 'Brokerage', 'Buying domains that nobody has listed.'),
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
      guide('payments', 'Buyer payments', 'Cards, refunds and disputes behind the checkout page.'),
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
      guide('lookup', 'Lookups', 'Who holds a domain, from RDAP or WHOIS.'),
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
};

export const GUIDES: readonly Guide[] = [
  ...GUIDE_GROUPS.flatMap(({ guides }) => guides),
  CHANGELOG,
];

const ROOT = new URL('../../../', import.meta.url);

/** The folders of docs/examples whose files are programs of their own. */
const SAMPLE_FOLDERS = ['', 'quickstart/', 'sign-in/', 'verify-webhook/'];

/** These programs as the portal serves them: address to text. */
export const SAMPLES: ReadonlyMap<string, string> = new Map(
  SAMPLE_FOLDERS.map((folder) => `docs/examples/${folder}`).flatMap((folder) =>
    readdirSync(new URL(folder, ROOT))
      .filter((name) => SAMPLE_EXTENSIONS.includes(extname(name)))
      .map((name) => [`/${folder}${name}`, readText(folder + name)] as const),
  ),
);

const bySource = new Map(GUIDES.map((guide) => [guide.file, guide]));

/** A guide, from the repository's Markdown. */
export function renderGuide(guide: Guide): RenderedPage {
  return renderMarkdown(sourceOf(guide), {
    resolve: (target) => resolveLink(guide.file, target),
    samples: SAMPLES,
  });
}

/** The Markdown of a guide. */
export function sourceOf(guide: Guide): string {
  return guide.generate?.() ?? readText(guide.file);
}

function resolveLink(from: string, target: string): { href: string; name?: string } | null {
  if (/^([a-z]+:|[#/])/.test(target)) return { href: target };
  const anchor = target.includes('#') ? `#${target.split('#')[1]}` : '';
  const path = placeOf(from, target);
  const guide = bySource.get(path);
  if (guide) return { href: `/docs/${guide.slug}${anchor}`, name: guide.name };
  return SAMPLES.has(`/${path}`) ? { href: `/${path}` } : null;
}

function placeOf(from: string, target: string): string {
  return posix.join(posix.dirname(from), target.split('#')[0] ?? '');
}

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

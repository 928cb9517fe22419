import { parseDomain } from '../../market/names/domain-name.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import { listTlds } from '../../market/tlds/tld-catalogue.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import { formatMoneyWithCode, type Money } from '../../platform/money.ts';
import { findOwnedDomains } from '../owned-domains/manage-owned-domains.ts';
import type { OwnedDomain } from '../owned-domains/owned-domain.ts';
import { type BulkItem, errorResult, type ItemResult, okResult } from './bulk-job.ts';
import {
  asksTld,
  type BulkAction,
  type CheckContext,
  canonicalAction,
  checkItem,
  costOf,
  previewMessage,
} from './bulk-operations.ts';

type Deps = { db: Database; clock: Clock };

/** Returns a request's distinct domains in order; text that is not a domain becomes an item that fails on its own. */
export function itemsOf(
  domains: readonly string[],
): Pick<BulkItem, 'domain' | 'code' | 'message'>[] {
  const items = new Map(domains.map(toItem).map((item) => [item.domain, item]));
  return [...items.values()];
}

function toItem(text: string): Pick<BulkItem, 'domain' | 'code' | 'message'> {
  try {
    return { domain: parseDomain(text).ascii, code: null, message: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = error.message.replace(/^\/domain /, 'The name ');
    return {
      domain: text,
      code: error.code,
      message: /[.?]$/.test(message) ? message : `${message}.`,
    };
  }
}

/** What an operation would do to a domain. */
export interface BulkPreview extends ItemResult {
  domain: string;
  /** The cost: undefined if free, null if unknown. */
  cost?: Money | null | undefined;
}

/** Previews an operation on a user's domains: the result of a dry run, but immediate and without a job. */
export async function previewBulk(
  deps: Deps,
  request: { userId: string; action: BulkAction; domains: readonly string[] },
): Promise<BulkPreview[]> {
  const action = canonicalAction(request.action);
  const items = itemsOf(request.domains).map(
    (item, position): BulkItem => ({ ...item, position, state: 'pending' }),
  );
  const [tlds, owned] = await Promise.all([
    tldsFor(deps, action),
    findOwnedDomains(deps.db.knex, request.userId, namesOf(items)),
  ]);
  const { good, refused } = checkAll(action, items, { owned, tlds, now: deps.clock.now() });
  const done = good.map((each) => ({
    ...okResult(each.item.position, previewMessage(action, each.owned)),
    cost: costOf(action, each.owned, tlds),
  }));
  const results = new Map<number, Omit<BulkPreview, 'domain'>>(
    [...refused, ...done].map((result) => [result.position, result]),
  );
  return items.flatMap(({ position, domain }) => {
    const result = results.get(position);
    return result ? [{ ...result, domain }] : [];
  });
}

/** Returns the dry-run message for a domain: what would happen, and the cost. */
export function dryRunMessage(
  action: BulkAction,
  owned: OwnedDomain,
  tlds: ReadonlyMap<string, Tld>,
): string {
  const said = previewMessage(action, owned);
  const cost = costOf(action, owned, tlds);
  if (cost === undefined) return said;
  return cost ? `${said} Price: ${formatMoneyWithCode(cost)}.` : `${said} The price is unknown.`;
}

/** Separates the domains to which an action can be applied from those to which it cannot. */
export function checkAll(
  action: BulkAction,
  items: readonly BulkItem[],
  around: CheckContext,
): { good: { item: BulkItem; owned: OwnedDomain }[]; refused: ItemResult[] } {
  const good: { item: BulkItem; owned: OwnedDomain }[] = [];
  const refused: ItemResult[] = [];
  for (const item of items) {
    const checked = checkItem(action, item, around);
    if ('owned' in checked) good.push({ item, owned: checked.owned });
    else refused.push(errorResult(item.position, checked.refusal));
  }
  return { good, refused };
}

/** Returns the domain names of items. */
export function namesOf(items: readonly BulkItem[]): string[] {
  return items.map(({ domain }) => domain);
}

/** Returns the TLD rules by TLD if the action depends on them; otherwise an empty map. */
export async function tldsFor(deps: Deps, action: BulkAction): Promise<Map<string, Tld>> {
  if (!asksTld(action)) return new Map();
  return new Map((await listTlds(deps)).map((tld) => [tld.tld, tld]));
}

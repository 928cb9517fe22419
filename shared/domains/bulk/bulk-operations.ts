import type { Static } from 'typebox';
import type { Listing } from '../../market/inventory/listing.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { type FieldError, invalid } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import { AT_ANOTHER_REGISTRAR, type OwnedDomain, whyGone } from '../owned-domains/owned-domain.ts';
import type { DomainChange } from '../registrar/registrar.ts';
import type { BulkItem, Refusal } from './bulk-job.ts';
import { type BulkOperation, conflicting } from './define-operation.ts';
import { MARKET_OPERATIONS } from './market-operations.ts';
import { REGISTRAR_OPERATIONS } from './registrar-operations.ts';

export const MAX_BULK_DOMAINS = 1_000;

/** The data needed to check the domains of a chunk. */
export interface CheckContext {
  /** The caller's domains, by name. */
  owned: ReadonlyMap<string, OwnedDomain>;
  /** The TLD rules, by TLD; empty for operations that do not depend on them. */
  tlds: ReadonlyMap<string, Tld>;
  now: Date;
}

/** Every bulk operation. */
export const BULK_OPERATIONS = { ...REGISTRAR_OPERATIONS, ...MARKET_OPERATIONS } as const;

export type BulkOp = keyof typeof BULK_OPERATIONS;
export const BULK_OPS = Object.keys(BULK_OPERATIONS) as readonly BulkOp[];

export function isBulkOp(name: string): name is BulkOp {
  return Object.hasOwn(BULK_OPERATIONS, name);
}

/** An operation with its parameters, as stored with the job. */
export type BulkAction = {
  [Op in BulkOp]: { op: Op; params: Static<(typeof BULK_OPERATIONS)[Op]['params']> };
}[BulkOp];

/** Returns the operation of an action, typed for that action's params. */
function operationOf({ op }: BulkAction): BulkOperation<BulkAction['params']> {
  return BULK_OPERATIONS[op] as BulkOperation<BulkAction['params']>;
}

/**
 * Returns an action in the form in which it is stored: host names as A-labels, tags in lowercase, unknown fields
 * removed. Its params must already have passed their schema.
 * @throws validation_error for faults that a schema cannot express
 */
export function canonicalAction(action: BulkAction): BulkAction {
  const operation = operationOf(action);
  const known = Object.keys(operation.params.properties);
  const fields = Object.entries(action.params).filter(([name]) => known.includes(name));
  const faults: FieldError[] = [];
  const params = operation.canonical(Object.fromEntries(fields), faults);
  if (faults.length > 0) throw invalid(faults);
  return { op: action.op, params } as BulkAction;
}

/** Returns whether an action depends on the TLD rules. */
export function asksTld(action: BulkAction): boolean {
  return operationOf(action).asksTld;
}

/** Either the domain to change, or why it cannot be changed. */
export type Checked = { owned: OwnedDomain } | { refusal: Refusal };

/** Checks whether an action can be applied to a domain of a job. Real runs and dry runs use the same checks. */
export function checkItem(action: BulkAction, item: BulkItem, around: CheckContext): Checked {
  if (item.code !== null) return { refusal: { code: item.code, message: item.message ?? '' } };
  const owned = around.owned.get(item.domain);
  if (!owned) {
    return { refusal: { code: 'forbidden', message: 'This domain is not in your account.' } };
  }
  const gone = whyGone(owned);
  if (gone) return { refusal: conflicting(`${gone} You can no longer change it.`) };
  if (owned.legalHold) {
    return { refusal: conflicting('It is on legal hold and cannot be changed. Contact support.') };
  }
  if (owned.takenAt)
    return { refusal: conflicting(`${AT_ANOTHER_REGISTRAR} You can’t change it.`) };
  const { now, tlds } = around;
  const refusal = operationOf(action).refusal(action.params, {
    owned,
    tld: tlds.get(owned.tld),
    now,
  });
  return refusal ? { refusal } : { owned };
}

/** Describes what an action would do to a domain that passed the checks, for a dry run. */
export function previewMessage(action: BulkAction, owned: OwnedDomain): string {
  return operationOf(action).preview(action.params, owned);
}

/** Returns the cost of an action for a domain: undefined if free, null if unknown. */
export function costOf(
  action: BulkAction,
  owned: OwnedDomain,
  tlds: ReadonlyMap<string, Tld>,
): Money | null | undefined {
  return operationOf(action).cost(action.params, tlds.get(owned.tld));
}

/** Returns the registrar change that an action makes; undefined if it only affects our own market. */
export function registrarChange(action: BulkAction): DomainChange | undefined {
  const { execution } = operationOf(action);
  return execution.by === 'registrar' ? execution.change(action.params) : undefined;
}

/**
 * Applies a market action to domains and returns one result message per domain. The domains and their listings must
 * be locked and checked.
 * @throws Error for an action that the registrar carries out
 */
export async function applyOnMarket(
  uow: UnitOfWork,
  action: BulkAction,
  domains: readonly OwnedDomain[],
  listings: ReadonlyMap<string, Listing>,
): Promise<(string | null)[]> {
  const { execution } = operationOf(action);
  if (execution.by === 'registrar') throw new Error(`${action.op} is the registrar's to do`);
  if (domains.length > 0) await execution.apply(uow, action.params, domains, listings);
  return domains.map((owned) => execution.result(action.params, owned));
}

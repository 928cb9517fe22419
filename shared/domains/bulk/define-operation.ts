import type { Static, TObject } from 'typebox';
import type { Listing } from '../../market/inventory/listing.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { FieldError } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import type { OwnedDomain } from '../owned-domains/owned-domain.ts';
import type { DomainChange } from '../registrar/registrar.ts';
import type { Refusal } from './bulk-job.ts';

/** A domain to check for an operation, with its TLD rules if the operation depends on them. */
interface Around {
  owned: OwnedDomain;
  tld: Tld | undefined;
  now: Date;
}

/** The definition of an operation; an incomplete one does not compile. */
export interface BulkOperation<P> {
  params: TObject;
  /** Returns the params as stored with the job; adds faults that a schema cannot express. */
  canonical(params: P, faults: FieldError[]): P;
  /** Whether the operation depends on the TLD rules. */
  asksTld: boolean;
  /** Returns why a domain cannot be changed. The same in a real run and a dry run. */
  refusal(params: P, around: Around): Refusal | undefined;
  /** Describes what it would do to a domain that passed the checks, for a dry run. */
  preview(params: P, owned: OwnedDomain): string;
  /** Returns the cost for a domain: undefined if free, null if unknown. */
  cost(params: P, tld: Tld | undefined): Money | null | undefined;
  execution: AtRegistrar<P> | OnMarket<P>;
}

interface AtRegistrar<P> {
  by: 'registrar';
  change(params: P): DomainChange;
}

/** An operation on our own data only, in one transaction. */
interface OnMarket<P> {
  by: 'market';
  /** Applies the operation to checked domains, which are locked with their listings. */
  apply(
    uow: UnitOfWork,
    params: P,
    domains: readonly OwnedDomain[],
    listings: ReadonlyMap<string, Listing>,
  ): Promise<unknown>;
  /** Returns the result message, such as the new price with its currency; null if there is nothing to report. */
  result(params: P, owned: OwnedDomain): string | null;
}

type WithParams<T extends TObject> = Omit<BulkOperation<Static<T>>, 'params'> & { params: T };

/** Defines an operation whose functions take the params of its schema. */
export function defineOperation<T extends TObject>(operation: WithParams<T>): WithParams<T> {
  return operation;
}

/** Returns params unchanged, for operations that store them as given. */
export const asItIs = <P>(params: P): P => params;
/** The cost function of free operations. */
export const FREE = () => undefined;

/** Returns a refusal for params that the TLD rules or our own rules do not allow. */
export function malformed(message: string): Refusal {
  return { code: 'validation_error', message };
}

/** Returns a refusal caused by the state of the domain. */
export function conflicting(message: string): Refusal {
  return { code: 'conflict', message };
}

import type { Static, TObject } from 'typebox';
import type { Listing } from '../../market/inventory/listing.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { FieldError } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import type { OwnedDomain } from '../owned-domains/owned-domain.ts';
import type { DomainChange } from '../registrar/registrar.ts';
import type { Refusal } from './bulk-job.ts';

/** A domain that an operation may be done to, with the rules of its TLD when the operation asks for them. */
interface Around {
  owned: OwnedDomain;
  tld: Tld | undefined;
  now: Date;
}

/** The definition of an operation; an incomplete one does not compile. */
export interface BulkOperation<P> {
  params: TObject;
  /** The params as they are stored with the job; adds faults that a schema cannot express. */
  canonical(params: P, faults: FieldError[]): P;
  /** Whether the operation depends on the TLD's rules. */
  asksTld: boolean;
  /** Why a domain cannot be changed. The same in a real run and a dry run. */
  refusal(params: P, around: Around): Refusal | undefined;
  /** What it would do to a domain that it can be done to, for a dry run. */
  preview(params: P, owned: OwnedDomain): string;
  /** The cost for a domain: undefined when free, null when unknown. */
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
  /** Does it to domains that are checked, and locked with their listings. */
  apply(
    uow: UnitOfWork,
    params: P,
    domains: readonly OwnedDomain[],
    listings: ReadonlyMap<string, Listing>,
  ): Promise<unknown>;
  /** What it did: the price that a domain has now, with the currency; null where there is nothing to tell. */
  result(params: P, owned: OwnedDomain): string | null;
}

type WithParams<T extends TObject> = Omit<BulkOperation<Static<T>>, 'params'> & { params: T };

/** A definition whose functions take the params of its schema. */
export function defineOperation<T extends TObject>(operation: WithParams<T>): WithParams<T> {
  return operation;
}

/** For params that are stored as they were given. */
export const asItIs = <P>(params: P): P => params;
/** For operations that cost nothing. */
export const FREE = () => undefined;

/** A refusal of params that the rules of a TLD, or ours, do not allow. */
export function malformed(message: string): Refusal {
  return { code: 'validation_error', message };
}

/** A refusal that the state of the domain is the reason for. */
export function conflicting(message: string): Refusal {
  return { code: 'conflict', message };
}

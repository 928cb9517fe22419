import type { BulkItem, BulkJob } from '../../shared/domains/bulk/bulk-job.ts';
import {
  createBulkJob,
  listBulkItems,
  readBulkJob,
} from '../../shared/domains/bulk/bulk-job-lifecycle.ts';
import type { BulkAction } from '../../shared/domains/bulk/bulk-operations.ts';
import { grantDomains } from '../../shared/domains/domain-grants/grant-domains.ts';
import { findOwnedDomains } from '../../shared/domains/owned-domains/manage-owned-domains.ts';
import type { OwnedDomain } from '../../shared/domains/owned-domains/owned-domain.ts';
import type { ChangeAnswer, ChangeRequest } from '../../shared/domains/registrar/registrar.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { eventually } from './eventually.ts';
import { givenOwner } from './oauth.ts';
import type { Runtime } from './runtime.ts';

export interface Owner {
  userId: string;
  email: string;
  domains: string[];
}

/** Creates a user with new domains, with the given names or with this many generated ones. */
export async function givenOwnerOf(
  runtime: Runtime,
  domains: number | readonly string[],
): Promise<Owner> {
  const { id: userId, email } = await givenOwner(runtime);
  const names = typeof domains === 'number' ? newNames(domains) : [...domains];
  if (names.length > 0) await grantDomains(runtime, 'test', { email, domains: names });
  return { userId, email, domains: names };
}

/** Returns names that nobody has. */
export function newNames(count: number): string[] {
  const batch = randomBase62(8).toLowerCase();
  return Array.from({ length: count }, (_, at) => `owned-${batch}-${at}.com`);
}

/** Creates a bulk job as the API records it. */
export async function givenBulkJob(
  runtime: Runtime,
  owner: Owner,
  action: BulkAction,
  options: { domains?: readonly string[]; dryRun?: boolean } = {},
): Promise<BulkJob> {
  const { domains = owner.domains, dryRun = false } = options;
  return runtime.db.transact((uow) =>
    createBulkJob(uow, runtime.config, { userId: owner.userId, action, domains, dryRun }),
  );
}

export async function jobNow(runtime: Runtime, job: BulkJob): Promise<BulkJob> {
  return readBulkJob(runtime, job.userId, job.id);
}

/** Returns the job once every domain has a result. */
export async function finished(
  runtime: Runtime,
  job: BulkJob,
  withinMs?: number,
): Promise<BulkJob> {
  return eventually(
    () => jobNow(runtime, job),
    ({ finishedAt }) => finishedAt !== null,
    withinMs ? { withinMs } : {},
  );
}

export async function itemsNow(runtime: Runtime, job: BulkJob): Promise<BulkItem[]> {
  const page = { states: null, after: -1, limit: 1_000 };
  return (await listBulkItems(runtime, job, page)).rows;
}

export async function ownedNow(runtime: Runtime, owner: Owner): Promise<OwnedDomain[]> {
  const found = await findOwnedDomains(runtime.db.knex, owner.userId, owner.domains);
  return owner.domains.flatMap((domain) => found.get(domain) ?? []);
}

/** Returns the domains that the sandbox registrar changed, once for each change. */
export async function registrarEffects({ db }: Runtime): Promise<string[]> {
  return db.knex('sandbox_registrar_effects').orderBy('domain').pluck('domain');
}

/** Returns the runtime with a registrar whose changes go through `change`, which may call the real one. */
export function withRegistrar(
  runtime: Runtime,
  change: (
    request: ChangeRequest,
    real: (request: ChangeRequest) => Promise<ChangeAnswer>,
  ) => Promise<ChangeAnswer>,
): Runtime {
  return {
    ...runtime,
    registrars: (environment) => {
      const registrar = runtime.registrars(environment);
      return { ...registrar, change: (request) => change(request, registrar.change) };
    },
  };
}

import { readOwnedDomain, recordFacts } from '../../domains/owned-domains/manage-owned-domains.ts';
import {
  AT_ANOTHER_REGISTRAR,
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  whyGone,
} from '../../domains/owned-domains/owned-domain.ts';
import { expiryAfter, renewalFault } from '../../domains/owned-domains/renewal-terms.ts';
import type { GraceStatus, Registrars } from '../../domains/registrar/registrar.ts';
import { onLegalHold } from '../../market/legal-holds/legal-hold.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import { listTlds } from '../../market/tlds/tld-catalogue.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { fail, ServiceError } from '../../platform/errors.ts';
import type { NewRenewal } from './renewal.store.ts';
import { notRenewable, type RenewalKind } from './renewal.ts';
import { priceRenewal } from './renewal-price.ts';

/** The dependencies of quoting renewals. */
export interface QuoteDeps {
  db: Database;
  clock: Clock;
  config: Config;
  registrars: Registrars;
}

/** A renewal that an owner requests. */
export interface RenewalRequest {
  /** A-labels. */
  domain: string;
  kind: RenewalKind;
  years: number;
}

/** The current price of a renewal, and the expiry date of the domain after it. */
export interface RenewalQuote extends NewRenewal {
  owned: OwnedDomain;
  renewsUntil: Date;
  tld: Tld | undefined;
}

/**
 * Asks the registry for the facts and prices of a user's domain, and returns our price: the TLD's price, or for a
 * premium name the registry's fee plus our margin.
 * @throws not_found for a domain that is not the user's, conflict (legal_hold, or invalid_state with the reason),
 *   service_unavailable when the registry does not answer
 */
export async function quoteRenewal(
  deps: QuoteDeps,
  userId: string,
  { domain: name, kind, years }: RenewalRequest,
): Promise<RenewalQuote> {
  if (!renewsHere(deps.config)) {
    throw notRenewable('Our staff renew domains here. Contact support.');
  }
  const owned = await readOwnedDomain(deps, userId, name);
  const { domain, tld: suffix } = owned;
  if (owned.legalHold) throw onLegalHold(domain);
  if (owned.takenAt) throw notRenewable(AT_ANOTHER_REGISTRAR);
  if (owned.leaving) throw notRenewable(`${domain} is moving to another registrar.`);
  const gone = whyGone(owned);
  if (gone) throw notRenewable(`${gone} You can no longer renew it.`);
  const tld = (await listTlds(deps)).find((each) => each.tld === suffix);
  const { facts, prices } = await askRegistrar(deps, domain, years);
  if (!facts) throw notRenewable(notHeld(domain, kind));
  await deps.db.transact((uow) => recordFacts(uow, [facts]));
  const wrong = KIND_FAULTS[kind](facts.grace, domain);
  if (wrong) throw notRenewable(wrong);
  const { expiresAt: renewsFrom } = facts;
  const terms = { tld: suffix, expiresAt: renewsFrom, rules: tld, now: deps.clock.now() };
  const fault = renewalFault(years, terms);
  if (fault) throw notRenewable(fault);
  const { price, fees } = priceRenewal({ kind, years }, prices, tld, deps.config);
  if (!price) throw notRenewable(`We have no price for that under .${suffix}. Contact support.`);
  const renewsUntil = expiryAfter(renewsFrom, years);
  return { userId, owned, domain, kind, years, renewsFrom, renewsUntil, price, fees, tld };
}

/** Returns whether renewals are sold. Where people move domains by hand, they also renew them. */
export function renewsHere({ registrarLive, nodeEnv }: Config): boolean {
  return registrarLive !== 'manual' || nodeEnv !== 'production';
}

async function askRegistrar({ registrars }: QuoteDeps, domain: string, years: number) {
  const registrar = registrars(OWNERS_ENVIRONMENT);
  try {
    const [[facts], [prices]] = await Promise.all([
      registrar.inspect([domain]),
      registrar.prices([domain], years),
    ]);
    return { facts, prices };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw fail('service_unavailable', {
      message: 'The registry doesn’t answer right now. Try again in a few minutes.',
      cause: error,
    });
  }
}

/** Why a domain cannot be renewed or restored in its current state at the registry. */
const KIND_FAULTS: Record<
  RenewalKind,
  (grace: GraceStatus | undefined, domain: string) => string | undefined
> = {
  renewal: (grace, domain) =>
    grace && `The registry has deleted ${domain}. See whether it can be restored.`,
  restore(grace, domain) {
    if (grace === 'redemption') return undefined;
    if (grace === 'pending_delete') {
      return `${domain} can’t be restored anymore: its registry is deleting it for good.`;
    }
    return grace
      ? `${domain} is already being restored.`
      : `${domain} isn’t deleted. Renew it instead.`;
  },
};

function notHeld(domain: string, kind: RenewalKind): string {
  return kind === 'restore'
    ? `${domain} can’t be restored anymore: it is not in our account at the registry.`
    : `${domain} is not in our account at the registry, so it can’t be renewed here.`;
}

import { lockListings, passListingsOn } from '../../market/inventory/change-listings.ts';
import { onLegalHold } from '../../market/legal-holds/legal-hold.ts';
import { lockHeldDomains } from '../../market/legal-holds/read-legal-holds.ts';
import { type DomainName, parseDomain } from '../../market/names/domain-name.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { findUser } from '../../people/users/user-account.ts';
import type { Clock } from '../../platform/clock.ts';
import { conflict, type FieldError, fail, ServiceError } from '../../platform/errors.ts';
import {
  type RejectedLine,
  readLines,
  rejectedLine,
  TOO_LONG,
} from '../../platform/line-reader.ts';
import { dropRegistrant } from '../domain-registrants/registered-for.ts';
import { findOnTheirWay, giveDomains } from '../owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../owned-domains/owned-domain.ts';
import type { DomainFacts, Registrars } from '../registrar/registrar.ts';

/** The number of names per transaction. */
const BATCH_SIZE = 1_000;

type Deps = { db: Database; clock: Clock; registrars: Registrars };

/**
 * Grants domains to the user with this email address, all or none. Domains that the user already owns stay unchanged,
 * except those whose purchase was refunded: these are granted anew. Returns how many of the domains, each counted once,
 * the user owns now.
 * @throws not_found (no such user, or the registrar does not hold a domain), validation_error,
 *   conflict (`already_exists`) if another user owns one, (`legal_hold`) if one must not move
 */
export async function grantDomains(
  deps: Deps,
  actor: string,
  input: { email: string; domains: readonly string[] },
): Promise<number> {
  const userId = await userOf(deps, input.email);
  const names = distinct(input.domains.map((domain, at) => parseDomain(domain, `/domain/${at}`)));
  const held = await heldOf(deps, names);
  const unknown = names.find(({ ascii }) => !held.has(ascii));
  if (unknown) throw fail('not_found', { message: notHeld(unknown.ascii) });
  return deps.db.transact(async (uow) => {
    const onHold = await lockHeldDomains(uow, OWNERS_ENVIRONMENT, [...held.keys()]);
    for (const domain of onHold) throw onLegalHold(domain);
    const theirs = await grant(uow, userId, [...held.values()]);
    const foreign = names.find(({ ascii }) => !theirs.has(ascii));
    if (foreign) throw conflict('already_exists', ownedBySomebodyElse(foreign.ascii));
    await audit(uow, actor, { userId, granted: theirs.size });
    return theirs.size;
  });
}

/**
 * Like {@link grantDomains}, for a stream with one name per line: in batches, and a bad line affects no other line.
 * @throws not_found if there is no such user
 */
export async function grantDomainsOfFile(
  deps: Deps,
  actor: string,
  input: {
    email: string;
    source: AsyncIterable<Uint8Array | string>;
    onRejected(row: RejectedLine): void;
  },
): Promise<number> {
  const userId = await userOf(deps, input.email);
  let granted = 0;
  /** Names seen in all batches, so that each domain counts once. */
  const named = new Set<string>();
  let batch = new Map<string, { line: number; text: string; name: DomainName }>();
  const flush = async () => {
    const rows = batch;
    batch = new Map();
    const held = await heldOf(
      deps,
      [...rows.values()].map(({ name }) => name),
    );
    const { theirs, onHold } = await deps.db.transact(async (uow) => {
      const onHold = await lockHeldDomains(uow, OWNERS_ENVIRONMENT, [...held.keys()]);
      const free = [...held.values()].filter(({ name }) => !onHold.has(name.ascii));
      const theirs = await grant(uow, userId, free);
      return { theirs, onHold };
    });
    granted += theirs.size;
    for (const [domain, { line, text }] of rows) {
      if (theirs.has(domain)) continue;
      const refusal = onHold.has(domain)
        ? onLegalHold(domain).message
        : ownedBySomebodyElse(domain);
      const reason = held.has(domain) ? refusal : notHeld(domain);
      input.onRejected(rejectedLine(line, text, reason));
    }
  };
  for await (const { number: line, text, isTooLong } of readLines(input.source)) {
    if (text.trim() === '') continue;
    const name = isTooLong ? TOO_LONG : tryName(text);
    if (typeof name === 'string') input.onRejected(rejectedLine(line, text, name));
    else if (!named.has(name.ascii)) {
      named.add(name.ascii);
      batch.set(name.ascii, { line, text, name });
    }
    if (batch.size >= BATCH_SIZE) await flush();
  }
  await flush();
  await deps.db.transact((uow) => audit(uow, actor, { userId, granted }));
  return granted;
}

/**
 * Grants domains, which must not be on legal hold, to a user, and returns the names of those that are theirs now. One
 * that is new to them and whose last sale is over is not sold anymore: its listing waits for the next sale. While a
 * buyer waits for it, it stays sold, but off the market if that sale is undone. The registrant of a former owner is
 * forgotten.
 */
async function grant(
  uow: UnitOfWork,
  userId: string,
  domains: readonly { name: DomainName; facts: DomainFacts }[],
): Promise<Set<string>> {
  const names = domains.map(({ name }) => name.ascii);
  const listings = await lockListings(uow, OWNERS_ENVIRONMENT, names);
  const { theirs, former } = await giveDomains(uow, userId, domains);
  for (const { domain, userId: formerId } of former) {
    if (formerId === userId) continue;
    await dropRegistrant(uow, { environment: OWNERS_ENVIRONMENT, domain });
  }
  const fresh = theirs.filter(({ isNew }) => isNew).map(({ domain }) => domain);
  const sold = fresh.filter((domain) => listings.get(domain)?.status === 'sold');
  if (sold.length > 0) {
    const idsOf = (names: readonly string[]) =>
      names.flatMap((name) => listings.get(name)?.id ?? []);
    const onTheirWay = await findOnTheirWay(uow.sql, sold);
    await passListingsOn(uow, idsOf(sold), idsOf([...onTheirWay]));
  }
  return new Set(theirs.map(({ domain }) => domain));
}

async function userOf(deps: Deps, email: string): Promise<string> {
  const user = await findUser(deps, email);
  if (!user) throw fail('not_found', { message: 'No user has this email address.' });
  return user.id;
}

/** Returns the registrar's facts by domain; domains that it does not hold are omitted. */
async function heldOf(
  { registrars }: Deps,
  names: readonly DomainName[],
): Promise<Map<string, { name: DomainName; facts: DomainFacts }>> {
  if (names.length === 0) return new Map();
  const byName = new Map(names.map((name) => [name.ascii, name]));
  const facts = await registrars(OWNERS_ENVIRONMENT).inspect([...byName.keys()]);
  return new Map(
    facts.flatMap((each) => {
      const name = byName.get(each.domain);
      return name ? [[name.ascii, { name, facts: each }] as const] : [];
    }),
  );
}

function distinct(names: readonly DomainName[]): DomainName[] {
  return [...new Map(names.map((name) => [name.ascii, name])).values()];
}

/** Returns the domain name, or the reason why the text is not one. */
function tryName(text: string): DomainName | string {
  try {
    return parseDomain(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.details as FieldError[]).map(({ message }) => message).join('; ');
  }
}

function notHeld(domain: string): string {
  return `The registrar does not hold ${domain}.`;
}

function ownedBySomebodyElse(domain: string): string {
  return `${domain} is somebody else's.`;
}

async function audit(
  uow: UnitOfWork,
  actor: string,
  { userId, granted }: { userId: string; granted: number },
): Promise<void> {
  const entry = { actor, action: 'domain:grant', subject: userId, after: { granted } };
  await recordAudit(uow, entry);
}

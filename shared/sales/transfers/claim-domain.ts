import { giveBoughtDomain } from '../../domains/owned-domains/grant-domains.ts';
import type { Registrars } from '../../domains/registrar/registrar.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { hashNewPassword } from '../../people/users/password.ts';
import { canonicalEmail } from '../../people/users/user.ts';
import { findUser, openAccount } from '../../people/users/user-account.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';
import { lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { verifyRegistrantOfOrder } from '../orders/order-verification.ts';
import { getOrderById } from '../orders/read-orders.ts';
import { type Claim, claimPath, deadClaim, readClaimToken } from './claim-link.ts';
import { confirmDelivery } from './confirm-delivery.ts';
import { selectDelivery } from './domain-delivery.store.ts';
import type { Delivery } from './domain-delivery.ts';

interface Deps {
  db: Database;
  secrets: SecretBox;
  tokens: SignedTokens;
  registrars: Registrars;
}

/** A domain that waits for its buyer. */
export interface OpenClaim extends Claim {
  domain: string;
  /** Of the buyer, as accounts spell it: whoever has the link has shown that they read its mail. */
  email: string;
  /** Whether there is an account of this address. */
  known: boolean;
}

/** What a claim link leads to. @throws not_found when the link is no good any more */
export async function readClaim(deps: Deps, token: string): Promise<OpenClaim> {
  const claim = await readClaimToken(deps.tokens, token);
  const delivery = await selectDelivery.first(deps.db.knex, { orderId: claim.orderId });
  assertOpen(delivery, claim);
  const { domain, buyerEmail } = await getOrderById(deps, claim.orderId);
  const email = canonicalEmail(buyerEmail);
  return { ...claim, domain, email, known: (await findUser(deps, email)) !== undefined };
}

/** Where the buyer of an order takes its domain; undefined while there is nothing to take. */
export async function openClaimPath(deps: Deps, orderId: string): Promise<string | undefined> {
  const delivery = await selectDelivery.first(deps.db.knex, { orderId });
  const { issue, expiresAt } = delivery ?? {};
  if (!isOpen(delivery) || issue === undefined || !expiresAt) return undefined;
  return claimPath(deps.tokens, { orderId, issue, expiresAt });
}

function isOpen(delivery: Delivery | undefined): delivery is Delivery {
  return delivery?.method === 'account' && delivery.status === 'awaiting_claim';
}

function assertOpen(delivery: Delivery | undefined, { issue }: Claim): void {
  if (!isOpen(delivery) || delivery.issue !== issue) throw deadClaim();
}

/** Who takes a domain: an account that is signed in, or the buyer's own, which is opened with this password. */
export type Claimant =
  | { userId: string; email: string; password?: never }
  | { userId?: never; password: string };

/**
 * Makes the domain the claimant's and ends the delivery, in one transaction; the settlement delay starts.
 * @throws not_found (the link), validation_error (the password), conflict (there is an account of the buyer's address,
 *   or a refund waits), unavailable when the registrar does not answer for the domain
 */
export async function claimDomain(deps: Deps, token: string, claimant: Claimant): Promise<Order> {
  const claim = await readClaim(deps, token);
  const open =
    claimant.userId === undefined
      ? await readyToOpen(claim.email, claimant.password)
      : async () => ({ id: claimant.userId, email: claimant.email });
  const [facts] = await deps.registrars('LIVE').inspect([claim.domain]);
  if (!facts) {
    throw fail('service_unavailable', {
      message:
        'The domain cannot be handed over at the moment. Try again later; your link stays good.',
    });
  }
  return deps.db.transact(async (uow) => {
    await lockOrderById(uow, claim.orderId);
    assertOpen(await selectDelivery.first(uow.sql, claim), claim);
    const { id: userId, email } = await open(uow);
    await giveBoughtDomain(uow, { orderId: claim.orderId, userId, facts });
    // The link came with the buyer's mail, and accounts have addresses that were verified.
    await verifyRegistrantOfOrder(uow, deps, claim.orderId, [claim.email, email]);
    return confirmDelivery(uow, claim.orderId);
  });
}

/** What opens the buyer's account; the password is hashed before a transaction begins. @throws validation_error */
async function readyToOpen(email: string, password: string) {
  const passwordHash = await hashNewPassword(password);
  return (uow: UnitOfWork) => openAccount(uow, { email, passwordHash });
}

import { giveBoughtDomain } from '../../domains/owned-domains/give-bought-domain.ts';
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
import { confirmDelivery } from './deliver-domain.ts';
import { selectDelivery } from './domain-delivery.store.ts';
import type { Delivery } from './domain-delivery.ts';

interface Deps {
  db: Database;
  secrets: SecretBox;
  tokens: SignedTokens;
  registrars: Registrars;
}

/** A domain that waits for its buyer to claim it. */
export interface OpenClaim extends Claim {
  domain: string;
  /** The buyer's address in its canonical form. Whoever has the link has shown that they read mail sent to it. */
  email: string;
  /** Whether an account with this address exists. */
  known: boolean;
}

/** Returns the open claim that a link leads to. @throws not_found when the link no longer works */
export async function readClaim(deps: Deps, token: string): Promise<OpenClaim> {
  const claim = await readClaimToken(deps.tokens, token);
  const delivery = await selectDelivery.first(deps.db.knex, { orderId: claim.orderId });
  assertOpen(delivery, claim);
  const { domain, buyerEmail } = await getOrderById(deps, claim.orderId);
  const email = canonicalEmail(buyerEmail);
  return { ...claim, domain, email, known: (await findUser(deps, email)) !== undefined };
}

/** Returns the path where the buyer of an order claims its domain; undefined if there is nothing to claim. */
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

/** Who claims a domain: a signed-in account, or a new account for the buyer, opened with this password. */
export type Claimant =
  | { userId: string; email: string; password?: never }
  | { userId?: never; password: string };

/**
 * Gives the domain to the claimant and ends the delivery, in one transaction. The settlement delay starts.
 * @throws not_found (the link), validation_error (the password), conflict (an account with the buyer's address
 *   exists, or a refund is pending), service_unavailable when the registrar does not answer for the domain
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
        'The domain cannot be handed over right now. Try again later; your link will still work.',
    });
  }
  return deps.db.transact(async (uow) => {
    await lockOrderById(uow, claim.orderId);
    assertOpen(await selectDelivery.first(uow.sql, claim), claim);
    const { id: userId, email } = await open(uow);
    await giveBoughtDomain(uow, { orderId: claim.orderId, userId, facts });
    // The link was mailed to the buyer, and account addresses are verified.
    await verifyRegistrantOfOrder(uow, deps, claim.orderId, [claim.email, email]);
    return confirmDelivery(uow, claim.orderId);
  });
}

/** Hashes the password before any transaction; the result opens the buyer's account in one. @throws validation_error */
async function readyToOpen(email: string, password: string) {
  const passwordHash = await hashNewPassword(password);
  return (uow: UnitOfWork) => openAccount(uow, { email, passwordHash });
}

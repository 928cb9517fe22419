import type { StaffRole } from '../../shared/people/users/user.ts';
import { fail } from '../../shared/platform/errors.ts';
import { auditRoutes } from './actions/audit-actions.ts';
import { brokerageRoutes } from './actions/brokerage-actions.ts';
import { checkoutRoutes } from './actions/checkout-actions.ts';
import { domainRoutes } from './actions/domain-actions.ts';
import { ledgerRoutes } from './actions/ledger-actions.ts';
import { legalHoldRoutes } from './actions/legal-hold-actions.ts';
import { mailRoutes } from './actions/mail-actions.ts';
import { memberRoutes } from './actions/member-actions.ts';
import { offerRoutes } from './actions/offer-actions.ts';
import { orderRoutes } from './actions/order-actions.ts';
import { partnerRoutes } from './actions/partner-actions.ts';
import { payoutRoutes } from './actions/payout-actions.ts';
import { queueRoutes } from './actions/queue-actions.ts';
import { registryRoutes } from './actions/registry-actions.ts';
import { renewalRoutes } from './actions/renewal-actions.ts';
import { screeningRoutes } from './actions/screening-actions.ts';
import { settlementRoutes } from './actions/settlement-actions.ts';
import { userRoutes } from './actions/user-actions.ts';
import { webhookRoutes } from './actions/webhook-actions.ts';
import { type Access, DANGEROUS, OPERATIONS, type OpsAction, type OpsRoute } from './ops-action.ts';
import type { Staff } from './ops-session.ts';

/**
 * All routes of the ops API, in the order of the help of their commands; {@link OpsRoute} says who may use them. The
 * console's forms are for the roles of their actions.
 */
export const opsRoutes: readonly OpsRoute[] = [
  ...partnerRoutes,
  ...memberRoutes,
  ...domainRoutes,
  ...legalHoldRoutes,
  ...orderRoutes,
  ...checkoutRoutes,
  ...screeningRoutes,
  ...brokerageRoutes,
  ...settlementRoutes,
  ...payoutRoutes,
  ...offerRoutes,
  ...registryRoutes,
  ...renewalRoutes,
  ...ledgerRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...mailRoutes,
  ...userRoutes,
  ...queueRoutes,
];

/** Who may open the queue dashboard. Pausing, retrying, promoting and cleaning are not actions in the table. */
export const QUEUE_BOARD: Access = { roles: OPERATIONS, dangerous: DANGEROUS };

const ROUTE_OF = new Map(opsRoutes.map((each) => [each.action.name, each]));

/** Returns whether this person must confirm the second factor before an action. */
export function needsConfirmation(action: OpsAction, { stale }: Staff): boolean {
  return stale && (ROUTE_OF.get(action.name)?.dangerous ?? true);
}

/** Returns whether staff with this role may run an action. */
export function mayRun(action: OpsAction, role: StaffRole): boolean {
  return ROUTE_OF.get(action.name)?.roles.includes(role) ?? false;
}

/**
 * Refuses an action to roles that may not run it, and a dangerous one to staff with a second factor who did not confirm
 * it recently.
 * @throws forbidden
 */
export function assertMayRun(action: OpsAction, staff: Staff): void {
  assertAccess(ROUTE_OF.get(action.name) ?? { roles: [], dangerous: true }, staff);
}

/** Like {@link assertMayRun}, for what is not an action. @throws forbidden */
export function assertAccess({ roles, dangerous }: Access, { role, stale }: Staff): void {
  if (!roles.includes(role)) {
    const who = new Intl.ListFormat('en', { type: 'disjunction' }).format(roles);
    throw fail('forbidden', { message: `Your role is ${role}. This needs ${who}.` });
  }
  if (dangerous && stale) {
    throw fail('forbidden', {
      message:
        'This needs your second factor from the last 15 minutes. Enter it at /ops/confirm, or sign in again.',
    });
  }
}

import { Type } from 'typebox';
import { delistDemoInventory } from '../../../shared/operations/demo/delist-demo-inventory.ts';
import {
  disableDemoAccounts,
  listDemoAccounts,
} from '../../../shared/operations/demo/demo-accounts.ts';
import { opsAction } from '../ops-action.ts';

export const devCredentials = opsAction({
  name: 'dev:credentials',
  summary: 'Show the key pairs and sign-ins of the demo marketplace (development only)',
  input: Type.Object({}),
  async run(context) {
    const { credentials, users } = await listDemoAccounts(context);
    return {
      credentials: credentials.map((credential) => ({
        partner_id: credential.partnerId,
        partner_name: credential.partnerName,
        environment: credential.environment,
        key_id: credential.keyId,
        secret: credential.secret,
        scopes: credential.scopes,
      })),
      users,
    };
  },
});

export const demoDisable = opsAction({
  name: 'demo:disable',
  summary:
    'Suspend the demo partners, disable the demo users and delist the made-up LIVE domains, so that production can start',
  input: Type.Object({}),
  redis: 'publishes',
  async run(context) {
    const { partners, users } = await disableDemoAccounts(context, context.actor);
    const listings = await delistDemoInventory(context, context.actor);
    return {
      partners_suspended: partners,
      users_disabled: users,
      listings_delisted: listings,
    };
  },
});

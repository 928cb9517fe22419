import { Type } from 'typebox';
import { listDemoAccounts } from '../../../shared/demo/list-demo-accounts.ts';
import { opsAction } from '../action.ts';

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

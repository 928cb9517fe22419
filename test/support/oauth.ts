import { apiResource, type OAuthScope } from '../../shared/people/oauth/access-token.ts';
import {
  clientRecords,
  grantRecords,
  tokenRecords,
} from '../../shared/people/oauth/oauth-records.ts';
import type { User } from '../../shared/people/users/user.ts';
import { newId, randomBase64Url } from '../../shared/platform/ids.ts';
import { givenAccount } from './accounts.ts';
import type { Runtime } from './runtime.ts';

/** Creates a person with domains. */
export async function givenOwner(runtime: Runtime): Promise<User> {
  return givenAccount(runtime, 'owner');
}

const ACCESS_TOKEN_SECONDS = 1_800;

/** Creates the access token of a client's completed sign-in, without the sign-in. */
export async function accessTokenFor(
  runtime: Runtime,
  { userId, scopes = ['pricing:read'] }: { userId: string; scopes?: readonly OAuthScope[] },
): Promise<string> {
  const clientId = newId('oauthClient', runtime.clock.now());
  const grantId = randomBase64Url(32);
  const token = randomBase64Url(32);
  await clientRecords(runtime).save(clientId, { client_id: clientId, client_name: 'Test client' });
  await grantRecords(runtime).save(grantId, { accountId: userId, clientId });
  await tokenRecords(runtime, 'AccessToken').save(
    token,
    { grantId, scope: scopes.join(' '), aud: apiResource(runtime.config) },
    ACCESS_TOKEN_SECONDS,
  );
  return token;
}

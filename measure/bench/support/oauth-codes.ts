import { createHash, randomBytes } from 'node:crypto';
import { apiResource } from '../../../shared/people/oauth/access-token.ts';
import {
  clientRecords,
  grantRecords,
  tokenRecords,
} from '../../../shared/people/oauth/oauth-records.ts';
import { signIn } from '../../../shared/people/users/user-session.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { PASSWORD } from '../../../test/support/accounts.ts';
import { givenOwner } from '../../../test/support/oauth.ts';
import type { TestRuntime } from '../../../test/support/runtime.ts';

const REDIRECT = 'http://127.0.0.1:4999/callback';
const SCOPE = 'pricing:read';
const CODE_SECONDS = 60;

/** Returns forms that redeem an authorization code, each from its own sign-in, as if a user had just approved it. */
export async function givenCodes(
  runtime: TestRuntime,
  count: number,
): Promise<Record<string, string>[]> {
  const now = runtime.clock.now();
  const { id: accountId, email } = await givenOwner(runtime);
  const { id: sessionId } = await signIn(runtime, { email, password: PASSWORD });
  const clientId = newId('oauthClient', now);
  await clientRecords(runtime).save(clientId, {
    client_id: clientId,
    client_name: 'Example agent',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
  const resource = apiResource(runtime.config);
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const verifier = randomBytes(32).toString('base64url');
  const forms: Record<string, string>[] = [];
  for (let i = 0; i < count; i += 1) {
    const [code, grantId] = [randomBytes(32), randomBytes(32)].map((each) =>
      each.toString('base64url'),
    ) as [string, string];
    await grantRecords(runtime).save(grantId, {
      accountId,
      clientId,
      iat: issuedAt,
      openid: { scope: SCOPE },
      resources: { [resource]: SCOPE },
    });
    await grantRecords(runtime).bind(grantId, sessionId);
    await tokenRecords(runtime, 'AuthorizationCode').save(
      code,
      {
        kind: 'AuthorizationCode',
        iat: issuedAt,
        exp: issuedAt + CODE_SECONDS,
        accountId,
        clientId,
        grantId,
        redirectUri: REDIRECT,
        scope: SCOPE,
        resource,
        codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
        codeChallengeMethod: 'S256',
      },
      CODE_SECONDS,
    );
    forms.push({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    });
  }
  return forms;
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { verifyAccessToken } from '../../../shared/people/oauth/access-token.ts';
import type { TestApp } from '../../support/app.ts';
import { givenOwner } from '../../support/oauth.ts';
import { newVisitor, signInAndAllow, startSignInApp } from '../../support/sign-in.ts';

const REDIRECT = 'http://127.0.0.1:4999/callback';

describe('OAuth client libraries that know only the base URL', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startSignInApp();
  });
  afterAll(() => app.stop());

  it('openid-client can discover, register, sign in, refresh and revoke', async () => {
    const owner = await givenOwner(app.runtime);
    const config = await client.dynamicClientRegistration(
      new URL(app.url),
      { redirect_uris: [REDIRECT], client_name: 'Example reader' },
      client.None(),
      { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
    );
    expect(config.clientMetadata().client_secret).toBeUndefined();

    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const link = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      scope: 'pricing:read domains:manage',
    });
    const answer = await signInAndAllow(newVisitor(app.url), link, owner.email);
    expect(answer.href).toMatch(/^http:\/\/127\.0\.0\.1:4999\/callback\?/);
    expect(answer.searchParams.get('iss')).toBe(app.url);

    const tokens = await client.authorizationCodeGrant(config, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    expect(tokens).toMatchObject({ expires_in: 1_800, scope: 'pricing:read domains:manage' });
    expect(await verifyAccessToken(app.runtime, tokens.access_token)).toMatchObject({
      userId: owner.id,
      scopes: ['pricing:read', 'domains:manage'],
    });

    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token);
    expect(await verifyAccessToken(app.runtime, fresh.access_token)).toBeDefined();

    await client.tokenRevocation(config, fresh.refresh_token ?? '');
    expect(await verifyAccessToken(app.runtime, fresh.access_token)).toBeUndefined();
    expect(await verifyAccessToken(app.runtime, tokens.access_token)).toBeUndefined();
    await expect(client.refreshTokenGrant(config, fresh.refresh_token ?? '')).rejects.toMatchObject(
      { error: 'invalid_grant' },
    );
  });

  it('oauth4webapi can sign in, starting from the metadata of the API', async () => {
    const owner = await givenOwner(app.runtime);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const resource = new URL(`${app.url}/api`);
    const protectedResource = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    );
    const issuer = new URL(protectedResource.authorization_servers?.[0] ?? '');
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    const registered = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { redirect_uris: [REDIRECT], client_name: 'Example agent' },
        insecure,
      ),
    );

    const verifier = oauth.generateRandomCodeVerifier();
    const link = new URL(server.authorization_endpoint ?? '');
    link.search = new URLSearchParams({
      response_type: 'code',
      client_id: registered.client_id,
      redirect_uri: REDIRECT,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      state: 'the state',
      resource: protectedResource.resource,
    }).toString();
    const answer = await signInAndAllow(newVisitor(app.url), link, owner.email);
    const parameters = oauth.validateAuthResponse(server, registered, answer, 'the state');
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      registered,
      await oauth.authorizationCodeGrantRequest(
        server,
        registered,
        oauth.None(),
        parameters,
        REDIRECT,
        verifier,
        { ...insecure, additionalParameters: { resource: protectedResource.resource } },
      ),
    );
    expect(tokens).toMatchObject({ expires_in: 1_800, scope: 'pricing:read' });

    const listings = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL(`${app.url}/api/market/listings`),
      undefined,
      undefined,
      insecure,
    );
    expect(listings.status).toBe(200);
    const refused = oauth.protectedResourceRequest(
      'not a token',
      'GET',
      new URL(`${app.url}/api/market/listings`),
      undefined,
      undefined,
      insecure,
    );
    await expect(refused).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  });
});

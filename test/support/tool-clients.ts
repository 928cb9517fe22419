import type { OAuthClientProvider } from '@modelcontextprotocol/client';

type Saved<Key extends keyof OAuthClientProvider> = Awaited<
  ReturnType<Extract<OAuthClientProvider[Key], (...given: never[]) => unknown>>
>;

/** What a tool server client remembers of its sign-in, and where it sent its user. */
export interface RememberingProvider extends OAuthClientProvider {
  /** The last link that the client opened. */
  link: URL | undefined;
  /** The last tokens that were issued to it. */
  issued: Saved<'tokens'>;
}

/** Returns a client's storage, without a browser: the user's link is in `link`. */
export function rememberingProvider(): RememberingProvider {
  let client: Saved<'clientInformation'>;
  let discovered: Saved<'discoveryState'>;
  let verifier = '';
  const redirectUrl = 'http://127.0.0.1:4998/callback';
  return {
    link: undefined,
    issued: undefined,
    redirectUrl,
    clientMetadata: { client_name: 'Assistant', redirect_uris: [redirectUrl] },
    state: () => 'a-state',
    clientInformation: () => client,
    saveClientInformation(registered) {
      client = registered;
    },
    tokens() {
      return this.issued;
    },
    saveTokens(tokens) {
      this.issued = tokens;
    },
    redirectToAuthorization(link) {
      this.link = link;
    },
    saveCodeVerifier(given) {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
}

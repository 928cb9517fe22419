import type { OAuthClientProvider } from '@modelcontextprotocol/client';

type Saved<Key extends keyof OAuthClientProvider> = Awaited<
  ReturnType<Extract<OAuthClientProvider[Key], (...given: never[]) => unknown>>
>;

/** What a client of the tool server keeps of its sign-in, and where it sent its user. */
export interface RememberingProvider extends OAuthClientProvider {
  /** The link that the client opened last. */
  link: URL | undefined;
  /** What it was given last. */
  issued: Saved<'tokens'>;
}

/** A client's memory, without a browser: its user finds the link in `link`. */
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

import { integer, oneOf, type Section, suffixes, text } from './variable.ts';

/** Which registrar moves LIVE domains, and which services lookups and search call. */
export const REGISTRAR_SECTIONS = [
  {
    title: 'Registrar',
    about: '[registrar.md](registrar.md)',
    variables: {
      registrarLive: oneOf(
        'REGISTRAR_LIVE',
        ['manual', 'epp', 'epp-demo'],
        'manual',
        'Who moves LIVE domains.',
      ),
      eppHost: text('EPP_HOST', '', 'The registry. Required with epp.'),
      eppPort: integer('EPP_PORT', 700, 'Its port.', 1, 65_535),
      eppClientId: text('EPP_CLIENT_ID', '', 'Our account there. Required with epp.'),
      eppPassword: text('EPP_PASSWORD', '', 'Its password. Required with epp.'),
      eppNewPassword: text(
        'EPP_NEW_PASSWORD',
        '',
        'New password, set at the next login. Then move it to `EPP_PASSWORD`.',
      ),
      eppCa: text(
        'EPP_CA',
        '',
        "CA of the registry's certificate (PEM), unless the system trusts it.",
      ),
      eppCertificate: text('EPP_CERTIFICATE', '', 'Our certificate (PEM).'),
      eppKey: text('EPP_KEY', '', 'Its private key (PEM).'),
      eppSessions: integer(
        'EPP_SESSIONS',
        2,
        "Sessions per process. Keep the total within the registry's limit.",
        1,
        100,
      ),
    },
  },
  {
    title: 'Lookups',
    about: '[lookup.md](lookup.md), [without a network](#lookups-without-a-network)',
    variables: {
      lookupRegistries: oneOf(
        'LOOKUP_REGISTRIES',
        ['network', 'demo', 'offline', ''],
        '',
        'Who answers lookups: `network` real registries, `demo` made-up answers for listed and reserved names, `offline` made-up answers only. Empty is network in production, demo in development, offline in test; production refuses the others.',
      ),
      domainSearchTlds: suffixes(
        'DOMAIN_SEARCH_TLDS',
        ['com', 'net', 'org', 'io', 'co', 'ai', 'app', 'dev', 'xyz', 'shop'],
        'Suffixes of public domain search, comma-separated; a label is checked under the first.',
      ),
    },
  },
  {
    title: 'Search',
    about: '[embeddings.md](embeddings.md)',
    variables: {
      searchEncoder: oneOf(
        'SEARCH_ENCODER',
        ['on', 'off'],
        'on',
        'Also finds names by meaning, using 170 MB per API process. Not used with EMBEDDINGS_URL.',
      ),
      embeddingsUrl: text(
        'EMBEDDINGS_URL',
        '',
        'An endpoint of the OpenAI embeddings API (`https://.../v1/embeddings`); empty is off.',
      ),
      embeddingsModel: text('EMBEDDINGS_MODEL', '', 'Its model. Required with EMBEDDINGS_URL.'),
      embeddingsApiKey: text('EMBEDDINGS_API_KEY', '', 'Its bearer token; empty sends none.'),
    },
  },
] as const satisfies readonly Section[];

import { shellWord } from './project.mjs';

/**
 * Returns a signed search call for a shell. It takes the digest from the last word of openssl's output, because
 * LibreSSL prints only the digest and OpenSSL puts a label before it.
 */
function exampleCall({ baseUrl, keyId, secret }) {
  return `
KEY_ID='${keyId}' SECRET='${secret}' URL='${baseUrl}'
REQUEST_PATH='/api/partner/v1/domains/search' QUERY='q=coffee%20shop'
TIMESTAMP=$(date +%s) NONCE=$(openssl rand -hex 16)
BODY_SHA256=$(printf '' | openssl dgst -sha256 | awk '{print $NF}')
SIGNATURE=$(printf 'GET\\n%s\\n%s\\n%s\\n%s\\n%s' "$REQUEST_PATH" "$QUERY" "$TIMESTAMP" "$NONCE" "$BODY_SHA256" | openssl dgst -sha256 -hmac "$SECRET" | awk '{print $NF}')
curl -sS "$URL$REQUEST_PATH?$QUERY" \\
  -H "X-Service-Key-Id: $KEY_ID" \\
  -H "X-Service-Timestamp: $TIMESTAMP" \\
  -H "X-Service-Nonce: $NONCE" \\
  -H "X-Service-Signature: v1=$SIGNATURE"
`.trim();
}

/** Picks the key pair for trying the sandbox from the output of `dev:credentials`, if any. */
export function sandboxKey(demo) {
  return demo?.credentials?.find(
    ({ environment, scopes }) => environment === 'SANDBOX' && scopes.includes('search'),
  );
}

/** The API serves its metrics on its own port too, except in production. */
function metricsRow({ baseUrl, production, metricsPort }) {
  if (metricsPort) return [['Metrics', `http://localhost:${metricsPort}/metrics`]];
  return production ? [] : [['Metrics', `${baseUrl}/metrics`]];
}

/**
 * Returns what `npm start` prints when everything is up. `demo` is the output of `dev:credentials`, if any; `shellFile`
 * contains its sandbox key for use in a shell.
 */
export function banner({
  baseUrl,
  production,
  metricsPort,
  dataDir,
  commandPrefix,
  demo,
  shellFile,
}) {
  const key = sandboxKey(demo);
  const ops = demo?.users?.find(({ role }) => role === 'ops');
  const rows = [
    ['Partner API', `${baseUrl}/api/partner/v1`],
    ['Public API', `${baseUrl}/api`],
    ['Docs', `${baseUrl}/docs`],
    ['Console', `${baseUrl}/ops${ops ? `   (sign in as ${ops.email})` : ''}`],
    ...(production ? [] : [['Mail', `${baseUrl}/dev/mail`]]),
    ['Queues', `${baseUrl}/ops/queues`],
    ['Health', `${baseUrl}/healthz   ${baseUrl}/readyz`],
    ...metricsRow({ baseUrl, production, metricsPort }),
    ['Data', dataDir],
    ...(key ? [['Sandbox key', key.key_id]] : []),
  ];
  const lines = [
    '',
    'The domain marketplace is running. Ctrl-C stops it.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
    '',
  ];
  if (demo) {
    lines.push(
      'All demo keys, secrets and sign-ins:',
      `  ${commandPrefix}npm run --silent ops -- dev:credentials --json`,
      '',
    );
  }
  if (key) {
    lines.push(
      'The sandbox key for the shell of another terminal, and a sale with it, webhooks included:',
      `  . ${shellWord(shellFile)}`,
      '  python3 docs/examples/partner.py',
      '',
      'A signed call by hand, to paste:',
      '',
      exampleCall({ baseUrl, keyId: key.key_id, secret: key.secret }),
      '',
    );
  }
  return lines.join('\n');
}

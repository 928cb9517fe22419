// Signs a partner API request in the reader's browser. Nothing typed here is sent: the page's content policy allows no
// connections.

/** Returns the six lines that are signed; the last one is the hash of the body. */
export async function canonicalRequest({ method, path, query, timestamp, nonce, body }) {
  const verb = method.toUpperCase();
  const sent = verb === 'GET' || verb === 'HEAD' ? '' : body;
  const bodyHash = hex(await crypto.subtle.digest('SHA-256', bytes(sent)));
  const lines = [verb, path, canonicalQuery(query), timestamp, nonce, bodyHash];
  return { canonical: lines.join('\n'), bodyHash };
}

/** Decodes, sorts by UTF-16 code units, and encodes again. Throws URIError for a broken `%`. */
export function canonicalQuery(query) {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const cut = part.indexOf('=');
      return cut === -1 ? [part, ''] : [part.slice(0, cut), part.slice(cut + 1)];
    })
    .map((pair) => pair.map((text) => decodeURIComponent(text.replaceAll('+', ' '))))
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map((pair) => pair.map(encode).join('='))
    .join('&');
}

/** Returns the value of the `X-Service-Signature` header. */
export async function signatureOf(secret, canonical) {
  const rule = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), rule, false, ['sign']);
  return `v1=${hex(await crypto.subtle.sign('HMAC', key, bytes(canonical)))}`;
}

/** Returns the request as a shell command, without the secret. */
export function curlOf(request, signature, baseUrl) {
  const { method, path, query, keyId, timestamp, nonce, body } = request;
  const verb = method.toUpperCase();
  const headers = {
    'X-Service-Key-Id': keyId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': signature,
    ...(/\/orders$/.test(path) && verb === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
  };
  const hasBody = verb !== 'GET' && verb !== 'HEAD' && body !== '';
  if (hasBody) headers['Content-Type'] = 'application/json';
  const parts = [
    `curl -X ${quoted(verb)} ${quoted(baseUrl + path + (query === '' ? '' : `?${query}`))}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(hasBody ? [`--data-binary ${quoted(body)}`] : []),
  ];
  return parts.join(' \\\n  ');
}

const bytes = (text) => new TextEncoder().encode(text);
const compare = (a, b) => (a === b ? 0 : a < b ? -1 : 1);
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function hex(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function encode(text) {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function start(form) {
  const field = (name) => form.querySelector(`#in-${name}`);
  const show = (name, text) => {
    document.getElementById(`out-${name}`).textContent = text;
  };
  let latest = 0;

  async function update() {
    latest += 1;
    const mine = latest;
    const names = ['method', 'path', 'query', 'timestamp', 'nonce', 'body'];
    const request = Object.fromEntries(names.map((name) => [name, field(name).value]));
    request.keyId = field('key-id').value;
    const secret = field('secret').value;
    try {
      const { canonical, bodyHash } = await canonicalRequest(request);
      const signature = secret === '' ? '' : await signatureOf(secret, canonical);
      if (mine !== latest) return;
      show('fault', '');
      show('canonical', canonical);
      show('hash', bodyHash);
      show('signature', signature || 'Enter a secret to sign.');
      show('curl', curlOf(request, signature || 'v1=...', location.origin));
    } catch (error) {
      if (mine !== latest) return;
      show('fault', faultOf(error));
      for (const name of ['canonical', 'hash', 'signature', 'curl']) show(name, '');
    }
  }

  const now = () => {
    field('timestamp').value = String(Math.floor(Date.now() / 1_000));
    field('nonce').value = crypto.randomUUID();
    update();
  };
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', update);
  document.getElementById('fresh').addEventListener('click', now);
  update();
}

function faultOf(error) {
  if (error instanceof URIError)
    return 'The query can’t be decoded: a % is not followed by two hex digits.';
  if (!globalThis.crypto?.subtle)
    return 'Browsers sign only on pages that came over HTTPS, or from localhost.';
  return String(error);
}

const form = globalThis.document?.getElementById('inspector-form');
if (form) start(form);

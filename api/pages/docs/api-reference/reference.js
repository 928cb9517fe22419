// Sends the operations of a reference from the page: partner API calls signed with a SANDBOX key, public API calls with
// the token of a signed-in reader, if there is one.

const credentials = document.querySelector('.credentials');
const authorize = credentials.dataset.signer
  ? await createSigner(credentials.dataset.signer)
  : createTokenBearer();

for (const form of document.querySelectorAll('.try form')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fault = form.querySelector('.error');
    fault.textContent = '';
    const shown = form.parentElement.querySelector('.answer');
    const button = form.querySelector('button');
    button.disabled = true;
    try {
      await show(shown, await authorize(requestOf(form)));
    } catch (error) {
      shown.hidden = true;
      fault.textContent = error.message;
    }
    button.disabled = false;
  });
}

/** Builds the request from the form; it goes to the origin of this page. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const field of form.querySelectorAll('[data-in]')) {
    const { name, in: place } = field.dataset;
    const value = field.value.trim();
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (name === 'Idempotency-Key') headers[name] = value || crypto.randomUUID();
    else if (value !== '' && place === 'query') query.append(name, value);
    else if (value !== '') headers[name] = value;
  }
  const body = form.querySelector('[data-body]')?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return { method: form.dataset.method, path, query: query.toString(), headers, body };
}

/** Sends a request and shows the response. */
async function show(place, { method, path, query, headers, body }) {
  const began = performance.now();
  const answer = await fetch(query === '' ? path : `${path}?${query}`, { method, headers, body });
  const text = await answer.text();
  const ms = Math.round(performance.now() - began);
  place.hidden = false;
  place.querySelector('.outcome').textContent =
    `${answer.status} ${answer.statusText} in ${ms} ms, request ${answer.headers.get('X-Request-Id') ?? 'without id'}`;
  place.querySelector('pre').textContent = readable(text) || 'The answer is empty.';
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Returns a function that signs each request with the form's key, which must be a SANDBOX key. */
async function createSigner(module) {
  const { canonicalRequest, signatureOf } = await import(module);
  const field = (name) => document.getElementById(`signer-${name}`);
  field('form').addEventListener('submit', (event) => event.preventDefault());
  field('form').addEventListener('input', () => {
    field('fault').textContent = '';
  });
  return async (request) => {
    const keyId = field('key-id').value.trim();
    const secret = field('secret').value.trim();
    if (!/^pk_(?:sandbox|test)_/.test(keyId) || !/^sk_(?:sandbox|test)_/.test(secret))
      throw new Error(
        'Enter a SANDBOX key above: an ID that starts with pk_sandbox_ and its secret, which starts with sk_sandbox_. Other keys are refused.',
      );
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const nonce = crypto.randomUUID();
    const { canonical } = await canonicalRequest({
      ...request,
      timestamp,
      nonce,
      body: request.body ?? '',
    });
    field('canonical').textContent = canonical;
    const headers = {
      ...request.headers,
      'X-Service-Key-Id': keyId,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': await signatureOf(secret, canonical),
    };
    return { ...request, headers };
  };
}

/** Returns a function that adds the token of a signed-in reader, obtained by OAuth with PKCE in a popup. */
function createTokenBearer() {
  let token;
  const form = document.getElementById('sign-in-form');
  const say = (kind, text) => {
    form.querySelector(kind).textContent = text;
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    say('.error', '');
    try {
      token = await signIn(document.getElementById('sign-in-client').value.trim());
      say('.outcome', 'Signed in. Requests from this page carry your token.');
    } catch (error) {
      say('.error', error.message);
    }
  });
  return async (request) =>
    token
      ? { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } }
      : request;
}

async function signIn(clientId) {
  if (clientId === '') throw new Error('Enter your client ID.');
  const redirect = `${location.origin}/docs/oauth2-redirect`;
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  const state = crypto.randomUUID();
  const popup = window.open('', '_blank', 'popup,width=520,height=720');
  if (!popup)
    throw new Error('The browser blocked the window for signing in. Allow it, then try again.');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const challenge = base64url(new Uint8Array(digest));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope: document.getElementById('sign-in-domains').checked
      ? 'pricing:read domains:manage'
      : 'pricing:read',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  popup.location = `/oauth/authorize?${query}`;
  const { code, error_description: refusal, error } = await answerIn(state);
  if (!code) throw new Error(`Signing in failed: ${refusal ?? error}.`);
  const answer = await fetch('/api/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect,
      client_id: clientId,
      code_verifier: verifier,
    }),
  });
  const { access_token: token, error_description: fault } = await answer.json();
  if (!token) throw new Error(`The token was refused: ${fault ?? answer.status}.`);
  return token;
}

/** Waits for the result of the popup with this state. */
function answerIn(state) {
  return new Promise((resolve) => {
    const listen = ({ origin, data }) => {
      if (origin !== location.origin || data?.oauth?.state !== state) return;
      removeEventListener('message', listen);
      resolve(data.oauth);
    };
    addEventListener('message', listen);
  });
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

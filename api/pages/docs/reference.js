// Shows the document that the page names, in the colours that the reader's system asks for.
(async () => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const colour = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  colour();
  dark.addEventListener('change', colour);

  const place = document.getElementById('docs');
  const answer = await fetch(place.dataset.document);
  const spec = await answer.json();
  // What is tried here goes to where this page came from, whatever name the service gives itself.
  spec.servers = [{ url: location.origin }];
  const here = (url) => location.origin + new URL(url).pathname;
  const { authorizationCode } = spec.components.securitySchemes.oauth?.flows ?? {};
  for (const name of ['authorizationUrl', 'tokenUrl', 'refreshUrl']) {
    if (authorizationCode) authorizationCode[name] = here(authorizationCode[name]);
  }

  // The name of a call stands in a button: a link in there can't be reached by itself.
  const plainNames = ({ React }) => ({
    components: { DeepLink: ({ text }) => React.createElement('span', null, text) },
  });
  new MutationObserver(tellAssistants).observe(place, { childList: true, subtree: true });

  const signer = place.dataset.signer && (await createSigner(place.dataset.signer));
  // The key is typed above; the viewer's own dialog would keep it.
  const noDialog = () => ({
    components: { authorizeBtn: () => null, authorizeOperationBtn: () => null },
  });

  window
    .SwaggerUIBundle({
      plugins: signer ? [plainNames, noDialog] : [plainNames],
      ...(signer && { requestInterceptor: signer, showMutatedRequest: false }),
      spec,
      domNode: document.getElementById('reference'),
      deepLinking: true,
      displayRequestDuration: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      tryItOutEnabled: false,
      supportedSubmitMethods: ['get', 'post', 'put', 'patch', 'delete'],
      oauth2RedirectUrl: `${location.origin}/docs/oauth2-redirect`,
      validatorUrl: null,
    })
    .initOAuth({ usePkceWithAuthorizationCodeGrant: true, scopes: 'pricing:read' });
})();

/** Says what the viewer shows only to the eye. */
function tellAssistants() {
  for (const group of document.querySelectorAll('.opblock-tag')) {
    group.setAttribute('aria-level', '2');
  }
  document.querySelector('.models h4')?.setAttribute('aria-level', '2');
  document.querySelector('#servers')?.setAttribute('aria-label', 'Server');
  const parts = { '.information-container': 'About', '.scheme-container': 'Server and sign-in' };
  for (const [part, name] of Object.entries(parts)) {
    const element = document.querySelector(part);
    element?.setAttribute('role', 'region');
    element?.setAttribute('aria-label', name);
  }
}

/** What signs each request with the key of the form, which has to be one of SANDBOX. */
async function createSigner(module) {
  const { canonicalRequest, signatureOf } = await import(module);
  const field = (name) => document.getElementById(`signer-${name}`);
  const faultOf = (keyId, secret) => {
    if (!/^pk_(?:sandbox|test)_/.test(keyId) || !/^sk_(?:sandbox|test)_/.test(secret))
      return 'Enter a SANDBOX key: an id that starts with pk_sandbox_ and its secret, which starts with sk_sandbox_. Other keys are refused.';
    return '';
  };
  field('form').addEventListener('submit', (event) => event.preventDefault());
  field('form').addEventListener('input', () => {
    field('fault').textContent = '';
  });
  return async (request) => {
    const keyId = field('key-id').value.trim();
    const secret = field('secret').value.trim();
    const fault = faultOf(keyId, secret);
    field('fault').textContent = fault;
    if (fault) throw new Error(fault);
    const url = new URL(request.url, location.origin);
    if (url.origin !== location.origin)
      throw new Error('Only requests to this service are signed.');
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const nonce = crypto.randomUUID();
    const { canonical } = await canonicalRequest({
      method: request.method,
      path: url.pathname,
      query: url.search.slice(1),
      timestamp,
      nonce,
      body: request.body ?? '',
    });
    field('canonical').textContent = canonical;
    Object.assign(request.headers, {
      'X-Service-Key-Id': keyId,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': await signatureOf(secret, canonical),
    });
    return request;
  };
}

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

  window
    .SwaggerUIBundle({
      plugins: [plainNames],
      spec,
      domNode: document.getElementById('reference'),
      deepLinking: true,
      displayRequestDuration: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      tryItOutEnabled: false,
      supportedSubmitMethods: place.dataset.try === 'true' ? ['get', 'post', 'put', 'delete'] : [],
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

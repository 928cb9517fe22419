// Shows the passkey forms if the browser supports passkeys, and fills in its answer.
const { browserSupportsWebAuthn, startAuthentication, startRegistration } =
  globalThis.SimpleWebAuthnBrowser;

function prepare(area) {
  const form = area.querySelector('form');
  const answer = form.elements.response;
  const fault = area.querySelector('[role="alert"]');
  const optionsJSON = JSON.parse(answer.dataset.options);
  const ask = answer.dataset.passkey === 'new' ? startRegistration : startAuthentication;
  area.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    fault.textContent = '';
    try {
      answer.value = JSON.stringify(await ask({ optionsJSON }));
      form.submit();
    } catch (error) {
      fault.textContent =
        error.name === 'InvalidStateError'
          ? 'This device has a passkey for your account already.'
          : 'No passkey was used. Try again.';
    }
  });
}

if (browserSupportsWebAuthn())
  for (const area of document.querySelectorAll('.passkey')) prepare(area);

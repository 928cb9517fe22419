import { html } from '../../../../shared/platform/html.ts';
import { inputField } from '../../kit/form.ts';

/**
 * The form of the public API reference that gets an access token for readers who want to try operations signed in. Its
 * fields have no names, and the page's policy lets no form send anything.
 */
export const signInForm = html`<details class="signer"><summary>Try it signed in</summary>
<p>Without a token, calls are anonymous. Register a client whose redirect URI is <code>/docs/oauth2-redirect</code> on this site (<a href="/docs/sign-in">signing users in</a>); the token stays in the memory of this page.</p>
<form id="sign-in-form" autocomplete="off">
${inputField({ id: 'sign-in-client', label: 'Client ID', value: '', attributes: { spellcheck: 'false' } })}
<p><label><input type="checkbox" id="sign-in-domains"> Also manage domains (<code>domains:manage</code>)</label></p>
<p class="error" role="alert"></p>
<button type="submit">Sign in</button>
<p class="outcome" role="status"></p>
</form>
</details>
`;

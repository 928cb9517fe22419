import { PASSWORD } from './accounts.ts';
import { startTestApp, type TestApp } from './app.ts';
import { httpCall, type Sent } from './http-call.ts';
import { freePort } from './service-process.ts';
import type { TestSettings } from './settings.ts';

/** Starts an app that is reachable at its BASE_URL, as sign-in requires. */
export async function startSignInApp(env: TestSettings = {}): Promise<TestApp> {
  const port = await freePort();
  return startTestApp({ PORT: String(port), BASE_URL: `http://127.0.0.1:${port}`, ...env });
}

export interface VisitedPage {
  status: number;
  url: URL;
  headers: Headers;
  text: string;
}

/** A person with a browser without scripts: keeps cookies, and follows redirects within the site. */
export interface Visitor {
  cookies: readonly { name: string; value: string; path: string; attributes: string }[];
  open(url: URL | string): Promise<VisitedPage>;
  /** Sends the form with this button, with only these fields. */
  press: SendForm;
  /** Like `press`, with the page's hidden fields unchanged. */
  submit: SendForm;
}

type SendForm = (
  page: VisitedPage,
  button: string,
  fields?: Record<string, string>,
  headers?: Record<string, string>,
) => Promise<VisitedPage>;

export function newVisitor(origin: string): Visitor {
  let cookies: Visitor['cookies'] = [];

  const send = async (to: URL, sent: Sent = {}, method = 'GET'): Promise<VisitedPage> => {
    const mine = cookies.filter(({ path }) => to.pathname.startsWith(path));
    const Cookie = mine.map(({ name, value }) => `${name}=${value}`).join('; ');
    const { status, headers, text } = await httpCall(to.origin, method, to.pathname + to.search, {
      ...sent,
      headers: { Accept: 'text/html', Cookie, ...sent.headers },
    });
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*);(.*)/.exec(line) ?? [];
      const path = /path=([^;]*)/i.exec(attributes)?.[1] ?? '/';
      cookies = cookies.filter((each) => each.name !== name || each.path !== path);
      if (value !== '') cookies = [...cookies, { name, value, path, attributes }];
    }
    const next = headers.get('Location');
    if (next !== null) {
      const url = new URL(next, to);
      if (url.origin === origin) return send(url);
      return { status, url, headers, text: '' };
    }
    return { status, url: to, headers, text };
  };

  const post = (action: string, fields: Record<string, string>, headers: Record<string, string>) =>
    send(
      new URL(action, origin),
      { body: new URLSearchParams(fields), headers: { Origin: origin, ...headers } },
      'POST',
    );

  return {
    get cookies() {
      return cookies;
    },
    open: (url) => send(new URL(url, origin)),
    press: (page, button, fields = {}, headers = {}) =>
      post(formOf(page, button).action, fields, headers),
    submit(page, button, fields = {}, headers = {}) {
      const { action, inside } = formOf(page, button);
      return post(action, { ...hiddenFields(inside), ...fields }, headers);
    },
  };
}

function formOf(page: VisitedPage, button: string): { action: string; inside: string } {
  const forms = page.text.matchAll(
    /<form(?: class="[^"]*")? method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
  );
  const says = new RegExp(`>${button}(<span[^>]*>[^<]*</span>)?</button>`);
  const [, action, inside = ''] = [...forms].find((form) => says.test(form[2] ?? '')) ?? [];
  if (action === undefined) throw new Error(`no form says ${button}: ${page.text}`);
  return { action, inside };
}

function hiddenFields(form: string): Record<string, string> {
  const hidden = form.matchAll(/type="hidden" name="([^"]*)"[^>]* value="([^"]*)"/g);
  const fields = [...hidden].map(([, name = '', value = '']) => [
    name,
    value.replaceAll('&amp;', '&'),
  ]);
  return Object.fromEntries(fields);
}

/** Goes from the client's link to the client's response: signs in, unless already signed in, and allows the client. */
export async function signInAndAllow(
  visitor: Visitor,
  link: URL | string,
  email: string,
): Promise<URL> {
  let page = await visitor.open(link);
  if (page.text.includes('name="password"')) {
    page = await visitor.press(page, 'Sign in', { email, password: PASSWORD });
  }
  const { url } = await visitor.press(page, 'Allow');
  return url;
}

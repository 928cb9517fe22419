import type { StaffRole } from '../../shared/people/users/user.ts';
import { givenAccount, PASSWORD } from './accounts.ts';
import type { TestApp } from './app.ts';
import { type ClientAnswer, httpCall, type Sent } from './http-call.ts';

/** A staff member with a browser without scripts: pages, links and forms. Paths are below `/ops`. */
export interface ConsoleVisitor {
  email: string;
  password: string;
  userId: string;
  visit(path: string): Promise<ClientAnswer>;
  /** Opens the confirmation page of an action and sends its form, with these fields filled in. */
  act(form: string, given: Record<string, string>, fields?: Fields): Promise<ClientAnswer>;
  /** Sends a form unchanged, without following redirects. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<ClientAnswer>;
  /** Sends a form with a file, without following redirects. */
  upload(path: string, body: FormData): Promise<ClientAnswer>;
  /** Opens the page that an answer redirects to, with its message. */
  follow(answer: ClientAnswer): Promise<ClientAnswer>;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Creates an ops account that is signed in with a cookie. */
export async function givenVisitor(
  app: TestApp,
  role: StaffRole = 'admin',
): Promise<ConsoleVisitor> {
  const { id, email } = await givenAccount(app.runtime, 'ops', role);
  const password = PASSWORD;
  const cookies = new Map<string, string>();

  const send = async (path: string, sent: Sent = {}, method = 'GET'): Promise<ClientAnswer> => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await httpCall(app.url, method, `/ops${path}`, {
      ...sent,
      headers: { Accept: 'text/html', Cookie, ...sent.headers },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const post = (path: string, fields: Fields, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) {
      for (const each of [value].flat()) body.append(name, each);
    }
    return send(path, { body, headers: { Origin: app.url, ...headers } }, 'POST');
  };
  const visitor: ConsoleVisitor = {
    email,
    password,
    userId: id,
    visit: (path) => send(path),
    post,
    upload: (path, body) => send(path, { body, headers: { Origin: app.url } }, 'POST'),
    async act(form, given, fields = {}) {
      const question = await send(`/do/${form}?${new URLSearchParams(given)}`);
      if (question.status !== 200) return question;
      return post(`/do/${form}`, { ...hiddenFields(question.text), ...fields });
    },
    async follow(answer) {
      const path = answer.headers.get('Location') ?? '';
      if (answer.status !== 303) throw new Error(`leads nowhere: ${answer.status} ${answer.text}`);
      return send(path.replace(/^\/ops/, ''));
    },
  };
  await post('/sign-in', { email, password });
  return visitor;
}

/** Returns the hidden fields of a page's confirmation form. */
export function hiddenFields(page: string): Record<string, string> {
  const [, form = ''] = /<form class="ask"([\s\S]*?)<\/form>/.exec(page) ?? [];
  const fields = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name, plain(value ?? '')]));
}

function plain(text: string): string {
  const signs: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (sign) => signs[sign] ?? sign);
}

/** Returns a page as a person reads it: no markup, single spaces. */
export function readable(page: string): string {
  // A word with break opportunities is still one word.
  const whole = page.replaceAll('<wbr>', '');
  return plain(whole.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ');
}

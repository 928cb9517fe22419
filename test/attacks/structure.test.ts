import { describe, expect, it } from '@jest/globals';
import { readProjectFile, readSources } from '../support/sources.ts';

const product = readSources().filter(({ file }) => /^(api|shared|workers)\//.test(file));
const filesWith = (pattern: RegExp) =>
  product.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

describe('secrets in the code', () => {
  it('are compared in constant time or looked up by digest', () => {
    // What makes a keyed digest either only signs, or goes on to `timingSafeEqualStrings`. A new one has to say which.
    expect(filesWith(/\bcreateHmac\(/)).toEqual([
      // Whether an address was verified before for the same person: looked up by its digest.
      'shared/domains/domain-registrants/registered-for.ts',
      // Handles of contacts and authorization codes, which only the registry compares; whether a contact is to say
      // something else than before.
      'shared/domains/registrar/auth-codes.ts',
      'shared/domains/registrar/buyer-contact.ts',
      'shared/messaging/webhooks/webhook-signature.ts',
      'shared/operations/demo/demo-accounts.ts',
      'shared/people/partners/request-signature.ts',
      'shared/sales/referral/visitor.ts',
    ]);
    expect(filesWith(/\btimingSafeEqual\(/)).toEqual([
      'shared/people/users/password.ts',
      'shared/platform/crypto/secrets.ts',
    ]);
    expect(filesWith(/\btimingSafeEqualStrings\(/)).toEqual([
      'shared/messaging/webhooks/manage-endpoint.ts',
      'shared/money/payments/kept-cards.ts',
      'shared/people/partners/request-signature.ts',
      'shared/platform/crypto/secrets.ts',
      'shared/sales/transfers/check-auth-code.ts',
    ]);
  });

  it('are never compared with ===', () => {
    const compared =
      /\b\w*(secret|signature|password|hmac|token)\w*(\([^)]*\))? [!=]== (?!undefined|null|'|typeof|\d)/i;
    expect(filesWith(compared)).toEqual([]);
  });

  it('come from a cryptographically secure source', () => {
    // Spread for waiting times is all that it is good for.
    expect(filesWith(/\bMath\.random\b/)).toEqual(['shared/platform/ids.ts']);
    expect(readProjectFile('shared/platform/ids.ts')).toMatch(/jitter|spread/i);
    expect(filesWith(/\bcreateHash\('(md5|md4)'/)).toEqual([]);
  });
});

describe('the code does not', () => {
  it.each<[string, RegExp]>([
    ['run text as code', /\beval\(|\bnew Function\(|\bvm\.run|\bnode:vm\b/],
    ['disable certificate checks', /rejectUnauthorized: false/],
    [
      'turn text into markup in the browser',
      /\.innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
    ],
  ])('%s', (_what, pattern) => {
    expect(filesWith(pattern)).toEqual([]);
  });

  it('start programs, except the PDF renderer, which gets no environment variables', () => {
    const typesetter = 'shared/messaging/documents/paper/pdf-renderer.ts';
    expect(filesWith(/\bchild_process\b/)).toEqual([typesetter]);
    expect(readProjectFile(typesetter)).toContain('env: {},');
  });

  it('build raw markup outside the escaping function and our own guides', () => {
    expect(filesWith(/\bmarkup: /)).toEqual([
      // The highlighter escapes the code of our guides.
      'api/pages/docs/code-block.ts',
      'api/pages/docs/markdown.ts',
      // Shapes of a package, as it ships them.
      'api/pages/kit/icon.ts',
      'shared/platform/html.ts',
    ]);
  });

  it('read client addresses outside the functions that may', () => {
    expect(filesWith(/\b(req|request)\.ips?\b|\.remoteAddress\b|x-forwarded-for/i)).toEqual([
      'api/http/rate-limit.ts',
      // Only kept, for the list of sessions and the audit trail.
      'api/http/sign-in-origin.ts',
      // Compared with the networks that a key is limited to.
      'api/partner/authentication.ts',
      // The peer of a connection that we opened.
      'shared/platform/outbound/guarded-connector.ts',
    ]);
  });

  it('make outbound connections outside the guarded clients', () => {
    expect(filesWith(/(?<![.\w])fetch\(/)).toEqual([]);
    const client =
      /^import \{[^}]*\b(Agent|Client|fetch|get|request)\b[^}]*\} from '(undici|node:https?)'/m;
    expect(filesWith(client)).toEqual(['shared/platform/outbound/http-client.ts']);
    const connects = product.filter(({ imports }) =>
      imports.some(({ target, typeOnly }) => /^node:(net|tls)$/.test(target) && !typeOnly),
    );
    const connecting = connects.filter(({ text }) => /\bconnect(Tcp|Tls)?\(/.test(text));
    expect(connecting.map(({ file }) => file)).toEqual([
      // The operator's own registry, whose certificate is checked.
      'shared/domains/epp/epp-connection.ts',
      'shared/platform/outbound/guarded-connector.ts',
    ]);
  });
});

interface Lock {
  lockfileVersion: number;
  packages: Record<
    string,
    {
      integrity?: string;
      resolved?: string;
      link?: boolean;
      hasInstallScript?: boolean;
      dev?: boolean;
      optional?: boolean;
    }
  >;
}

describe('the supply chain', () => {
  const lock = JSON.parse(readProjectFile('package-lock.json')) as Lock;
  const packages = Object.entries(lock.packages).filter(([name]) => name !== '');
  const manifest = JSON.parse(readProjectFile('package.json'));

  it('pins every package by hash', () => {
    expect(packages.length).toBeGreaterThan(300);
    const loose = packages.filter(([, each]) => !/^sha512-/.test(each.integrity ?? ''));
    expect(loose.map(([name]) => name)).toEqual([]);
    const foreign = packages.filter(
      ([, each]) =>
        each.link || (each.resolved && !each.resolved.startsWith('https://registry.npmjs.org/')),
    );
    expect(foreign.map(([name]) => name)).toEqual([]);
    const versions = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const [name, version] of Object.entries(versions)) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)]);
    }
  });

  it('runs no install scripts except those listed here', () => {
    const scripts = packages
      .filter(([, each]) => each.hasInstallScript && !each.dev && !each.optional)
      .map(([name]) => name.replace(/^.*node_modules\//, ''));
    expect(scripts).toEqual(['esbuild']);
  });

  it('runs the container as an unprivileged user without built-in secrets', () => {
    const stages = readProjectFile('Dockerfile')
      .split(/^FROM /m)
      .slice(1);
    const last = stages.at(-1) ?? '';
    expect(last).toMatch(/^USER node$/m);
    expect(last.indexOf('USER node')).toBeGreaterThan(last.lastIndexOf('COPY'));
    expect(last).not.toMatch(/^USER root/m);
    expect(last).not.toMatch(/SECRETS_KEY|PASSWORD|ADD http/);
    const ignored = readProjectFile('.dockerignore').split('\n');
    for (const name of ['.git', '.env*', '.data*', 'node_modules']) expect(ignored).toContain(name);
  });

  it('exposes no database and requests no privileges in Docker Compose', () => {
    const compose = readProjectFile('docker-compose.yml');
    expect(
      [...compose.matchAll(/^ +ports:\n((?: +- .*\n)+)/gm)].map(([, ports]) => ports?.trim()),
    ).toEqual([expect.stringMatching(/^- "[^"]*:3000"$/)]);
    expect(compose).not.toMatch(/privileged|cap_add|network_mode: host|docker\.sock/);
  });
});

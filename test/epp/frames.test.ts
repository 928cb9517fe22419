import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createRegistry } from '../../epp-demo/registry.ts';
import { emptyState } from '../../epp-demo/registry-objects.ts';
import * as commands from '../../shared/domains/epp/epp-commands.ts';
import * as namespaces from '../../shared/domains/epp/epp-namespaces.ts';
import { writeXml, type XmlElement } from '../../shared/domains/epp/epp-xml.ts';
import { Money } from '../../shared/platform/money.ts';
import { createTestClock } from '../support/clock.ts';
import { PASSWORDS, POLICY } from '../support/demo-registry.ts';

// Each document that the client sends, and what the demo registry answers to it. The documents are recorded in
// frames.txt; they are recorded only when the schemas of the RFCs, in the folder EPP_SCHEMAS, hold for them:
// EPP_SCHEMAS=<folder> WRITE_FRAMES=1 npm test -- test/epp/frames
const RECORDED = new URL('frames.txt', import.meta.url);
const { EPP_SCHEMAS, WRITE_FRAMES } = process.env;

const DS = { keyTag: 12345, alg: 13, digestType: 2, digest: 'AB'.repeat(32) };
const ADDRESS = { street: ['1 Main St'], city: 'Springfield', state: 'IL', postalCode: '62701' };
const OFFERED = { objects: namespaces.OBJECTS, extensions: namespaces.EXTENSIONS };
const AGENT = { app: 'Domain Marketplace', tech: 'Node.js v24', os: 'Linux 6.1' };
const CLIENT = {
  clientId: 'losing',
  password: PASSWORDS.losing,
  userAgent: AGENT,
  offered: OFFERED,
};
const EXPIRY = '2028-03-01';

/** In the order of a conversation, with the results that it gets. */
const CONVERSATION: [title: string, command: commands.EppCommand, code: number][] = [
  ['login', commands.login(CLIENT), 1000],
  ['check hosts', commands.checkHosts(['ns1.host.example', 'ns2.host.example']), 1000],
  [
    'create host',
    commands.createHost('ns1.host.example', [{ ip: 'v4', address: '192.0.2.1' }]),
    1000,
  ],
  ['create host without addresses', commands.createHost('ns2.host.example'), 1000],
  [
    'update host',
    commands.updateHost({
      name: 'ns1.host.example',
      add: [{ ip: 'v6', address: '2001:db8::1' }],
      remove: [{ ip: 'v4', address: '192.0.2.1' }],
    }),
    1000,
  ],
  ['info host', commands.infoHost('ns1.host.example'), 1000],
  ['check contacts', commands.checkContacts(['robin-1']), 1000],
  [
    'create contact',
    commands.createContact({
      id: 'robin-1',
      postalInfo: [
        { type: 'int', name: 'Robin', organization: 'Example & Sons', ...ADDRESS, country: 'US' },
      ],
      voice: '+1.5555550100',
      email: 'robin@mail.example',
      authInfo: 'contact-auth',
    }),
    1000,
  ],
  ['update contact', commands.updateContact({ id: 'robin-1', email: 'robin@new.example' }), 1000],
  [
    'update contact, hide it',
    commands.updateContact({ id: 'robin-1', disclosure: { shown: false, types: ['int'] } }),
    1000,
  ],
  ['info contact', commands.infoContact('robin-1'), 1000],
  ['check fees', commands.checkFees(['oakdeck.example', 'premium-1.example'], 2), 1000],
  ['check domains', commands.checkDomains(['oakdeck.example', 'neatsofa.example']), 1000],
  [
    'create domain',
    commands.createDomain({
      name: 'oakdeck.example',
      years: 2,
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      registrant: 'robin-1',
      contacts: [
        { type: 'admin', id: 'robin-1' },
        { type: 'tech', id: 'robin-1' },
      ],
      authInfo: 'first-auth',
      dsData: [DS],
    }),
    1000,
  ],
  [
    'create domain, the least',
    commands.createDomain({ name: 'neatsofa.example', authInfo: 'least-auth' }),
    1000,
  ],
  [
    'update domain',
    commands.updateDomain({
      name: 'oakdeck.example',
      add: { statuses: ['clientTransferProhibited'] },
      remove: { nameservers: ['ns2.host.example'], contacts: [{ type: 'tech', id: 'robin-1' }] },
      registrant: 'robin-1',
      authInfo: 'second-auth',
    }),
    1000,
  ],
  [
    'update domain, unlock',
    commands.updateDomain({
      name: 'oakdeck.example',
      remove: { statuses: ['clientTransferProhibited'] },
    }),
    1000,
  ],
  [
    'update domain, DNSSEC',
    commands.updateDomain({ name: 'oakdeck.example', dsData: { removeAll: true, add: [DS] } }),
    1000,
  ],
  [
    'update domain, one signer less',
    commands.updateDomain({ name: 'oakdeck.example', dsData: { remove: [DS] } }),
    1000,
  ],
  ['info domain', commands.infoDomain('oakdeck.example'), 1000],
  ['info domain with authInfo', commands.infoDomain('oakdeck.example', 'second-auth'), 1000],
  ['renew domain', commands.renewDomain('oakdeck.example', { expiresOn: EXPIRY, years: 1 }), 1000],
  [
    'renew domain for a fee',
    commands.renewDomain('oakdeck.example', {
      expiresOn: '2029-03-01',
      years: 1,
      fee: new Money(1_000, 'USD'),
    }),
    1000,
  ],
  ['delete domain', commands.deleteDomain('neatsofa.example'), 1000],
  ['logout', commands.LOGOUT, 1500],
  [
    'login with a new password',
    commands.login({
      ...CLIENT,
      clientId: 'gaining',
      password: PASSWORDS.gaining,
      newPassword: 'gaining-pw-2',
    }),
    1000,
  ],
  ['logout again', commands.LOGOUT, 1500],
  [
    'login with long passwords',
    commands.login({
      ...CLIENT,
      clientId: 'gaining',
      password: 'gaining-pw-2',
      newPassword: 'a-password-of-more-than-16-characters',
    }),
    1000,
  ],
  ['transfer query without a transfer', commands.transferDomain('query', 'oakdeck.example'), 2301],
  [
    'transfer request',
    commands.transferDomain('request', 'oakdeck.example', { authInfo: 'second-auth', years: 1 }),
    1001,
  ],
  ['transfer query', commands.transferDomain('query', 'oakdeck.example'), 1000],
  ['transfer cancel', commands.transferDomain('cancel', 'oakdeck.example'), 1000],
  ['poll', commands.POLL_REQUEST, 1301],
  ['poll acknowledgement', commands.pollAck('38'), 1000],
  ['transfer approve', commands.transferDomain('approve', 'oakdeck.example'), 2301],
  ['transfer reject', commands.transferDomain('reject', 'oakdeck.example'), 2301],
  [
    'transfer request for a fee',
    commands.transferDomain('request', 'oakdeck.example', {
      authInfo: 'second-auth',
      fee: new Money(1_000, 'USD'),
    }),
    1001,
  ],
  [
    'update domain, no code any more',
    commands.updateDomain({ name: 'oakdeck.example', authInfo: null }),
    2201,
  ],
  [
    'update domain, restore',
    commands.updateDomain({ name: 'oakdeck.example', restore: 'request' }),
    2201,
  ],
  [
    'update domain, restore for a fee',
    commands.updateDomain({
      name: 'oakdeck.example',
      restore: 'request',
      fee: new Money(5_000, 'USD'),
    }),
    2201,
  ],
  [
    'update domain, report of a restore',
    commands.updateDomain({
      name: 'oakdeck.example',
      restore: {
        before: 'Registrant: robin-1',
        after: 'Registrant: robin-1',
        deletedAt: new Date('2026-01-02T00:00:00Z'),
        restoredAt: new Date('2026-01-05T00:00:00Z'),
        reason: 'Deleted by mistake',
        statements: ['The data are as they were.', 'We restored it for its registrant.'],
      },
    }),
    2201,
  ],
  ['delete contact', commands.deleteContact('robin-1'), 2201],
  ['delete host', commands.deleteHost('ns9.host.example'), 2303],
];

const sent = new Map<string, XmlElement>([
  ['hello', commands.HELLO],
  ...CONVERSATION.map(
    ([title, command], at) =>
      [title, commands.commandDocument(command, `frame-${at + 1}`)] as const,
  ),
]);
const recordOf = (documents: ReadonlyMap<string, XmlElement>) =>
  [...documents].map(([title, document]) => `## ${title}\n${writeXml(document)}\n`).join('\n');

describe('EPP documents', () => {
  const clock = createTestClock();
  clock.set('2026-03-01T00:00:00Z');
  const policy = { ...POLICY, transferLockMs: 0 };
  const registry = createRegistry({ state: emptyState(PASSWORDS), policy, clock });

  it('get the result code that the RFC defines, in answers valid by the schemas', () => {
    let session = registry.openSession();
    const answered = new Map<string, XmlElement>([['greeting', registry.greeting()]]);
    const results = CONVERSATION.map(([title]) => {
      const [command] = sent.get(title)?.children ?? [];
      if (!command) throw new Error(title);
      const { document, ends } = session.answer(command);
      if (ends) session = registry.openSession();
      answered.set(title, document);
      return [title, Number(document.children[0]?.children[0]?.attributes.code)];
    });
    expect(results).toEqual(CONVERSATION.map(([title, , code]) => [title, code]));
    expect(violationsOf(answered)).toEqual([]);
  });

  it('match the recorded ones, which were validated against the RFC schemas', () => {
    expect(violationsOf(sent)).toEqual([]);
    if (WRITE_FRAMES) {
      if (!EPP_SCHEMAS)
        throw new Error('Documents are recorded only against schemas: set EPP_SCHEMAS.');
      writeFileSync(RECORDED, recordOf(sent));
    }
    expect(recordOf(sent)).toBe(readFileSync(RECORDED, 'utf8'));
  });
});

/** What xmllint says against the documents, when the schemas are there. */
function violationsOf(documents: ReadonlyMap<string, XmlElement>): string[] {
  if (!EPP_SCHEMAS) return [];
  const folder = mkdtempSync(path.join(tmpdir(), 'epp-'));
  try {
    const schema = path.join(folder, 'all.xsd');
    writeFileSync(schema, allSchemas(EPP_SCHEMAS));
    return [...documents].flatMap(([title, document], at) => {
      const file = path.join(folder, `${at}.xml`);
      writeFileSync(file, writeXml(document));
      try {
        execFileSync('xmllint', ['--noout', '--nonet', '--schema', schema, file], {
          stdio: 'pipe',
        });
        return [];
      } catch (error) {
        return [`${title}: ${(error as { stderr: Buffer }).stderr}`];
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function allSchemas(folder: string): string {
  const { EPP, DOMAIN, CONTACT, HOST, RGP, SEC_DNS, FEE, LOGIN_SECURITY } = namespaces;
  const imports = [EPP, DOMAIN, CONTACT, HOST, RGP, SEC_DNS, FEE, LOGIN_SECURITY].map((uri) => {
    const file = path.join(folder, `${uri.slice(uri.lastIndexOf(':') + 1)}.xsd`);
    return `<import namespace="${uri}" schemaLocation="${file}"/>`;
  });
  return `<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:all">${imports.join('')}</schema>`;
}

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { XmlElement } from '../../shared/domains/epp/epp-xml.ts';
import type { Registrant } from '../../shared/domains/registrants/registrant.ts';
import { setAuthCode } from '../../shared/domains/registrar/auth-codes.ts';
import type { Registrar } from '../../shared/domains/registrar/registrar.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import {
  AUTH_CODE,
  liveRegistrar,
  registered,
  registrySettings,
} from '../support/live-registry.ts';
import { KEPT_REGISTRANT } from '../support/registrants.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let registry: DemoRegistry;
let runtime: TestRuntime;
let registrar: Registrar;

beforeEach(async () => {
  registry = await startDemoRegistry();
  runtime = await createTestRuntime({ ...registrySettings(registry), eppAnswerMs: 30_000 });
  registrar = liveRegistrar(runtime);
});
afterEach(async () => {
  await runtime.stop();
  await registry.close();
});

const contactOf = (domain: string) => {
  const { registrant } = registry.state.domains[domain] ?? {};
  return registrant ? registry.state.contacts[registrant] : undefined;
};
let references = 0;
/** A domain that a sale has registered for somebody; its name. */
async function sold(domain?: string): Promise<string> {
  const name = registered(registry, 'gaining', domain);
  references += 1;
  const clientReference = `trf_${references}-1`;
  expect(await registrar.push({ clientReference, domain: name })).toMatchObject({
    status: 'completed',
  });
  return name;
}
const change = (domain: string, registrant: Registrant, clientReference = 'rgc_1') =>
  registrar.change({ clientReference, domain, change: { kind: 'registrant', registrant } });
const changes = () =>
  registry.changes.flatMap(({ clTRID, command }) => (clTRID?.startsWith('rgc_1') ? command : []));

const GERMAN: Registrant = {
  ...KEPT_REGISTRANT,
  name: 'Jörg Müßig',
  organization: 'Größe & Söhne GmbH',
  street: ['Königstraße 5'],
  city: 'Köln',
};
const JAPANESE: Registrant = {
  ...KEPT_REGISTRANT,
  name: '山田 花子',
  street: ['千代田1-1'],
  city: '東京',
  state: '東京都',
  postalCode: '100-0001',
  country: 'JP',
  phone: '+81312345678',
};
const ARABIC: Registrant = {
  ...KEPT_REGISTRANT,
  name: 'ليلى حداد',
  street: ['شارع الملك فهد 10'],
  city: 'الرياض',
  postalCode: '11564',
  country: 'SA',
  phone: '+966112345678',
};

describe('changing the registrant', () => {
  it.each([
    ['German', GERMAN],
    ['Japanese', JAPANESE],
    ['Arabic', ARABIC],
  ])('sends a %s name and address as written and in ASCII', async (_script, registrant) => {
    const domain = await sold();
    const former = registry.state.domains[domain]?.registrant ?? '';
    expect(await change(domain, registrant)).toMatchObject({ status: 'done', facts: { domain } });
    const { name, street, city } = registrant;
    const [int, loc] = contactOf(domain)?.postalInfo ?? [];
    expect(loc).toMatchObject({ type: 'loc', name, street, city });
    expect(int?.type).toBe('int');
    expect([int?.name, int?.city, ...(int?.street ?? [])].join('')).toMatch(/^[ -~]+$/);
    expect(registry.state.contacts[former]).toBeUndefined();
    expect(changes()).toEqual(['create', 'update', 'delete']);
    expect(await change(domain, registrant)).toMatchObject({ status: 'done' });
    expect(changes()).toEqual(['create', 'update', 'delete']);
  });

  it('keeps the registrant’s details hidden', async () => {
    const domain = await sold();
    const privacy = { kind: 'privacy', enabled: true } as const;
    await registrar.change({ clientReference: 'blk_1-0', domain, change: privacy });
    await change(domain, GERMAN);
    expect(contactOf(domain)?.disclosure?.shown).toBe(false);
  });

  it('does not change a contact shared with other domains', async () => {
    const domain = registered(registry, 'gaining');
    registry.state.contacts.SHARED = {
      roid: 'C-SHARED',
      postalInfo: [],
      voice: null,
      fax: null,
      email: 'shared@example.com',
      disclosure: null,
      authInfo: 'pw',
      extension: null,
      clID: 'gaining',
      crID: 'gaining',
      createdAt: registry.clock.now().toISOString(),
    };
    Object.assign(registry.state.domains[domain] ?? {}, { registrant: 'SHARED' });
    await change(domain, GERMAN);
    expect(contactOf(domain)?.email).toBe(GERMAN.email);
    expect(registry.state.contacts.SHARED?.email).toBe('shared@example.com');
  });

  it.each(['cut_before', 'cut_after'] as const)(
    'happens once when connections drop (%s)',
    async (kind) => {
      const domain = await sold();
      for (const command of ['create', 'update', 'delete']) {
        registry.server.faults.order(command, { kind });
      }
      for (let attempt = 0; attempt < 4; attempt += 1) {
        await change(domain, JAPANESE).catch(() => {});
      }
      expect(await change(domain, JAPANESE)).toMatchObject({ status: 'done' });
      expect(contactOf(domain)?.postalInfo.at(-1)?.name).toBe(JAPANESE.name);
      expect(changes().filter((each) => each === 'create')).toHaveLength(1);
    },
  );
});

describe('registrant details required by a TLD', () => {
  const written = ({ name, text, attributes, children }: XmlElement): string => {
    const given = Object.entries(attributes).map(([key, value]) => ` ${key}=${value}`);
    return `${name}${given.join('')}(${text}${children.map(written).join(' ')})`;
  };
  it.each([
    [
      'us',
      { nexus_purpose: 'P1', nexus_category: 'C31', nexus_country: 'DE' },
      null,
      'extension(unspec(AppPurpose=P1 NexusCategory=C31/DE))',
    ],
    [
      'us',
      { nexus_purpose: 'P3', nexus_category: 'C11' },
      null,
      'extension(unspec(AppPurpose=P3 NexusCategory=C11))',
    ],
    [
      'eu',
      { citizenship: 'FR' },
      null,
      'create(type(registrant) lang(en) naturalPerson(true) countryOfCitizenship(FR))',
    ],
    ['eu', {}, 'Example GmbH', 'create(type(registrant) lang(en) naturalPerson(false))'],
    [
      'fr',
      { siren: '732 829 320' },
      'Exemple SARL',
      'ext(create(contact(legalEntityInfos(legalStatus s=company() siren(732829320)))))',
    ],
    [
      'it',
      { entity_type: '1', registration_code: 'RSSMRA64C14G702Q' },
      null,
      'create(consentForPublishing(false) registrant(nationalityCode(DE) entityType(1) regCode(RSSMRA64C14G702Q)))',
    ],
    [
      'fr',
      {
        first_name: 'A.',
        birth_date: '1968-07-20',
        birth_country: 'FR',
        birth_city: 'Rouen',
        birth_postal_code: '76000',
      },
      null,
      'ext(create(contact(individualInfos(birthDate(1968-07-20) birthCity(Rouen) birthPc(76000) birthCc(FR)) firstName(A.))))',
    ],
    [
      'ca',
      { legal_type: 'CCT' },
      null,
      'create(properties(property(key(AGREEMENT_VERSION) value default=true()) property(key(CPR) value(CCT)) property(key(LANGUAGE) value(en))))',
    ],
    [
      'co.uk',
      { legal_type: 'LTD', company_number: '12344321' },
      'Example Ltd',
      'create(type(LTD) co-no(12344321))',
    ],
    ['uk', { legal_type: 'IND' }, null, 'create(type(IND))'],
    [
      'nl',
      { legal_form: 'BV', registration_number: '87646540' },
      'Voorbeeld BV',
      'ext(create(contact(legalForm(BV) legalFormRegNo(87646540))))',
    ],
    ['se', { identity_number: '802405-0190' }, 'Exempel AB', 'create(orgno([DE]802405-0190))'],
    [
      'cn',
      { identity_type: 'HZ', identity_number: 'E12345678' },
      null,
      'create(contact type=HZ(E12345678))',
    ],
  ])('are sent with the contact for .%s', async (tld, extra, organization, frame) => {
    const domain = registered(registry, 'gaining', `extras.${tld}`);
    await change(domain, { ...KEPT_REGISTRANT, organization, extra });
    const { extension } = contactOf(domain) ?? {};
    expect(extension && written(extension)).toBe(frame);
  });

  it('send only the surname of a person for .fr, in either name order', async () => {
    const extra = { first_name: 'Anne-Marie', birth_date: '1968-07-20', birth_country: 'JP' };
    for (const name of ['Anne-Marie Dubois', 'DUBOIS Anne-Marie', 'Dubois']) {
      references += 1;
      const domain = registered(registry, 'gaining', `surname-${references}.fr`);
      await change(domain, { ...KEPT_REGISTRANT, name, extra }, `rgc_${references}`);
      const [int] = contactOf(domain)?.postalInfo ?? [];
      expect(int?.name.toLowerCase()).toBe('dubois');
    }
  });

  it.each([
    ['es', { identification_type: '1', identification_number: '54362315K' }],
    ['com.br', { tax_id: '39053344705' }],
    ['com.au', { eligibility_type: 'Company', eligibility_id_type: 'ABN', eligibility_id: '1' }],
    ['fi', { identity_number: '131052-308T' }],
    ['in', { pan: 'AAPPV8261K' }],
    ['us', {}],
  ])('are rejected before sending for .%s, which has no extension for them', async (tld, extra) => {
    const domain = registered(registry, 'gaining', `extras.${tld}`);
    const registrant = { ...KEPT_REGISTRANT, extra };
    expect(await change(domain, registrant)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('We cannot send the registry everything it requires'),
    });
    const pushed = liveRegistrar(runtime, async () => registrant);
    expect(await pushed.push({ clientReference: 'trf_x-1', domain })).toEqual({
      status: 'action_required',
      reason: 'registrant_extra',
      method: 'push',
    });
    const elsewhere = registered(registry, 'losing', `elsewhere.${tld}`);
    await runtime.db.transact((uow) =>
      setAuthCode(uow, runtime.secrets, { domain: elsewhere, authInfo: AUTH_CODE }),
    );
    expect(await pushed.push({ clientReference: 'trf_y-1', domain: elsewhere })).toEqual({
      status: 'action_required',
      reason: 'registrant_extra',
      method: 'auth_code',
    });
    expect(registry.changes).toEqual([]);
  });

  it('use the latest details after an attempt that only created the contact', async () => {
    const domain = registered(registry, 'gaining', 'extras.us');
    let extra: Record<string, string> = { nexus_purpose: 'P3', nexus_category: 'C11' };
    const pushing = liveRegistrar(runtime, async () => ({ ...KEPT_REGISTRANT, extra }));
    const push = () => pushing.push({ clientReference: 'trf_w-1', domain });
    registry.server.faults.order('update', { kind: 'command_failed' });
    await push().catch(() => {});
    expect(Object.keys(registry.state.contacts)).toHaveLength(1);
    registry.server.faults.order('update', { kind: 'command_failed' });
    await push().catch(() => {});
    const kinds = () => registry.changes.map(({ command }) => command);
    expect(kinds()).toEqual(['create']);
    extra = { nexus_purpose: 'P1', nexus_category: 'C21' };
    expect(await push()).toMatchObject({ status: 'completed' });
    expect(kinds()).toEqual(['create', 'delete', 'create', 'update']);
    const { extension } = contactOf(domain) ?? {};
    expect(extension && written(extension)).toContain('AppPurpose=P1 NexusCategory=C21');
  });

  it('are required even if the registry does not offer the extension', async () => {
    await registry.close();
    registry = await startDemoRegistry({ policy: { plainContacts: true } });
    const own = await createTestRuntime({ ...registrySettings(registry), eppAnswerMs: 30_000 });
    try {
      const domain = registered(registry, 'gaining', 'extras.us');
      const registrant = {
        ...KEPT_REGISTRANT,
        extra: { nexus_purpose: 'P3', nexus_category: 'C11' },
      };
      const pushed = liveRegistrar(own, async () => registrant);
      const push = () => pushed.push({ clientReference: 'trf_z-1', domain });
      const refused = { status: 'action_required', reason: 'registrant_extra' };
      expect(await push()).toMatchObject(refused);
      expect(await push()).toMatchObject(refused);
      expect(registry.changes).toEqual([]);
    } finally {
      await own.stop();
    }
  });

  it('are not sent for other TLDs', async () => {
    const domain = await sold('plain.com');
    await change(domain, GERMAN);
    expect(contactOf(domain)?.extension).toBeNull();
  });
});

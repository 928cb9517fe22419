import { expect, it } from '@jest/globals';
import { COUNTRY_CODES, readCountry } from '../../../shared/platform/countries.ts';

/** Assigned codes of ISO 3166-1 as of 2026, by first letter. */
const ASSIGNED: Readonly<Record<string, string>> = {
  A: 'DEFGILMOQRSTUWXZ',
  B: 'ABDEFGHIJLMNOQRSTVWYZ',
  C: 'ACDFGHIKLMNORUVWXYZ',
  D: 'EJKMOZ',
  E: 'CEGHRST',
  F: 'IJKMOR',
  G: 'ABDEFGHILMNPQRSTUWY',
  H: 'KMNRTU',
  I: 'DELMNOQRST',
  J: 'EMOP',
  K: 'EGHIMNPRWYZ',
  L: 'ABCIKRSTUVY',
  M: 'ACDEFGHKLMNOPQRSTUVWXYZ',
  N: 'ACEFGILOPRUZ',
  O: 'M',
  P: 'AEFGHKLMNRSTWY',
  Q: 'A',
  R: 'EOSUW',
  S: 'ABCDEGHIJKLMNORSTVXYZ',
  T: 'CDFGHJKLMNORTVWZ',
  U: 'AGMSYZ',
  V: 'ACEGINU',
  W: 'FS',
  Y: 'ET',
  Z: 'AMW',
};
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

it('country codes are those of ISO 3166-1, and UK and EL are read as GB and GR', () => {
  const assigned = Object.entries(ASSIGNED).flatMap(([first, seconds]) =>
    [...seconds].map((second) => first + second),
  );
  expect(COUNTRY_CODES.toSorted()).toEqual(assigned.toSorted());
  const meant = new Map([
    ...assigned.map((code) => [code, code] as const),
    ['UK', 'GB'],
    ['EL', 'GR'],
  ]);
  for (const code of LETTERS.flatMap((one) => LETTERS.map((other) => one + other))) {
    expect([code, readCountry(code)]).toEqual([code, meant.get(code)]);
  }
  for (const other of ['gb', 'GBR', '826', '', 'Germany']) {
    expect(readCountry(other)).toBeUndefined();
  }
});

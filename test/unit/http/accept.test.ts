import { describe, expect, it } from '@jest/globals';
import { acceptNames } from '../../../api/http/accept.ts';

describe('responding with CSV', () => {
  it.each([
    'text/csv',
    'TEXT/CSV',
    'text/csv; charset=utf-8',
    'text/csv, application/json',
    'application/json;q=0.5, text/csv;q=0.9',
    'text/csv, */*;q=0.1',
    'application/json, text/csv;q=0.5',
    'text/csv;q=0.001',
  ])('happens for Accept: %s', (accept) => {
    expect(acceptNames(accept, 'text/csv')).toBe(true);
  });
});

describe('responding with JSON', () => {
  it.each([
    '*/*',
    'application/json',
    'text/csvs',
    'text/csv;q=0',
    'text/csv; q=0.000, application/json',
    '',
  ])('happens for Accept: %s', (accept) => {
    expect(acceptNames(accept, 'text/csv')).toBe(false);
  });
});

import { Type } from 'typebox';

/** A price of a listing. */
export const Cents = Type.Integer({ minimum: 1, description: 'Minor units of `currency`.' });

/** The name of a listing. */
export const Domain = Type.String({ description: 'In A-labels (Punycode), lower case.' });

import { Type } from 'typebox';

/** The price of a listing. */
export const Cents = Type.Integer({ minimum: 1, description: 'Minor units of `currency`.' });

/** The domain of a listing. */
export const Domain = Type.String({ description: 'In A-labels (Punycode), lower case.' });

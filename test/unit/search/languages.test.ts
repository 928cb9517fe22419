import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { emojiIn } from '../../../shared/market/search/language/emoji.ts';
import { latinForms } from '../../../shared/market/search/language/romanize.ts';
import { wordsOf } from '../../../shared/market/search/language/text-analysis.ts';
import { translate } from '../../../shared/market/search/language/translate.ts';
import { parseQuery } from '../../../shared/market/search/parse-query.ts';

/** All English translations of a query. */
const englishOf = (query: string) =>
  translate(wordsOf(query)).flatMap(({ english }) => english.map(({ text }) => text));

/** The most likely translation of each term, or the term itself. */
const readingOf = (query: string) =>
  translate(wordsOf(query)).map(({ asked, english }) => english[0]?.text ?? asked);

const anyText = fc.string({ unit: 'grapheme', maxLength: 80 });

describe('translating business words', () => {
  it.each([
    ['es', 'panadería:bakery fontanero:plumber abogado:lawyer peluquería:hairdresser zapatos:shoe'],
    ['es', 'farmacia:pharmacy viajes:trip muebles:furniture carnicería:butcher joyería:jewel'],
    ['de', 'Bäckerei:bakery Klempner:plumber Rechtsanwälte:lawyer Friseur:hairdresser Schuhe:shoe'],
    ['de', 'Apotheke:pharmacy Reise:trip Möbel:furniture Metzgerei:butcher Fahrräder:bicycle'],
    ['fr', 'boulangerie:bakery plombier:plumber avocats:law coiffeuse:hairdresser vélos:bicycle'],
    ['fr', 'pharmacie:pharmacy jouets:toy meubles:furniture boucherie:butcher fleuriste:florist'],
    [
      'pt',
      'padaria:bakery encanador:plumber advogados:lawyer cabeleireiro:hairdresser sapatos:shoe',
    ],
    ['pt', 'farmácia:pharmacy viagens:trip móveis:furniture açougue:butcher bicicletas:bicycle'],
    [
      'it',
      'panetteria:bakery idraulico:plumber avvocato:lawyer parrucchiere:hairdresser scarpe:shoe',
    ],
    ['it', 'farmacia:pharmacy viaggi:trip mobili:furniture macelleria:butcher fiori:flower'],
    ['nl', 'bakkerij:bakery loodgieter:plumber advocaat:lawyer kapper:hairdresser schoenen:shoe'],
    ['nl', 'apotheek:pharmacy reizen:travel meubels:furniture slagerij:butcher bloemen:flower'],
    ['ru', 'пекарня:bakery сантехник:plumber адвокаты:lawyer парикмахер:hairdresser ботинки:boot'],
    ['ru', 'аптека:pharmacy путешествия:travel мебель:furniture цветы:flower велосипеды:bicycle'],
    [
      'zh',
      '面包店:bakery 水管工:plumber 律师:lawyer 理发师:barber 鞋:shoe 药店:pharmacy 旅行:travel',
    ],
    ['zh', '家具:furniture 餐厅:restaurant 自行车:bicycle 咖啡馆:cafe 宠物:pet 保险:insurance'],
    [
      'ja',
      'パン屋:bakery 配管工:plumber 弁護士:lawyer 美容師:hairdresser 靴:shoe 薬局:pharmacy 旅行:travel',
    ],
    [
      'ja',
      '家具:furniture 自転車:bicycle 花屋:flower 歯医者:dentist レストラン:restaurant 喫茶店:cafe',
    ],
    [
      'hi',
      'दुकान:shop वकील:law मिठाई:confectionery दवाई:pharmacy जूते:shoe दुकानों:shop लड़कियों:girl किताबें:book',
    ],
    [
      'hi',
      'dukaan:shop vakeel:law mithaai:sweets dawai:pharmacy joote:shoe kitabon:book sasti:cheap saste:cheap',
    ],
    [
      'ar',
      'مطعم:restaurant المطاعم:restaurant محامي:law صيدلية:pharmacy سيارات:car بالذهب:gold والعطور:perfume',
    ],
    [
      'ar',
      'mat3am:restaurant mataam:restaurant 7alaweyat:confectionery halawiyat:confectionery rakhees:cheap',
    ],
    [
      'ru',
      'mebel:furniture zapchasti:car apteka:pharmacy kvartiru:apartment stomatologiya:dentist moskve:moscow',
    ],
    ['zh', 'zhuangxiu:renovation zufang:apartment waimai:takeaway peixun:training lushi:law'],
    ['ja', 'kissaten:cafe hanaya:florist fudousan:estate fudosan:estate ryokou:travel kuruma:car'],
  ])('works for %s: %s', (_, pairs) => {
    const missing = pairs.split(' ').filter((pair) => {
      const [word = '', english = ''] = pair.split(':');
      return !englishOf(word).join(' ').includes(english);
    });
    expect(missing).toEqual([]);
  });
});

describe('translating a query', () => {
  it.each([
    ['tienda de flores', ['store', 'florist']],
    ['seguro de coche', ['car insurance']],
    ['reparación de móviles', ['phone repair']],
    ['taller de coches', ['workshop', 'car dealer']],
    ['boulangerie à Lyon', ['bakery', 'lyons']],
    ['loja de roupas', ['fashion boutique']],
    ['agence immobilière', ['estate agent']],
    ['агентство недвижимости', ['estate agent']],
    ['ремонт квартир', ['home renovation']],
    ['宠物医院', ['vet clinic']],
    ['東京の花屋', ['tokyo', 'flower shop']],
    ['Zahnarztpraxis', ['dentist']],
    ['Hundeschule', ['dog trainer']],
    ['Moebel', ['furniture']],
    ['Baeckereien', ['bakery']],
    ['Möbel', ['furniture']],
    ['सस्ता होटल दिल्ली में', ['cheap', 'hotel', 'delhi']],
    ['किराये का मकान', ['apartment rental']],
    ['sasta hotel dilli mein', ['cheap', 'hotel', 'delhi']],
    ['kapdo ki dukaan', ['fashion boutique']],
    ['khilono ki dukan', ['toy', 'shop']],
    ['مطعم رخيص', ['restaurant', 'cheap']],
    ['سيارات مستعملة', ['used cars']],
    ['remont kvartir moskva', ['home renovation', 'moscow']],
    ['kupit kvartiru v moskve', ['buy', 'apartment', 'moscow']],
    ['zufang shanghai', ['apartment rental', 'shanghai']],
    ['zhuang xiu gongsi', ['home renovation', 'company']],
    ['hana ya tokyo', ['florist', 'tokyo']],
    ['mobile repair ki dukan', ['mobile', 'repair', 'shop']],
    ['detskie igrushki', ['children', 'toy shop']],
    ['pianyi jiudian', ['cheap', 'hotel']],
    ['yasui ryokou', ['cheap', 'travel agency']],
    ['chahiye', ['chahiye']],
  ])('understands %s', (query, english) => {
    expect(readingOf(query)).toEqual(english);
  });

  it.each([
    'coffee roaster',
    'neon wallet',
    'gift shop',
    'hotel in berlin',
    'electric car charger',
    'software for dentists',
    'jute bag',
    'swimming pool',
    'tokyo ramen',
    'saree shop',
    'best doctor for me',
    'patriot',
    'i am in need of a car',
  ])('leaves the English of %j alone', (query) => {
    expect(readingOf(query)).toEqual(wordsOf(query));
  });

  it('translates one foreign word among English ones', () => {
    expect(readingOf('best panaderia in miami')).toEqual(['best', 'bakery', 'in', 'miami']);
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { likeness } of translate(wordsOf(text)).flatMap(({ english }) => english)) {
          expect(likeness).toBeGreaterThan(0);
          expect(likeness).toBeLessThanOrEqual(1);
        }
        emojiIn(text);
        for (const word of wordsOf(text)) latinForms(word);
      }),
    );
  });
});

describe('emoji in a query', () => {
  it.each([
    ['🐶', 'dog'],
    ['🍕 delivery', 'pizza'],
    ['🏋🏽‍♀️', 'gym'],
    ['❤️', 'heart'],
    ['🇫🇷', 'france'],
    ['👨‍🍳', 'cook'],
  ])('%s is read as %s', (text, word) => {
    expect(emojiIn(text)[0]?.keywords).toContain(word);
  });

  it('are all read', () => {
    expect(emojiIn('💍👰').map(({ keywords }) => keywords)).toEqual([
      expect.arrayContaining(['engagement ring', 'wedding']),
      expect.arrayContaining(['wedding']),
    ]);
  });

  it.each(['', 'plain', '🇽🇽', '5*#', '🇫'])('are not found in %j', (text) => {
    expect(emojiIn(text)).toEqual([]);
  });
});

describe('a word of another script', () => {
  it.each([
    ['москва', 'moskva'],
    ['такси', 'taxi'],
    ['цветы', 'tsvety'],
    ['цветы', 'cvety'],
    ['йога', 'yoga'],
    ['круг', 'krug'],
    ['μουσική', 'mousiki'],
    ['αυτό', 'avto'],
    ['餐厅', 'canting'],
    ['東京', 'tokyo'],
    ['寿司', 'sushi'],
    ['ラーメン', 'ramen'],
    ['まっちゃ', 'matcha'],
    ['キャンプ', 'kyanpu'],
    ['ファッション', 'fasshon'],
    ['한국', 'hanguk'],
    ['강남', 'gangnam'],
    ['भारत', 'bharat'],
    ['मंदिर', 'mandir'],
    ['دبي', 'dubai'],
  ])('%s is spelled %s in Latin letters', (word, latin) => {
    expect(latinForms(wordsOf(word).join(''))).toContain(latin);
  });

  it.each(['moskva', 'zürich', 'שלום'])('%s has no other spelling', (word) => {
    expect(latinForms(wordsOf(word).join(''))).toEqual([]);
  });
});

describe('a query in another language', () => {
  const termsOf = (query: string) => parseQuery(query).words;

  it('is searched in English and by its own words', () => {
    const [, florist] = termsOf('tienda de flores');
    expect(florist?.word).toBe('florist');
    expect(florist?.originals).toEqual(['flores']);
    expect(parseQuery('tienda de flores').labels).toEqual(['tiendadeflores']);
  });

  it('is searched in Latin letters, too', () => {
    expect(parseQuery('тихая гавань').labels).toContain('tikhayagavan');
    expect(termsOf('вкусный чай').flatMap(({ latin }) => latin)).toContain('chai');
  });

  it('may contain emoji', () => {
    expect(termsOf('🍕 delivery').map(({ word }) => word)).toEqual(['delivery', 'pizza']);
    expect(parseQuery('🐶').labels).toEqual(['dog']);
  });

  it('does not change English labels', () => {
    expect(parseQuery('neon wallet').labels).toEqual(['neonwallet']);
  });
});

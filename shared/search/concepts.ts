import { stem } from './text.ts';

/**
 * Groups of words that buyers use for one another: the meaning side of search. A word may stand in
 * several groups; the first of a group has no special role.
 */
const GROUPS = `
crypto bitcoin blockchain wallet coin token defi web3 ledger
finance money cash capital fund invest wealth asset fintech banking
bank banking account savings deposit
loan lending credit mortgage borrow
pay payment checkout invoice billing
accounting bookkeeping tax ledger audit payroll
insurance cover policy claim protect
trade trading stock market exchange forex
cheap budget discount bargain deal coupon saving thrift
shop store market cart retail ecommerce boutique buy mall outlet
fashion clothing apparel style wear dress outfit wardrobe
shoe sneaker boot footwear sandal
jewelry jewel ring gem diamond gold necklace
beauty cosmetic makeup skincare skin glow salon spa
hair barber salon haircut stylist
health wellness medical clinic care doctor medicine therapy
dental dentist tooth teeth smile
fitness gym workout training muscle athlete exercise coach
yoga meditation mindful calm zen breath
food meal recipe kitchen cooking chef dish eat
restaurant dining bistro diner eatery table menu
coffee cafe espresso roast brew bean barista
tea brew leaf herbal
wine vineyard cellar grape winery
beer brewery ale hops pub
cake bakery bread pastry dessert sweet
travel trip journey vacation holiday tour voyage getaway tourism flight
flight airline airfare plane aviation
hotel hostel lodging stay resort inn room
car auto vehicle motor drive automotive garage
electric ev charge battery volt
bike bicycle cycle cycling pedal
boat yacht sail marine ship
home house property estate realty apartment
rent rental lease tenant landlord
furniture sofa chair decor interior
garden plant lawn flower landscape seed
clean cleaning laundry tidy maid wash
build building construction contractor renovation builder
solar sun renewable energy power panel
green eco sustainable climate recycle
pet dog puppy cat kitten paw vet animal
baby infant toddler kid child nursery parent
school education learn learning course class tutor study teach academy
job career hire hiring recruit talent work resume
law legal lawyer attorney justice court
cloud hosting server compute storage
data analytics insight metrics dashboard chart
ai intelligence neural machine robot automation bot
software saas app code developer programming dev
security secure cyber protect guard shield privacy
game gaming play esport arcade player
music song audio sound beat tune band
video film movie cinema stream studio
photo photography camera image picture lens
art artist gallery paint design creative
book reading story novel library author
news press media journal daily
social community network connect friend chat
dating love romance match couple
wedding bride groom marriage bridal
event party festival ticket celebration birthday
marketing brand advertising agency campaign promotion seo
mail email inbox newsletter message
delivery courier shipping freight logistics parcel cargo
farm agriculture crop harvest organic
sport football soccer tennis golf team
golf club course tee
outdoor camping hiking trail adventure
space rocket orbit star galaxy
startup venture founder launch business
gift present surprise box
`;

const RELATED = new Map<string, Set<string>>();
for (const line of GROUPS.trim().split('\n')) {
  const group = line.trim().split(' ');
  for (const word of group) {
    const key = stem(word);
    const related = RELATED.get(key) ?? new Set();
    for (const other of group) if (stem(other) !== key) related.add(other);
    RELATED.set(key, related);
  }
}

/** The words that mean nearly the same as `word`, or are spoken of with it; empty when none are known. */
export function relatedWords(word: string): readonly string[] {
  return [...(RELATED.get(stem(word)) ?? [])];
}

/** Every word of the groups: words that a label is likely to be made of. */
export const CONCEPT_WORDS: ReadonlySet<string> = new Set(GROUPS.trim().split(/\s+/));

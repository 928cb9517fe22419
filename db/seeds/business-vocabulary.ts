/** A trade: the words that make up its names, the words buyers use, and what a name is good for. */
export interface Trade {
  category: string;
  nouns: readonly string[];
  keywords: readonly string[];
  uses: readonly string[];
}

// category | nouns of names | keywords | uses
const TRADES_TEXT = `
Crypto | wallet coin token vault chain ledger mint node | crypto bitcoin blockchain defi web3 | a crypto wallet; a token launch; a blockchain explorer
Finance | capital fund ledger wealth equity asset yield trust | finance investing money wealth fintech | an investment firm; a budgeting app; a wealth adviser
Payments | pay invoice billing checkout till receipt coin transfer | payments checkout invoicing fintech | a payment gateway; an invoicing tool; a card terminal
Insurance | cover shield policy claim guard umbrella safe | insurance protection risk claims | an insurance broker; a claims desk; a pet insurer
Accounting | ledger books tally audit tax balance payroll | accounting bookkeeping tax payroll | a bookkeeping service; a tax adviser; a payroll tool
Lending | loan credit lend borrow mortgage bridge | lending mortgage credit loans | a mortgage broker; a credit marketplace; a small-business lender
Retail | cart shop market basket store bazaar mall | retail ecommerce shopping online store | an online shop; a marketplace; a discount store
Fashion | thread wardrobe stitch loom dress denim velvet | fashion clothing apparel style | a clothing label; a personal stylist; a second-hand boutique
Shoes | sneaker sole boot stride lace sandal | shoes sneakers footwear | a sneaker store; a cobbler; a running-shoe brand
Jewelry | gem ring pearl diamond locket bangle | jewelry diamonds gold rings | a jeweller; an engagement-ring studio; a gem dealer
Beauty | glow skin blush lash balm petal | beauty cosmetics skincare makeup | a skincare brand; a beauty salon; a make-up artist
Hair | hair barber curl braid salon comb | hair barber salon haircut | a barber shop; a hair salon; a styling academy
Health | care clinic pulse remedy heal doctor | health medical wellness clinic | a medical practice; a telehealth app; a wellness blog
Dental | dental smile tooth brace floss | dentist teeth orthodontics smile | a dentist; an orthodontist; a whitening brand
Fitness | fit gym muscle sprint lift coach | fitness gym workout training | a gym; a personal trainer; a workout app
Yoga | yoga zen breath calm lotus mat | yoga meditation mindfulness wellness | a yoga studio; a meditation app; a retreat
Food | kitchen meal plate spoon recipe spice | food recipes cooking meals | a meal-kit service; a recipe site; a catering firm
Restaurants | bistro table diner grill tavern menu | restaurant dining reservations menu | a restaurant; a table-booking app; a food guide
Coffee | coffee bean roast brew espresso mug | coffee espresso roaster cafe | a coffee roaster; a cafe chain; a bean subscription
Tea | tea leaf kettle steep infusion | tea herbal loose leaf | a tea merchant; a tea room; an herbal brand
Wine | wine vine cellar grape cork | wine vineyard tasting cellar | a wine merchant; a vineyard; a tasting club
Beer | brew hops barrel ale tap | beer brewery craft ale | a craft brewery; a bottle shop; a beer festival
Bakery | bread cake crumb pastry oven flour | bakery bread cakes pastry | a bakery; a cake studio; a flour mill
Travel | trip journey voyage passport suitcase compass | travel holiday trips tours | a travel agency; a trip planner; a tour operator
Hotels | hotel inn lodge suite stay pillow | hotel lodging booking resort | a boutique hotel; a booking site; a holiday rental
Cars | car auto motor drive garage wheel | cars automotive vehicles dealership | a car dealership; a repair garage; a rental company
Electric Vehicles | charge volt battery plug amp | electric vehicles charging battery ev | a charging network; an EV rental; a battery maker
Cycling | bike pedal spoke saddle gear | bikes cycling bicycle ebike | a bike shop; a cycling club; a bike courier
Real Estate | home estate key roof villa brick | real estate property homes apartments | an estate agency; a rental portal; a property fund
Furniture | chair sofa oak shelf table lamp | furniture interior decor home | a furniture store; an interior designer; a lamp maker
Gardening | garden seed bloom lawn fern hedge | gardening plants landscaping flowers | a garden centre; a landscaper; a florist
Cleaning | clean mop spotless polish tidy sparkle | cleaning laundry maid service | a cleaning company; a laundry service; a window cleaner
Construction | build brick crane beam timber frame | construction builder renovation contractor | a building contractor; a renovation planner; a timber yard
Solar | solar sun panel ray watt | solar renewable energy panels | a solar installer; an energy co-operative; a panel maker
Pets | pet paw puppy kitten whisker leash | pets dogs cats veterinary | a pet store; a dog walker; a veterinary practice
Kids | kid toy cradle stroller playground crayon | kids baby toys children parenting | a toy shop; a nursery; a parenting site
Education | learn class tutor lesson campus study | education learning courses tutoring | a tutoring platform; an online course; a language school
Jobs | job career hire talent resume | jobs recruiting hiring careers | a job board; a recruiter; a career coach
Law | law counsel justice court brief | legal lawyer attorney law firm | a law firm; a contract tool; a legal clinic
Cloud | cloud server host stack deploy cluster | cloud hosting servers infrastructure devops | a hosting company; a deployment tool; a backup service
Data | data metric chart insight query signal | data analytics dashboards insights | an analytics platform; a dashboard tool; a survey firm
Artificial Intelligence | mind neural robot prompt agent brain | ai artificial intelligence machine learning automation | an AI assistant; a robotics lab; an automation agency
Security | cyber lock shield guard cipher sentry | security cybersecurity privacy protection | a security firm; a password manager; an alarm company
Games | game pixel quest arcade dice joystick | games gaming esports play | a game studio; an esports team; a board-game shop
Music | music song beat chord melody vinyl | music audio songs band | a record label; a music school; a streaming app
Photography | photo lens shutter frame focus | photography camera images studio | a photographer; a stock-photo site; a camera shop
Books | book page story novel ink | books reading publishing stories | a bookshop; a publisher; a reading app
Weddings | bride vow bouquet altar confetti | wedding bridal venue marriage | a wedding planner; a bridal shop; a venue finder
Marketing | brand reach funnel pitch buzz | marketing advertising seo branding | a marketing agency; an email tool; a branding studio
Logistics | parcel cargo freight courier pallet | logistics shipping delivery freight | a courier; a freight broker; a parcel tracker
Farming | farm harvest barn field orchard | farming agriculture organic produce | a farm shop; an agritech start-up; a seed supplier
Outdoors | trail camp tent summit canoe | outdoor camping hiking adventure | an outdoor outfitter; a camp site; a hiking guide
`;

/** About fifty trades with the words that make up their names. */
export const TRADES: readonly Trade[] = TRADES_TEXT.trim()
  .split('\n')
  .map((line) => {
    const [category = '', nouns = '', keywords = '', uses = ''] = line
      .split('|')
      .map((part) => part.trim());
    return {
      category,
      nouns: nouns.split(' '),
      keywords: keywords.split(' '),
      uses: uses.split('; '),
    };
  });

export const MODIFIERS: readonly string[] =
  `amber arctic autumn azure bold brave bright brisk calm candid cedar
  civic clear clever cobalt copper coral crisp crystal dapper dawn eager early ember fable fair fern first fleet
  frost gentle golden grand harbor hazel hidden honest humble indigo iron ivory jade jolly keen kind lively lucky
  lunar maple meadow mellow merry mint misty modern neat nimble noble north open opal orchid pearl plain prime
  proud quick quiet rapid river robin royal rustic sage sandy scarlet silent silver simple sky smart snowy solid
  spring steady stellar summer sunny swift tidy tiny true urban velvet vivid warm wild willow winter wise witty
  zesty`.split(/\s+/);

export const ENDINGS: readonly string[] =
  `base bay box bridge club corner craft crew deck den desk dock field
  finch flow forge fox grove guild harbor haven hive house hub lab lane lantern loft mill nest nook orbit path
  peak pilot point port post room scout shed spot square station studio trail union way works yard`.split(
    /\s+/,
  );

export const SYLLABLES: readonly string[] =
  `bel bo cal ce da do el fa fi ga ho il ka ki la len lo lu ma mi mo
  na ni no or pa pe qui ra re ri ro sa so ta te ti to ul va ve vi vo xa ya yo za ze zo`.split(
    /\s+/,
  );

export const IDN_NAMES: readonly string[] =
  `grünwerk.de blütenhaus.de möbelhafen.de käsebrücke.ch wärmepunkt.at
  fröhlichmarkt.de küstenlicht.de straßenbäcker.de cafélumière.fr pâtisserienord.fr crèmeazur.com écoleverte.fr
  forêtbleue.com señalviva.es peñaclara.es montañazul.com añoslibres.com cançónova.com praçanova.com.br
  smörblick.se fjällvind.se ångpark.se blåhav.no søndagskaffe.dk rødgrød.dk łąkowedomy.pl żółtapaczka.pl
  świeżykosz.pl čistávoda.cz růžovýdům.cz пекарнянорд.рф тихаягавань.рф светлыйдом.рф 青空商店.jp 月灯茶屋.jp
  小川写真.jp 하늘가게.kr 달빛서점.kr ελιάφως.gr`.split(/\s+/);

// category | names for it in other languages and scripts
const WORLD_TEXT = `
Coffee | кофейнаялавка.рф kahveevim.com 珈琲時間.jp กาแฟสด.com kávézóm.com
Bakery | свежийхлеб.рф 甜蜜面包.cn פתטרי.com çıtırekmek.com bánhmìnóng.com
Books | книжныймир.рф 本の森.jp 책마을.kr βιβλίοφως.gr księgarniaświatło.pl
Travel | горящиетуры.рф 海外旅行.cn 세계여행.kr سفرسعيد.com ταξίδια.gr
Restaurants | вкусныйстол.рф 寿司屋.jp 한식당.kr مطعمالشام.com भोजनघर.com
Tea | чайныйдом.рф 绿茶坊.cn 녹차향.kr çayevi.com
Real Estate | новаяквартира.рф 家探し.jp 上海房产.cn بيتجديد.com घरखोज.com
Health | домашнийдоктор.рф 健康中国.cn 건강한집.kr שיניים.com gesundfühlen.de
Music | живаямузыка.рф 音楽の庭.jp 노래방.kr μουσική.gr
Games | играонлайн.рф ゲーム天国.jp 게임나라.kr
Cars | автосервис.рф 中古車.jp 汽车之友.cn 자동차마을.kr
Fashion | моднаяодежда.рф 着物屋.jp 패션거리.kr โรงเสื้อ.com
Weddings | нашасвадьба.рф 花嫁.jp 웨딩홀.kr
Gardening | садцветов.рф 花の庭.jp 꽃집.kr λουλούδι.gr
Kids | детскиймир.рф おもちゃ箱.jp 아기방.kr küçükdünya.com
Artificial Intelligence | умныйробот.рф 人工智能.cn 인공지능.kr ذكاء.com
`;

/** Names in other languages and scripts, each with its category. */
export const WORLD_NAMES: readonly { domain: string; category: string }[] = WORLD_TEXT.trim()
  .split('\n')
  .flatMap((line) => {
    const [category = '', names = ''] = line.split('|').map((part) => part.trim());
    return names.split(' ').map((domain) => ({ domain, category }));
  });

import type { Language } from './dictionary.ts';
import { foldText } from './text-analysis.ts';

/** Function words, folded, also in Latin letters; in Chinese and Japanese, characters between the words. */
export const FOREIGN_STOP_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  ar: words(`في من علي الي عن مع هذا هذه هو هي انا نحن و او ما يا لي لنا عندي اريد ابحث محتاج عايز بدي ابغي يوجد قريب مني
    fi min ala 3ala ila ma3 maa el al il w wa aw ana ahna bedi biddi bidi 3ayez ayez 3awez awez abi abgha aryd ureed li lel lil`),
  de: words(`aber als am an auch auf aus bei beim bis das dein dem den der des die ein eine einem einen einer eines etwas
    euch fuer fur gegen gesucht gibt hat ich ihr im in ins ist kein keine mein meine meinen meiner mir mit mochte nach
    name nicht noch nur oder ohne sehr sein seine sich sind suche uber um und uns unser unsere unter vom von vor was wie
    wir wo zu zum zur zwischen`),
  es: words(`a al algo como con de del desde el ella en entre es esta este la las lo los mas me mi mis muy nombre
    nuestra nuestro o para pero por que quiero se ser sin sobre son su sus tu tus un una unas uno unos y yo busco`),
  fr: words(`a au aux avec c ce ces chez d dans de des du elle en entre est et il j je l la le les leur m ma mais mes mon
    n ne nom nos notre nous ou par pas plus pour qu que qui s sa sans se ses son sous sur t ta tes ton tres un une vos
    votre vous y cherche`),
  hi: words(`का की के को में से पर और या है हैं हो था लिए वाला वाले वाली चाहिए मुझे मुझको मेरा मेरी मेरे हमारा हमें अपना अपनी अपने
    एक यह ये वह वो क्या कैसे कहां कोई कुछ भी ना नहीं तक करना करने करें
    ka ki ke ko me mein mai main se par pe aur ya hai hain ho tha liye lie wala wale wali vala vale vali chahiye chahie
    mujhe mujhko mera meri mere hamara hume apna apni apne ek yeh ye woh wo kya kaise kahan kaha koi kuch bhi na nahi
    nahin tak karna karne karo karwana karvana`),
  it: words(`a ai al alla alle anche che ci come con cui d da dai dal dalla dei del della delle dello di e ed gli i il in
    io l la le lo ma mi mia mio ne nei nel nella nelle noi non nome o per piu quella quello se senza si sono su sua sul
    sulla suo tra tu un una uno cerco`),
  ja: words(
    'が で と な に の は へ も や を から まで より する です ます ga de to na ni no wa he o wo kara made desu',
  ),
  nl: words(`aan als bij dat de die dit door een en er haar het hij hun ik in is je jouw maar met mijn naam naar niet nog
    of om onder ons onze ook op over s t te tegen tot tussen u uit van voor waar wat we wij worden ze zich zijn zoek zonder`),
  pt: words(`a ao aos as com como da das de desde do dos e em entre essa esse esta este eu mais mas me meu minha muito na
    nas no nome nos o os ou para pela pelo por que quero se sem seu sob sobre sua um uma umas uns procuro`),
  ru: words(`а без в во где для до его ее за и из или как ко к ли меня мне моеи мои моя мы на над наш наша нашеи не но о об
    он она они от по под при про с со так также то у что чтобы это я хочу ищу
    v vo na dlya dlja s so i iz po u ot do k o ob ili ischu ishchu hochu mne moi moya`),
  zh: words(
    '的 了 和 与 与 或 在 是 我 你 我们 给 把 被 也 都 很 就 及 之 个 一个 de he zai shi wo ni women wode yao xiang',
  ),
};

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/).map(foldText));
}

/** English words by their role in a question. All are in lower case, with contractions written out. */

const setOf = (words: string) => new Set(words.split(' '));

function mapOf(entries: string): ReadonlyMap<string, string> {
  return new Map(
    entries.split(' ').flatMap((entry) => {
      const [target = '', ...words] = entry.split(/[:,]/);
      return words.map((word) => [word, target] as const);
    }),
  );
}

export const ARTICLES = setOf('a an the');

export const NEGATORS = setOf('not no never without neither nor none nobody nothing nowhere hardly except cannot');

export const PREPOSITIONS = setOf(
  'in on at of for from to into onto with by about than as like against over under between before after during until ' +
    'since via per through across toward towards versus',
);

/** Function words. Two questions rarely differ in one of them alone. */
const JOINTS = setOf(
  'and or but if then so because while that this these those there here it its is are was were be been being am do does ' +
    'did done have has had having can could should would will shall may might must ought what which who whom whose how ' +
    'why when where i you he she we they me him us them my your his her our their mine yours one ones someone anyone ' +
    'some any all each every both such own same too very also just only even still yet more most much many few ' +
    'lot lots get got go let please up out off down s t re ve ll d',
);

export const FUNCTION_WORDS = new Set([...ARTICLES, ...NEGATORS, ...PREPOSITIONS, ...JOINTS]);

/** Words that are frequent in other languages and rare in English. */
export const FOREIGN_WORDS = setOf(
  'le la les des une est que qui dans pour avec sur pas je vous nous et du el los las una es en por para con como cual ' +
    'der das und ist nicht ein eine wie ich mit auf den dem zu von wo het een van ik wat il che di per non sono come ' +
    'kya hai kaise mein ka ki ke ko aur nahi yang dan apa ini itu bir ve nasil czy jak jest co na nie och att det som ' +
    'o os um uma qual meu ao quais quelle quel cuanto donde warum wer kann man sie ma mi mio moje',
);

/** British and American spellings of the same word, and frequent misspellings. */
export const SPELLINGS = mapOf(
  'color:colour favorite:favourite,favorit honor:honour humor:humour labor:labour neighbor:neighbour behavior:behaviour ' +
    'flavor:flavour rumor:rumour center:centre theater:theatre meter:metre liter:litre fiber:fibre program:programme ' +
    'defense:defence license:licence offense:offence catalog:catalogue dialog:dialogue gray:grey tire:tyre ' +
    'traveling:travelling traveler:traveller canceled:cancelled canceling:cancelling jewelry:jewellery ' +
    'aluminum:aluminium check:cheque airplane:aeroplane mom:mum,mommy enroll:enrol fulfill:fulfil skillful:skilful ' +
    'judgment:judgement math:maths learned:learnt dreamed:dreamt burned:burnt spelled:spelt modeling:modelling ' +
    'pediatric:paediatric encyclopedia:encyclopaedia diarrhea:diarrhoea estrogen:oestrogen mold:mould plow:plough ' +
    'because:becoz,cuz,bcoz you:u,ya your:ur are:r please:pls,plz people:ppl without:w/o engineering:engg ' +
    'colors:colours favorites:favourites neighbors:neighbours behaviors:behaviours flavors:flavours centers:centres ' +
    'theaters:theatres meters:metres liters:litres programs:programmes licenses:licences quora:qoura,quara ' +
    'whatsapp:watsapp,whatapp experience:experiance government:goverment,govt india:inida different:diffrent ' +
    'definitely:definately beautiful:beautifull believe:beleive receive:recieve tomorrow:tommorow business:buisness',
);

/** The stems of verbs in `ise` that are variants of `ize`. */
export const IZE_VERBS = setOf(
  'optim organ real recogn min max summar apolog memor emphas author civil colon critic custom final general global ' +
    'hypnot immun initial legal local modern monet neutral normal penal personal popular priorit random special ' +
    'stabil standard steril symbol util visual vapor capital categor character monopol synchron token revolution',
);

/** Irregular forms, keyed by their base form. */
export const IRREGULAR = mapOf(
  'be:is,are,was,were,been,being,am do:does,did,done,doing have:has,had,having go:goes,went,gone,going ' +
    'get:gets,got,gotten,getting make:makes,made,making take:takes,took,taken,taking say:says,said ' +
    'see:sees,saw,seen,seeing know:knew,known come:came give:gave,given find:found think:thought tell:told ' +
    'become:became,becoming leave:left,leaving feel:felt bring:brought begin:began,begun,start,started,starting,starts ' +
    'keep:kept write:wrote,written,writing stand:stood hear:heard let:lets mean:meant meet:met run:ran,running ' +
    'pay:paid,pays sit:sat speak:spoke,spoken lie:lying lead:led grow:grew,grown lose:lost,losing fall:fell,fallen ' +
    'send:sent build:built understand:understood draw:drew,drawn break:broke,broken spend:spent cut:cutting rise:rose ' +
    'drive:drove,driven,driving buy:bought,buying,buys,purchase,purchased,purchasing wear:wore,worn choose:chose,chosen ' +
    'eat:ate,eaten teach:taught fight:fought catch:caught sell:sold sleep:slept win:won,winning forget:forgot,forgotten ' +
    'child:children,kid,kids,childs man:men woman:women person:people,persons,peoples foot:feet tooth:teeth ' +
    'mouse:mice wife:wives life:lives knife:knives leaf:leaves shelf:shelves wolf:wolves use:used,using,uses ' +
    'die:dies,died,dying study:studies,studied,studying try:tries,tried,trying movie:movies,film,films ' +
    'phone:phones,mobile,mobiles,smartphone,smartphones,cellphone,cellphones car:cars,automobile,automobiles ' +
    'photo:photos,photograph,photographs,picture,pictures,pic,pics dad:dads,father,fathers mom:moms,mother,mothers ' +
    'tv:television,televisions,tvs ad:ads,advertisement,advertisements bike:bikes,bicycle,bicycles ' +
    'fast:quick,quickly,rapidly happen:happens,happened,happening,occur,occurs,occurred,occurring ' +
    'big:large huge:enormous stop:quit,quitting,quits,stopped,stopping,stops usa:us,america,american,americans uk:britain,england,british ' +
    'india:indian,indians china:chinese russia:russian,russians germany:german,germans france:french pakistan:pakistani,pakistanis ' +
    'japan:japanese australia:australian,australians canada:canadian,canadians italy:italian,italians israel:israeli,israelis ' +
    'europe:european,europeans africa:african,africans company:companies country:countries difference:differences,differ,differs ' +
    'company:companies app:apps,application,applications info:information rs:rupee,rupees,inr ' +
    'data:datum bus:buses gas:gases news:news always:always perhaps:perhaps series:series physics:physics ' +
    'speech:speeches analysis:analyses crisis:crises thesis:theses basis:bases',
);

/** Pairs of words with a one-word equivalent. */
export const COMPOUNDS = new Map<string, string>([
  ['united states', 'usa'],
  ['united kingdom', 'uk'],
  ['great britain', 'uk'],
  ['donald trump', 'trump'],
  ['hillary clinton', 'hillary'],
  ['barack obama', 'obama'],
  ['narendra modi', 'modi'],
  ['pm modi', 'modi'],
  ['vladimir putin', 'putin'],
  ['artificial intelligence', 'ai'],
  ['cell phone', 'phone'],
  ['cell phones', 'phone'],
  ['mobile phone', 'phone'],
  ['mobile phones', 'phone'],
  ['smart phone', 'phone'],
  ['smart phones', 'phone'],
  ['new years', 'newyear'],
  ['new year', 'newyear'],
  ['time travel', 'timetravel'],
  ['get rid', 'remove'],
  ['getting rid', 'remove'],
  ['how come', 'why'],
  ['make money', 'earn money'],
  ['making money', 'earn money'],
  ['web site', 'website'],
  ['web sites', 'website'],
  ['e mail', 'email'],
  ['on line', 'online'],
  ['wi fi', 'wifi'],
]);

/** Contractions without their apostrophe. */
export const BARE_CONTRACTIONS = new Map<string, readonly string[]>(
  Object.entries({
    whats: ['what', 'is'],
    hows: ['how', 'is'],
    whos: ['who', 'is'],
    wheres: ['where', 'is'],
    thats: ['that', 'is'],
    dont: ['do', 'not'],
    doesnt: ['does', 'not'],
    didnt: ['did', 'not'],
    isnt: ['is', 'not'],
    arent: ['are', 'not'],
    wasnt: ['was', 'not'],
    werent: ['were', 'not'],
    cant: ['can', 'not'],
    cannot: ['can', 'not'],
    couldnt: ['could', 'not'],
    wouldnt: ['would', 'not'],
    shouldnt: ['should', 'not'],
    hasnt: ['has', 'not'],
    havent: ['have', 'not'],
    wont: ['will', 'not'],
    im: ['i', 'am'],
    ive: ['i', 'have'],
    wanna: ['want', 'to'],
    gonna: ['going', 'to'],
  }),
);

/** Words after which `'s` means `is`. After any other word it is a possessive. */
export const BEFORE_IS = setOf('what how who where when why that it there here let he she');

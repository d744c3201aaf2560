import { stemOf } from './stem.ts';

/** Groups of mutually exclusive words, by topic. An answer about one does not answer a question about another. */
const GROUPS = `enable disable|on off|buy sell rent|before after during|increase decrease|increase reduce|raise lower|up down
male female|man woman|boy girl|men women|husband wife|brother sister|son daughter|father mother|dad mom|uncle aunt|king queen
boyfriend girlfriend|guy girl|groom bride|his her|import export|encrypt decrypt|encode decode|open close|open shut|start stop|begin end
begin finish|win lose|gain lose|add remove|add delete|install uninstall|install remove|upload download|send receive|push pull
give receive|give take|borrow lend|teach learn|love hate|like dislike|like hate|hot cold|warm cool|good bad|best worst|better worse
right wrong|true false|left right|high low|highest lowest|higher lower|long short|longest shortest|longer shorter|big small
bigger smaller|biggest smallest|large small|tall short|heavy light|fast slow|faster slower|fastest slowest|early late|old new
old young|older younger|oldest youngest|rich poor|strong weak|easy hard|easy difficult|simple complex|cheap expensive|safe dangerous
positive negative|plus minus|multiply divide|maximum minimum|max min|most least|more less|more fewer|major minor|majority minority
advantage disadvantage|pro con|benefit drawback|benefit risk|strength weakness|success failure|succeed fail|accept reject
accept refuse|approve reject|agree disagree|allow forbid|allow ban|allow prevent|permit prohibit|legal illegal|moral immoral
possible impossible|visible invisible|public private|internal external|inside outside|indoor outdoor|interior exterior|domestic foreign
domestic international|national international|input output|inbound outbound|income expense|asset liability|debit credit|profit loss
supply demand|lender borrower|employer employee|teacher student|doctor patient|buyer seller|landlord tenant|parent child|master slave
server client|host guest|frontend backend|hardware software|online offline|digital analog|synchronous asynchronous|static dynamic
public private protected|read write|load save|save delete|lock unlock|mute unmute|follow unfollow|block unblock|subscribe unsubscribe
show hide|expand collapse|attach detach|connect disconnect|link unlink|merge split|combine separate|join leave|arrive depart|enter exit
enter leave|appear disappear|create destroy|create delete|build destroy|construct demolish|attack defend|war peace|alive dead|life death
live die|birth death|born die|marry divorce|single married|hire fire|hire dismiss|promote demote|upgrade downgrade|update rollback
advance retreat|forward backward|forward reverse|clockwise counterclockwise|north south east west|northern southern eastern western
top bottom|front back|first last|next previous|past future|ancient modern|day night|morning evening|summer winter|sunrise sunset
sun moon|dry wet|clean dirty|full empty|thick thin|wide narrow|deep shallow|hard soft|rough smooth|sharp dull|loud quiet|bright dark
black white|red green blue yellow orange purple pink brown|gold silver bronze|happy sad|happy unhappy|optimist pessimist
introvert extrovert|vegetarian vegan|healthy unhealthy|healthy sick|sober drunk|awake asleep|attractive ugly|beautiful ugly|smart stupid
intelligent stupid|clever stupid|brave coward|honest dishonest|polite rude|lazy hardworking|guilty innocent|democrat republican
liberal conservative|capitalism communism socialism|left-wing right-wing|hindu muslim christian jewish buddhist|credit cash
android ios|windows mac linux|mac windows|petrol diesel electric|veg nonveg|active passive|active inactive|transitive intransitive
singular plural|noun verb adjective adverb|formal informal|theory practice|qualitative quantitative|primary secondary tertiary
horizontal vertical|row column|odd even|acid base|anode cathode|proton electron neutron|artery vein|virus bacteria|mitosis meiosis
endothermic exothermic|concave convex|convergent divergent|ac dc|series parallel|serial parallel|integral derivative|sine cosine tangent
mean median mode|permutation combination|stack queue|tcp udp|http https|sql nosql|get post put patch|breakfast lunch dinner
undergraduate postgraduate|bachelor master phd|school college university|cause cure|cause prevent|symptom cause|symptom treatment|prevent cure
question answer|problem solution|ask answer|introduction conclusion|lose find|hide find|remember forget|include exclude|with without
always never|everyone nobody|everything nothing|all none|introvert extroverted|inhale exhale|ascend descend|ascending descending
inflate deflate|inflation deflation|deep surface|lead follow|float sink|freeze melt|freeze boil|evaporate condense|heat cool
tighten loosen|wake sleep|work play|laugh cry|praise criticize|praise blame|compliment insult|reward punish|victory defeat|ally enemy
friend enemy|friend stranger|hero villain|angel devil|heaven hell|god devil|pass fail|temporary permanent|natural artificial|raw cooked
fresh stale|fixed variable|finite infinite|convex concave|abundant scarce|arrival departure|entrance exit|gross net|retail wholesale
landline mobile|wired wireless|manual automatic|prepaid postpaid|debit credit|hourly daily weekly monthly yearly|mutual fixed`;

/** The excluded stems of each stem. */
export const ANTONYMS: ReadonlyMap<string, ReadonlySet<string>> = readGroups(GROUPS);

/** Prefixes that negate: `unlock` and `lock`, `illegal` and `legal`. */
export const NEGATIVE_PREFIXES = ['un', 'in', 'im', 'il', 'ir', 'non', 'dis', 'de', 'mis', 'anti'] as const;

function readGroups(text: string): Map<string, Set<string>> {
  const opposites = new Map<string, Set<string>>();
  for (const group of text.split(/[|\n]/)) {
    const stems = group.split(' ').map((word) => stemOf(word));
    for (const stem of stems) {
      const known = opposites.get(stem) ?? new Set<string>();
      for (const other of stems) if (other !== stem) known.add(other);
      opposites.set(stem, known);
    }
  }
  return opposites;
}

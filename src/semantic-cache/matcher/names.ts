import common from './common-words.json';
import { stemOf } from './stem.ts';

const WORDS = `india china pakistan bangladesh nepal japan korea vietnam thailand singapore malaysia indonesia philippines iran iraq
israel turkey egypt nigeria kenya africa europe asia russia ukraine poland germany france spain portugal italy greece austria
switzerland netherlands belgium sweden norway denmark finland ireland scotland uk usa canada mexico brazil argentina chile colombia
australia mumbai delhi bangalore bengaluru chennai hyderabad kolkata pune london paris berlin madrid rome moscow tokyo beijing
shanghai dubai sydney melbourne toronto boston chicago california texas florida seattle
english hindi french german spanish chinese japanese korean arabic portuguese latin urdu tamil telugu punjabi marathi
google facebook twitter instagram whatsapp snapchat youtube amazon flipkart apple microsoft netflix quora reddit linkedin tinder uber
paypal gmail yahoo wikipedia samsung nokia huawei xiaomi iphone ipad macbook android ios windows linux ubuntu
python java javascript typescript php ruby rust golang kotlin swift scala perl haskell matlab html css sql mysql postgresql mongodb
redis docker kubernetes react angular vue django flask rails laravel wordpress excel photoshop git github
trump hillary obama modi putin gandhi nehru hitler stalin jesus buddha muhammad einstein newton messi ronaldo`;

/** Stems of names that people also write without a capital. None can replace another. */
export const NAMES: ReadonlySet<string> = new Set(WORDS.split(/\s+/).map((word) => stemOf(word)));

/**
 * Words that are hardly ever capitalized within a sentence (`src/semantic-cache/training/common-words.ts`): a capital does not make them
 * names.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(common.split(' '));

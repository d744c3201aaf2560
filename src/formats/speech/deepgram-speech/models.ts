import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import type { SpeechRequest } from '../../../domain/audio/speech.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { OPENAI_VOICES, type VoiceTable } from '../shared/speech-request.ts';

/*
 * From the published document, `V1SpeakPostParametersModel`: each voice speaks one language, and any other combination is
 * refused.
 */

/** The voices of a language, the most neutral ones first. */
interface Cast {
  readonly women: readonly string[];
  readonly men: readonly string[];
}

/** The voices of Aura-2 in languages other than English. */
const CASTS: Readonly<Record<string, Cast>> = {
  de: { women: ['elara', 'viktoria', 'lara', 'kara', 'aurelia'], men: ['julius', 'fabian'] },
  es: {
    women: ['celeste', 'carina', 'estrella', 'selena', 'diana', 'agustina', 'antonia', 'gloria', 'olivia', 'silvia'],
    men: ['nestor', 'sirio', 'alvaro', 'javier', 'aquila', 'luciano', 'valerio'],
  },
  fr: { women: ['agathe'], men: ['hector'] },
  it: {
    women: ['livia', 'cinzia', 'demetra', 'maia', 'melia'],
    men: ['dionisio', 'cesare', 'elio', 'flavio', 'perseo'],
  },
  ja: { women: ['izanami', 'uzume', 'ama'], men: ['fujin', 'ebisu'] },
  nl: { women: ['rhea', 'beatrix', 'cornelia', 'daphne', 'hestia', 'leda'], men: ['lars', 'roman', 'sander'] },
};

/** The English voices of Aura-2. */
const ENGLISH: VoiceTable = {
  ...{ alloy: 'thalia', coral: 'helena', marin: 'andromeda', nova: 'asteria', sage: 'athena', shimmer: 'luna' },
  ...{ ash: 'apollo', ballad: 'orpheus', cedar: 'arcas', echo: 'aries', fable: 'draco', onyx: 'zeus' },
  verse: 'odysseus',
};

const ENGLISH_VOICES = [
  ...'amalthea andromeda apollo arcas aries asteria athena atlas aurora callista cora cordelia delia'.split(' '),
  ...'draco electra harmonia helena hera hermes hyperion iris janus juno jupiter luna mars minerva'.split(' '),
  ...'neptune odysseus ophelia orion orpheus pandora phoebe pluto saturn selene thalia theia vesta'.split(' '),
  ...'zeus'.split(' '),
];

/** The first Aura has fewer voices, all of them English. */
const OLD_ENGLISH: VoiceTable = {
  ...{ alloy: 'asteria', coral: 'stella', marin: 'hera', nova: 'luna', sage: 'athena', shimmer: 'luna' },
  ...{ ash: 'arcas', ballad: 'orpheus', cedar: 'perseus', echo: 'orion', fable: 'helios', onyx: 'zeus' },
  verse: 'arcas',
};

interface Language {
  readonly table: VoiceTable;
  /** The voice for a request that names none. */
  readonly defaultVoice: string;
  readonly voices: ReadonlySet<string>;
  /** developers.deepgram.com, "TTS Voice Controls": a speed can be set in English and Spanish, but not with the first Aura. */
  readonly hasSpeed: boolean;
}

function foreign(cast: Cast, hasSpeed: boolean): Language {
  const voices = new Set([...cast.women, ...cast.men]);
  return { table: tableOf(cast), defaultVoice: cast.women[0] ?? '', voices, hasSpeed };
}

function tableOf({ women, men }: Cast): VoiceTable {
  const woman = (index: number) => women[index % women.length] ?? '';
  const man = (index: number) => men[index % men.length] ?? '';
  return {
    ...{ alloy: woman(0), coral: woman(1), marin: woman(2), nova: woman(3), sage: woman(4), shimmer: woman(5) },
    ...{ ash: man(0), ballad: man(1), cedar: man(2), echo: man(3), fable: man(4), onyx: man(5), verse: man(6) },
  };
}

const AURA_2: Readonly<Record<string, Language>> = {
  en: { table: ENGLISH, defaultVoice: 'thalia', voices: new Set(ENGLISH_VOICES), hasSpeed: true },
  ...Object.fromEntries(Object.entries(CASTS).map(([code, cast]) => [code, foreign(cast, code === 'es')])),
};

const AURA_1: Readonly<Record<string, Language>> = {
  en: {
    table: OLD_ENGLISH,
    defaultVoice: 'asteria',
    voices: new Set('angus arcas asteria athena helios hera luna orion orpheus perseus stella zeus'.split(' ')),
    hasSpeed: false,
  },
};

/** Matches a model with its voice and language, such as `aura-2-thalia-en`. */
const WHOLE_MODEL = /^(aura(?:-\d+)?)-([a-z]+)-([a-z]{2,3})$/;

interface ModelParts {
  readonly family: string;
  readonly voice: string | null;
  readonly language: string | null;
}

function partsOf(model: string): ModelParts {
  const [, family = model.replace(/^aura-1$/, 'aura'), voice = null, language = null] = WHOLE_MODEL.exec(model) ?? [];
  return { family, voice, language };
}

/** The model and voice that speak a request. */
export interface Speaking {
  readonly family: string;
  readonly language: string;
  /** The model's full name if the request or the channel has one. */
  readonly whole: string | null;
  /** The client's language, if the voice has a different one. */
  readonly lostLanguage: string | null;
  readonly traits: Language;
}

/** Returns how a model speaks a request; fails (400) if it has no voice in the language, which another channel may have. */
export function speakingOf(
  { voice, isCustomVoice, language }: Pick<SpeechRequest, 'voice' | 'isCustomVoice' | 'language'>,
  model: string,
): Speaking | Failure {
  const named = language === null ? null : primaryLanguage(language);
  const whole = partsOf(voice ?? model).voice === null ? null : (voice ?? model);
  const own = partsOf(model);
  const { family } = whole === null ? own : partsOf(whole);
  const languages = family === 'aura' ? AURA_1 : AURA_2;
  const isOpenai = !isCustomVoice && OPENAI_VOICES.some((name) => name === voice);
  const ofVoice = whole === null ? languageOf(voice, languages) : partsOf(whole).language;
  const wanted = named ?? own.language ?? 'en';
  const spoken = (isOpenai ? null : ofVoice) ?? wanted;
  const traits = languages[spoken] ?? null;
  // An unknown voice may be a new one.
  const isChosenHere = whole === null && (voice === null || isOpenai);
  if (traits === null && isChosenHere) return noSuchLanguage(spoken, Object.keys(languages));
  return {
    family,
    language: spoken,
    whole,
    lostLanguage: named !== null && named !== spoken ? named : null,
    traits: traits ?? { table: ENGLISH, defaultVoice: 'thalia', voices: new Set(), hasSpeed: false },
  };
}

function languageOf(voice: string | null, languages: Readonly<Record<string, Language>>): string | null {
  if (voice === null) return null;
  return Object.entries(languages).find(([, { voices }]) => voices.has(voice))?.[0] ?? null;
}

function noSuchLanguage(wanted: string, spoken: readonly string[]): Failure {
  const list = spoken.map((code) => `\`${code}\``).join(', ');
  return new Failure('unsupported_parameter', {
    message: `\`language\` cannot be \`${wanted}\` here: the voices of the model's channel speak ${list}.`,
    param: 'language',
    kind: 'loss_refused',
    retry: 'other-target',
    hint: 'Use one of these languages, or a model that supports yours.',
  });
}

import { memberOf } from '../media/rules.ts';
import type { Rule, Source } from '../rule.ts';

/* Rules of transcriptions in OpenAI's form, which Groq also uses. */

export const EXTENSIONS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'];
export const SOUND = new File([new Uint8Array([0xff, 0xfb, 0x90, 0x64])], 'speech.mp3', { type: 'audio/mpeg' });

/** `timestamp_granularities` requires `verbose_json`. `model` is the model of the examples. */
export function granularities(source: Source, model?: string): Rule {
  const of = model === undefined ? {} : { model };
  const words = { 'timestamp_granularities[]': 'word' };
  return {
    id: 'granularities-format',
    statement: '`timestamp_granularities` requires the `response_format` `verbose_json`.',
    source,
    refuses(request) {
      if (memberOf(request, 'timestamp_granularities') === undefined) return null;
      const isVerbose = memberOf(request, 'response_format') === 'verbose_json';
      return isVerbose ? null : 'The timestamp_granularities parameter requires the response format verbose_json.';
    },
    examples: {
      refused: [{ ...of, form: words }],
      accepted: [{ ...of, form: { ...words, response_format: 'verbose_json' } }],
    },
  };
}

/** `codes` matches the accepted codes. */
export function languageCodes(source: Source, codes: RegExp): Rule {
  return {
    id: 'language',
    statement: '`language` must be the ISO 639-1 code of a supported language, without a region.',
    source,
    refuses(request) {
      const code = memberOf(request, 'language');
      return code === undefined || codes.test(String(code)) ? null : `unsupported language: ${String(code)}`;
    },
    examples: {
      refused: [{ form: { language: 'pt-BR' } }, { form: { language: 'en_US' } }, { form: { language: 'deu' } }],
      accepted: [{ form: { language: 'pt' } }],
    },
  };
}

/** Refuses a part that the published document does not have. */
export function knownParts(names: readonly string[], source: Source, refused: Rule['examples']['refused']): Rule {
  const known = new Set(names);
  return {
    id: 'unknown-members',
    statement: 'Parts that the published document does not list are refused.',
    source,
    refuses({ form }) {
      const unknown = [...(form?.keys() ?? [])].find((name) => !known.has(name));
      return unknown === undefined ? null : `unknown param \`${unknown}\``;
    },
    examples: { refused },
  };
}

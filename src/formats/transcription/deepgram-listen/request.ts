import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import { type TranscriptionRequest, wantsSegments } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import {
  lossesOf,
  refused,
  TEXT_ALONE,
  type TermRules,
  type TranscriptionRules,
  termsFor,
  textParts,
  withOptions,
} from '../shared/transcription-request.ts';

const RULES: TranscriptionRules = {
  ...TEXT_ALONE,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  carries: { language: 'exact', languages: 'exact', keywords: 'exact' },
};

/** Models accept keyterms from the third generation on; earlier ones accept keywords. */
const TAKES_KEYTERMS = /^(?:nova-[3-9]|flux)/;

/**
 * developers.deepgram.com, "Keyterm Prompting": 500 tokens in total. No tokenizer averages more than one token per two letters.
 */
const MOST_TERM_TOKENS = 500;
const BYTES_PER_TOKEN = 2;

/** developers.deepgram.com, "Keywords": more than 100 require a custom model. */
const KEYWORDS: TermRules = { isTaken: () => true, most: 100, why: 'the provider accepts 100 keywords' };

function keyterms(): TermRules {
  let tokens = 0;
  return {
    isTaken(term) {
      tokens += Math.ceil(Buffer.byteLength(term) / BYTES_PER_TOKEN);
      return tokens <= MOST_TERM_TOKENS;
    },
    most: Number.POSITIVE_INFINITY,
    why: `the provider accepts terms of ${MOST_TERM_TOKENS} tokens in total; the first ones are sent`,
  };
}

/**
 * The codes with a region or script that the models list (developers.deepgram.com, "Models & Languages Overview"). Any other is
 * refused, so only its language is sent.
 */
const REGIONAL = [
  ...['en-US', 'en-AU', 'en-GB', 'en-IN', 'en-NZ', 'es-419', 'fr-CA', 'de-CH', 'pt-BR', 'pt-PT', 'nl-BE', 'da-DK'],
  ...['sv-SE', 'ko-KR', 'th-TH', 'zh-CN', 'zh-TW', 'zh-HK', 'zh-Hans', 'zh-Hant'],
];

function languageOf(code: string): string {
  const written = code.toLowerCase().replaceAll('_', '-');
  return REGIONAL.find((one) => one.toLowerCase() === written) ?? primaryLanguage(code);
}

/** Servers and proxies refuse longer URLs. */
const LONGEST_QUERY = 6_000;

export function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const losses = lossesOf(request, RULES);
  if (losses instanceof Failure) return losses;
  const { language, languages, keywords, file, mediaType } = request;
  const takesKeyterms = TAKES_KEYTERMS.test(upstreamModel);
  const { terms, lost } = termsFor(keywords, takesKeyterms ? keyterms() : KEYWORDS);
  const possible = [...new Set(languages.map(primaryLanguage))];
  const diarizes = request.format === 'diarized_json';
  const members = withOptions(
    {
      model: upstreamModel,
      language: language === null ? null : languageOf(language),
      detect_language: language === null ? (possible.length === 0 ? true : possible) : null,
      keyterm: takesKeyterms ? terms : null,
      keywords: takesKeyterms ? null : terms,
      utterances: wantsSegments(request) ? true : null,
      diarize: diarizes ? true : null,
      // Requests punctuation and capital letters, which all other providers write.
      ...(Object.hasOwn(request.options, 'smart_format') ? {} : { smart_format: true }),
    },
    request,
  );
  if (members instanceof Failure) return members;
  const query = new URLSearchParams(
    textParts(members).map(([name, value]): [string, string] => [name, value]),
  ).toString();
  if (query.length > LONGEST_QUERY) {
    return refused('keywords', 'the provider reads them from the URL, which would be too long');
  }
  return {
    body: new PiecedBody([{ file, as: 'bytes' }]),
    headers: { 'content-type': mediaType },
    suffix: `?${query}`,
    losses: [...losses, ...lost],
  };
}

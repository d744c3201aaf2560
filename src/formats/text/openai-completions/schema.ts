import { z } from 'zod';
import {
  bodyValidator,
  flag,
  integer,
  integerFrom,
  numberIn,
  object,
  recordOf,
  text,
} from '../../shared/request/schema-error.ts';

/** The format's name in registries. It also marks raw values that only this format can read. */
export const FORMAT = 'openai-completions';

/*
 * OpenAI's document, CreateCompletionRequest, and the further values that servers of open models accept: more log
 * probabilities, more stop sequences, and -1 for an unlimited answer. Other fields pass unchecked. A `null` in an optional
 * field counts as a missing field.
 */

const MODEL = 'a non-empty string';
const PROMPT = 'a string, or a non-empty array of strings, of token ids or of arrays of token ids';
const STOP = 'a string or an array of strings';
const LOGPROBS = 'an integer of at least 0, or true or false';

/**
 * Returns whether the value is a valid prompt. Checked by hand instead of by the schema, because a prompt may hold as many token
 * ids as a body may have values.
 */
function isPrompt(value: unknown): boolean {
  if (value === null || typeof value === 'string') return true;
  if (!Array.isArray(value) || value.length === 0) return false;
  const [first] = value;
  if (typeof first === 'string') return value.every((item) => typeof item === 'string');
  return Array.isArray(first) ? value.every(areTokens) : areTokens(value);
}

function areTokens(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((id) => Number.isSafeInteger(id) && id >= 0);
}

/** The equivalent of `isPrompt` for generated documentation. */
const TOKENS = { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 };
const PROMPT_FORMS = [
  { type: 'string' },
  { type: 'array', items: { type: 'string' }, minItems: 1 },
  TOKENS,
  { type: 'array', items: TOKENS, minItems: 1 },
];

export const completionRequest = object(
  {
    model: z.string(MODEL).min(1, { error: MODEL, abort: true }),
    prompt: z.custom<unknown>(isPrompt, { error: PROMPT, abort: true }).meta({ anyOf: PROMPT_FORMS }),
    best_of: integerFrom(0).nullish(),
    echo: flag().nullish(),
    frequency_penalty: numberIn(-2, 2).nullish(),
    logit_bias: recordOf(numberIn(-100, 100), 'an object of numbers by token id')
      .meta({ type: 'object', additionalProperties: { type: 'number', minimum: -100, maximum: 100 } })
      .nullish(),
    logprobs: z.union([integerFrom(0), flag()], LOGPROBS).nullish(),
    max_tokens: integerFrom(-1).nullish(),
    n: integerFrom(1, 128).nullish(),
    presence_penalty: numberIn(-2, 2).nullish(),
    seed: integer().nullish(),
    stop: z.union([text(), z.array(text(), STOP)], STOP).nullish(),
    stream: flag().nullish(),
    stream_options: object({ include_usage: flag().nullish() }).nullish(),
    suffix: text().nullish(),
    temperature: numberIn(0, 2).nullish(),
    top_p: numberIn(0, 1).nullish(),
    top_k: integer().nullish(),
    user: text().nullish(),
  },
  'a JSON object',
).meta({ id: 'CompletionRequest' });

/** Checks a decoded body; `null` means that it is valid. */
export const validateCompletionRequest = bodyValidator(completionRequest);

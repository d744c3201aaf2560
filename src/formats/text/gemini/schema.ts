import { z } from 'zod';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyValidator, flag, object, oneOfPhrase, text } from '../../shared/request/schema-error.ts';
import type { CallPurpose } from '../client-request.ts';
import { numberOf } from './decoding.ts';

/** The format's name in registries. It also marks raw values that only this format can read. */
export const FORMAT = 'gemini';

/*
 * GenerateContentRequest and CountTokensRequest of the published document (v1beta), read as tolerantly as the API reads
 * them: names in camelCase or snake_case, enums by name in any case or by number, numbers also as text (the JSON mapping of
 * protocol buffers). Only the fields named here are checked; every object may have other fields, and they pass.
 */

const anyObject = object({});

/** Returns a schema for a number, or a number as text. `described` is its type in generated documentation. */
function number(
  phrase: string,
  holds: (value: number) => boolean = () => true,
  described: Readonly<Record<string, unknown>> = { type: 'number' },
) {
  const checked = z.custom<number | string>(
    (value) => {
      const read = numberOf(value);
      return read !== null && holds(read);
    },
    { error: phrase, abort: true },
  );
  return checked.meta(described);
}

function integerFrom(minimum: number, maximum?: number) {
  const phrase =
    maximum === undefined ? `an integer of at least ${minimum}` : `an integer from ${minimum} to ${maximum}`;
  const described = { type: 'integer', minimum, ...(maximum !== undefined && { maximum }) };
  return number(
    phrase,
    (value) => Number.isInteger(value) && value >= minimum && value <= (maximum ?? Infinity),
    described,
  );
}

function numberIn(minimum: number, maximum: number) {
  return number(`a number from ${minimum} to ${maximum}`, (value) => value >= minimum && value <= maximum, {
    type: 'number',
    minimum,
    maximum,
  });
}

function enumOf(values: readonly string[]) {
  const known = new Set(values);
  const holds = (value: unknown) =>
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 0
      : typeof value === 'string' && known.has(value.toUpperCase());
  return z
    .custom<string | number>(holds, { error: oneOfPhrase(values), abort: true })
    .meta({ type: 'string', enum: values });
}

/** Returns both spellings of each member. Either may be missing or `null`. */
function members(shape: Readonly<Record<string, z.ZodType>>): z.core.$ZodLooseShape {
  const both: Record<string, z.ZodType> = {};
  for (const [name, type] of Object.entries(shape)) {
    both[name] = type.nullish();
    const other = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // Generated documentation shows only one of the two.
    if (other !== name) both[other] = type.nullish().meta({ hidden: true });
  }
  return both;
}

const blob = object(members({ mimeType: text(), data: text() }), 'an object with mimeType and data');
const file = object(members({ mimeType: text(), fileUri: text() }), 'an object with fileUri');

const functionCall = object(members({ id: text(), name: text(), args: anyObject }), 'an object with a name');
const functionResponse = object(
  members({ id: text(), name: text(), response: anyObject, parts: z.array(anyObject, 'an array of parts') }),
  'an object with a name and a response',
);

const part = object(
  members({
    text: text(),
    inlineData: blob,
    fileData: file,
    functionCall,
    functionResponse,
    thought: flag(),
    thoughtSignature: text(),
  }),
  'a part: an object with text, inlineData, fileData, functionCall or functionResponse',
).meta({ id: 'GeminiPart' });

const PARTS = 'an array of parts';
const parts = z.union([z.array(part, PARTS), part], PARTS);

const ROLES = ['user', 'model', 'function', 'tool'] as const;
/** An empty role counts as absent; generated documentation omits it. */
const role = z.enum(['', ...ROLES], oneOfPhrase(ROLES)).meta({ enum: [...ROLES] });

const content = object(members({ role, parts }), 'an object with a role and parts').meta({ id: 'GeminiContent' });
const CONTENTS = 'a non-empty array of contents';
const contents = z.union([z.array(content, CONTENTS).min(1, { error: CONTENTS, abort: true }), content], CONTENTS);

const SYSTEM = 'a content: an object with parts';
const systemInstruction = z.union([text(), object(members({ role: text(), parts }), SYSTEM)], SYSTEM);

const NAME = 'a non-empty string';
const declaration = object(
  {
    name: z.string(NAME).min(1, { error: NAME, abort: true }),
    ...members({ description: text(), parameters: anyObject, parametersJsonSchema: anyObject }),
  },
  'an object with a name',
);

const tool = object(
  members({ functionDeclarations: z.array(declaration, 'an array of function declarations') }),
  "an object with functionDeclarations or one of Google's tools",
);

const MODES = ['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'];
const STRINGS = 'an array of strings';

const toolConfig = object(
  members({
    functionCallingConfig: object(
      members({ mode: enumOf(MODES), allowedFunctionNames: z.array(text(), STRINGS) }),
      'an object with a mode',
    ),
  }),
);

const LEVELS = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'THINKING_LEVEL_UNSPECIFIED'];

const generationConfig = object(
  members({
    candidateCount: integerFrom(1, 8),
    stopSequences: z.array(text(), STRINGS),
    maxOutputTokens: integerFrom(0),
    temperature: numberIn(0, 2),
    topP: numberIn(0, 1),
    topK: number('a number'),
    seed: number('an integer', Number.isInteger, { type: 'integer' }),
    presencePenalty: numberIn(-2, 2),
    frequencyPenalty: numberIn(-2, 2),
    responseLogprobs: flag(),
    logprobs: integerFrom(0, 20),
    responseMimeType: text(),
    responseSchema: anyObject,
    responseModalities: z.array(enumOf(['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MODALITY_UNSPECIFIED']), STRINGS),
    thinkingConfig: object(
      members({ includeThoughts: flag(), thinkingBudget: integerFrom(-1), thinkingLevel: enumOf(LEVELS) }),
    ),
  }),
);

const generateMembers = {
  tools: z.union([z.array(tool, 'an array of tools'), tool], 'an array of tools'),
  toolConfig,
  systemInstruction,
  generationConfig,
  safetySettings: z.array(anyObject, 'an array of safety settings'),
  cachedContent: text(),
};

export const generateRequest = object({ contents, ...members(generateMembers) }).meta({ id: 'GeminiGenerateRequest' });

const validateGenerate = bodyValidator(generateRequest);
/**
 * A count request holds the contents themselves, or a whole request around them. All members are optional, so one schema
 * reads both.
 */
export const countRequest = object({
  ...members({ contents, generateContentRequest: generateRequest, ...generateMembers }),
}).meta({ id: 'GeminiCountRequest' });

const validateCount = bodyValidator(countRequest, [
  {
    field: 'contents',
    message: 'contents is required unless generateContentRequest is given',
    holds: (body) =>
      [body.contents, body.generateContentRequest, body.generate_content_request].some(
        (value) => (value ?? null) !== null,
      ),
  },
]);

/** Returns the failure of a body for this purpose; `null` if it is valid. */
export function validateRequest(body: unknown, purpose: CallPurpose): Failure | null {
  return purpose === 'count-tokens' ? validateCount(body) : validateGenerate(body);
}

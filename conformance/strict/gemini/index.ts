import { asObject } from '../../shared/json.ts';
import type { ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';
import { configRules, knownMembers, logprobs, outputTokens, penalties } from './config.ts';
import { contentRules } from './contents.ts';
import { allParts, answer, CHECKED, firstProblem, model, saying, text, unknownName, user } from './reading.ts';
import { combinedWithFlag, noFlag, toolRules } from './tools.ts';

/** Requests to count tokens wrap the request and are exempt from these rules. */
function ofGeneration(rule: Rule): Rule {
  return {
    ...rule,
    refuses: (request: ReceivedRequest) => (/countTokens/.test(request.path) ? null : rule.refuses(request)),
  };
}

const callIds: Rule = {
  id: 'no-call-ids',
  statement: 'An `id` in a function call or its response is refused.',
  source: { url: 'https://github.com/google-gemini/gemini-cli/issues/13972', checked: CHECKED },
  refuses(request) {
    const members = [
      ['functionCall', 'function_call'],
      ['functionResponse', 'function_response'],
    ] as const;
    return firstProblem(allParts(request), ({ part, path }) => {
      const [, name] = members.find(([member]) => asObject(part[member]).id !== undefined) ?? [];
      return name === undefined ? null : unknownName('id', `${path}.${name}`);
    });
  },
  examples: {
    refused: [
      saying(
        user(text()),
        model({ functionCall: { name: 'f', args: {}, id: 'call_1' }, thoughtSignature: 'c2ln' }),
        user(answer()),
      ),
    ],
  },
};

/** Google's error envelope, with the status as a word. */
const envelope = (message: string) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });

const MODELS = [
  ...['gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-2.5-pro', 'gemini-2.0-flash', 'gemini-3-pro-preview'],
  ...['gemini-3-flash-preview', 'gemini-3.1-pro-preview', 'gemini-3.7-flash'],
];

/** Gemini at Google itself. */
export const gemini: StrictUpstream = {
  name: 'gemini',
  label: 'Google, Gemini `generateContent`',
  provider: 'google',
  wire: 'gemini',
  models: MODELS,
  rules: [
    knownMembers(),
    ...contentRules,
    ...toolRules,
    combinedWithFlag,
    ...configRules,
    penalties('Gemini 2.5 and later', /gemini-(?:2\.5|[3-9]|\d\d)/),
    outputTokens,
    logprobs('Gemini 2.5 and later', /gemini-(?:2\.5|[3-9]|\d\d)/),
  ].map(ofGeneration),
  envelope,
};

/** Gemini at Vertex AI. */
export const vertexGemini: StrictUpstream = {
  name: 'vertex-gemini',
  label: 'Google Vertex AI, Gemini `generateContent`',
  provider: 'vertex',
  wire: 'gemini',
  models: MODELS,
  rules: [
    knownMembers('labels', 'modelArmorConfig'),
    callIds,
    ...contentRules,
    ...toolRules,
    noFlag,
    ...configRules,
    outputTokens,
    penalties('Gemini 3 and later', /gemini-(?:[3-9]|\d\d)/),
    logprobs('Gemini 3 and later', /gemini-(?:[3-9]|\d\d)/),
  ].map(ofGeneration),
  envelope,
};

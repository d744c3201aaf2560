import type { Quirk } from '../../formats/text/quirk.ts';
import { DEVELOPER_IS_SYSTEM, FUNCTIONS_FOR_FREEFORM, has, lacks, SYSTEM_FIRST, TOP_K } from '../shared/quirks.ts';

/** Source: the reference of Sonar, docs.perplexity.ai. */
export const chatQuirks: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  ...SYSTEM_FIRST,
  {
    kind: 'message-order',
    rule: 'alternating',
    why: 'Sonar returns a 400 for two consecutive user messages: user and assistant must alternate.',
  },
  ...TOP_K,
  ...FUNCTIONS_FOR_FREEFORM,
  ...has(['web-search'], 'Sonar searches the web for every answer.'),
  ...lacks(
    ['function-tools', 'hosted-tools', 'tool-choice-required', 'tool-choice-named', 'candidate-count'],
    'refused',
    'Sonar does not call tools, and returns one response.',
  ),
  ...lacks(
    ['audio-inline', 'audio-url', 'output-modalities', 'provider-file'],
    'refused',
    'Sonar accepts text, images and documents, and returns text.',
  ),
  ...lacks(['stop'], 'refused', 'The Sonar reference does not list `stop`, so the response would continue past it.'),
  ...lacks(
    [
      'logprobs',
      'logit-bias',
      'seed',
      'parallel-tool-calls',
      'service-tier',
      'user',
      'metadata',
      'verbosity',
      'cache-key',
    ],
    'dropped',
    'The Sonar reference does not list this parameter.',
  ),
];

/** The Agent API answers unknown members with a 400. */
export const responsesQuirks: readonly Quirk[] = [
  ...lacks(
    ['cache-key', 'logprobs', 'service-tier', 'user', 'metadata', 'verbosity'],
    'dropped',
    'The Agent API reference does not list this parameter, and unknown parameters are rejected.',
  ),
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['audio-inline', 'audio-url', 'document-inline', 'document-url', 'provider-file'],
    'refused',
    'The Agent API reference lists only function tools, text and images.',
  ),
];

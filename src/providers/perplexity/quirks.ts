import type { Quirk } from '../../formats/quirk.ts';
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
    'Sonar calls no tools and returns one response.',
  ),
  ...lacks(
    ['audio-inline', 'audio-url', 'output-modalities', 'provider-file'],
    'refused',
    'Sonar takes text, images and documents, and returns text.',
  ),
  ...lacks(['stop'], 'refused', 'The reference of Sonar has no `stop`, so the response would continue past it.'),
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
    'The reference of Sonar has no such parameter.',
  ),
];

/** The Agent API answers unknown members with a 400. */
export const responsesQuirks: readonly Quirk[] = [
  ...lacks(
    ['cache-key', 'logprobs', 'service-tier', 'user', 'metadata', 'verbosity'],
    'dropped',
    'The reference of the Agent API has no such parameter, and unknown parameters are refused.',
  ),
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['audio-inline', 'audio-url', 'document-inline', 'document-url', 'provider-file'],
    'refused',
    'The reference of the Agent API has only function tools, text and images.',
  ),
];

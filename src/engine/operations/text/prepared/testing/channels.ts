import type { ProviderManifest } from '../../../../../providers/manifest.ts';
import { channelOf, MODEL } from '../../../../call/testing/sample-routes.ts';
import type { Directory } from '../../../../directory/directory.ts';
import { sampleDirectory, sampleProvider } from '../../../../directory/testing/sample-directory.ts';
import { sampleModel } from '../../../../ports/testing/samples.ts';

/* The channels to which the compared gateways send requests. */

const WHY = 'The sample provider says so.';

type Formats = ProviderManifest['formats'];

function provider(name: string, ...formats: Formats): ProviderManifest {
  return sampleProvider({ name, baseUrl: `http://${name}.example/v1`, formats });
}

const MESSAGES = { format: 'anthropic-messages', path: '/messages' };

const PROVIDERS = [
  provider('plain', { format: 'openai-chat', path: '/chat/completions' }),
  provider('odd', {
    ...{ format: 'openai-chat', path: '/chat/completions' },
    quirks: [
      { kind: 'rename', from: 'max_tokens', to: 'max_completion_tokens', isRefused: true, why: WHY },
      { kind: 'omit', field: 'stream_options', isServed: true, why: WHY },
      { kind: 'set', field: 'safe', value: true, why: WHY },
      { kind: 'role', from: 'developer', to: 'system', why: WHY },
      { kind: 'message-order', rule: 'alternating', why: WHY },
      { kind: 'bounds', field: 'temperature', least: 0, most: 1, why: WHY },
    ],
    governs: [{ member: 'n', effect: { kind: 'owners-own' }, why: 'It is kept at the provider.' }],
  }),
  provider(
    'both',
    { format: 'openai-chat', path: '/chat/completions' },
    { format: 'openai-responses', path: '/responses' },
  ),
  provider('messages', MESSAGES),
  provider('odd-messages', {
    ...MESSAGES,
    headers: { 'anthropic-version': '2023-06-01' },
    body: { remove: ['model', 'stream'], add: { anthropic_version: '"sample-2026"' }, betaMember: 'anthropic_beta' },
    quirks: [
      { kind: 'lacks', feature: 'system-prompt-midway', verdict: 'approximated', why: WHY },
      { kind: 'lacks', feature: 'temperature', verdict: 'dropped', why: WHY },
      { kind: 'set', field: 'safe', value: true, why: WHY },
    ],
    governs: [{ member: 'safe', effect: { kind: 'owners-own' }, why: 'It is kept at the provider.' }],
  }),
  provider('gemini', { format: 'gemini', path: ({ model, stream }) => `/${model}:${stream ? 'stream' : 'generate'}` }),
  provider('responses', { format: 'openai-responses', path: '/responses' }),
  provider('converse', { format: 'bedrock-converse', path: '/converse' }),
  provider('cohere', {
    ...{ format: 'cohere-chat', path: '/chat' },
    quirks: [{ kind: 'lacks', feature: 'system-prompt', verdict: 'dropped', why: WHY }],
  }),
];

/** A directory that is made anew, as each change of the configuration does, and the wire of its first channel. */
export interface Choice {
  readonly wire: string;
  readonly make: () => Directory;
}

function choiceOf(names: readonly string[], upstreamModel = 'up'): Choice {
  const [first] = names;
  const wire = PROVIDERS.find(({ name }) => name === first)?.formats[0]?.format ?? 'openai-chat';
  const fields = { models: { [MODEL]: upstreamModel } };
  const channels = names.map((name, index) => channelOf(`chat-${index}`, name, fields));
  return { wire, make: () => sampleDirectory({ channels, models: [sampleModel({ id: MODEL })] }, PROVIDERS) };
}

export const PLAIN = choiceOf(['plain']);

export const CHOICES: readonly Choice[] = [
  ...Array(6).fill(PLAIN),
  ...Array(3).fill(choiceOf(['odd'])),
  ...Array(2).fill(choiceOf(['both'])),
  choiceOf(['plain', 'plain']),
  choiceOf(['plain', 'odd']),
  choiceOf(['messages', 'plain']),
  choiceOf([]),
  ...Array(3).fill(choiceOf(['messages'])),
  choiceOf(['messages'], 'claude-opus-4-8'),
  choiceOf(['messages'], 'claude-3-haiku-20240307'),
  ...Array(2).fill(choiceOf(['odd-messages'], 'claude-sonnet-4-5')),
  ...Array(2).fill(choiceOf(['gemini'], 'gemini-2.5-flash')),
  choiceOf(['gemini'], 'gemini-3-pro'),
  ...Array(2).fill(choiceOf(['responses'])),
  choiceOf(['responses'], 'gpt-5'),
  choiceOf(['converse'], 'anthropic.claude-3-haiku-20240307-v1:0'),
  choiceOf(['converse'], 'amazon.nova-pro-v1:0'),
  ...Array(2).fill(choiceOf(['cohere'])),
];

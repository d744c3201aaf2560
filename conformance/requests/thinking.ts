import { asObject } from '../shared/json.ts';
import type { UpstreamContent } from './upstream-content.ts';

/** Returns whether a client's word, number or flag switches thinking off. */
export function isOff(value: string | number | boolean): boolean {
  return ['disabled', 'none', 'off', 0, false].includes(value);
}

/** Returns whether an upstream body asks for thinking, in any format. */
export function asksToThink(upstream: UpstreamContent): boolean {
  const words = thinkingWords(upstream).filter((word) => ['string', 'number', 'boolean'].includes(typeof word));
  return words.length > 0 && !words.some((word) => isOff(word as string | number | boolean));
}

/** Returns the words and numbers with which an upstream body asks for thinking. */
function thinkingWords({ body }: UpstreamContent): readonly unknown[] {
  const google = asObject(asObject(body.generationConfig).thinkingConfig);
  const converse = asObject(body.additionalModelRequestFields);
  return [
    body.reasoning_effort,
    asObject(body.reasoning).effort,
    asObject(body.output_config).effort,
    ...[body.thinking, converse.thinking, converse.reasoningConfig].map((thinking) => asObject(thinking).type),
    google.thinkingLevel,
    google.thinkingBudget,
  ];
}

/** Returns whether the body sets the amount of thinking. */
export function measuresThinking({ body }: UpstreamContent): boolean {
  const google = asObject(asObject(body.generationConfig).thinkingConfig);
  const places = [body, asObject(body.additionalModelRequestFields)];
  const measures = places.flatMap(({ reasoning, output_config, thinking, reasoningConfig, reasoning_effort }) => [
    ...[reasoning_effort, asObject(reasoning).effort, asObject(output_config).effort],
    ...[
      asObject(thinking).budget_tokens,
      asObject(thinking).token_budget,
      asObject(reasoningConfig).maxReasoningEffort,
    ],
  ]);
  return [...measures, google.thinkingLevel, google.thinkingBudget].some((measure) => measure !== undefined);
}

/** Returns whether the body asks for visible thoughts. */
export function showsThoughts(upstream: UpstreamContent): boolean {
  const { body, target } = upstream;
  switch (target) {
    case 'openai-responses':
      return !['undefined', 'null', '"none"'].includes(String(JSON.stringify(asObject(body.reasoning).summary)));
    case 'gemini':
      return asObject(asObject(body.generationConfig).thinkingConfig).includeThoughts === true;
    case 'openai-chat':
      return false;
    case 'cohere-chat':
      // Thoughts are visible whenever the model thinks, and reasoning models think unless told not to.
      return /reasoning/.test(String(body.model)) && asObject(body.thinking).type !== 'disabled';
    default:
      return asksToThink(upstream) && !JSON.stringify(body).includes('"display":"omitted"');
  }
}

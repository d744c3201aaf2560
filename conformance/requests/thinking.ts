import { asObject } from '../shared/json.ts';
import type { UpstreamContent } from './upstream-content.ts';

/** Whether a client's word, number or flag switches thinking off. */
export function isOff(value: string | number | boolean): boolean {
  return ['disabled', 'none', 'off', 0, false].includes(value);
}

/** Whether an upstream body asks for thinking, in the words of any format. */
export function asksToThink(upstream: UpstreamContent): boolean {
  const words = thinkingWords(upstream).filter((word) => ['string', 'number', 'boolean'].includes(typeof word));
  return words.length > 0 && !words.some((word) => isOff(word as string | number | boolean));
}

/** The words and numbers by which an upstream body asks for thinking. */
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

/** Whether the body says how much the model is to think. */
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

/** Whether the body asks for thoughts to be shown. */
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
      // Shown wherever the model thinks, and those that can do unless they are told not to.
      return /reasoning/.test(String(body.model)) && asObject(body.thinking).type !== 'disabled';
    default:
      return asksToThink(upstream) && !JSON.stringify(body).includes('"display":"omitted"');
  }
}

import type { Capabilities, ModelFeature } from '../../../domain/catalog/capabilities.ts';
import type { Model } from '../../../domain/catalog/model.ts';

const LINES = ['haiku', 'sonnet', 'opus', 'fable', 'mythos'];

/**
 * Returns Anthropic's `ModelInfo` (API reference, "List Models"), filled from the catalog. Unknown values are null or not
 * supported.
 */
export function anthropicModel({ id, name, createdAtMs, capabilities, ownedBy }: Model): object {
  return {
    type: 'model',
    id,
    display_name: name,
    // The reference allows the epoch for an unknown release date.
    created_at: new Date(createdAtMs).toISOString().replace('.000Z', 'Z'),
    max_input_tokens: capabilities?.contextTokens ?? null,
    max_tokens: capabilities?.maxOutputTokens ?? null,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    // The API's beta has this member and also `capabilities.compaction`.
    allowed_fallback_models: null,
    line: ownedBy === 'anthropic' ? (LINES.find((line) => id.includes(line)) ?? null) : null,
    capabilities: capabilities && modelCapabilities(capabilities),
  };
}

function modelCapabilities({ input, features }: Capabilities): object {
  const has = (feature: ModelFeature) => support(features.includes(feature));
  const reasoning = has('reasoning');
  const no = support(false);
  return {
    batch: no,
    citations: no,
    code_execution: no,
    compaction: null,
    context_management: {
      ...no,
      clear_thinking_20251015: null,
      clear_tool_uses_20250919: null,
      compact_20260112: null,
    },
    effort: { ...reasoning, low: reasoning, medium: reasoning, high: reasoning, max: no, xhigh: null },
    image_input: support(input.includes('image')),
    pdf_input: support(input.includes('file')),
    server_tools: { supported: features.includes('web_search'), code_execution: no, web_search: has('web_search') },
    structured_outputs: has('structured_output'),
    thinking: {
      ...reasoning,
      types: { adaptive: no, between_tools: no, disabled: support(true), enabled: reasoning },
    },
  };
}

function support(supported: boolean): { readonly supported: boolean } {
  return { supported };
}

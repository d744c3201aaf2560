import { asObject } from '../../shared/json.ts';
import type { StrictUpstream } from '../rule.ts';
import { contextOf, imagesAsBytes, systemFirst, toolChoiceIsWord } from './rules.ts';

const CHECKED = '2026-11-28';
const issue = (number: number) => ({
  url: `https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/${number}`,
  checked: CHECKED,
});

export const lmStudioChat: StrictUpstream = {
  name: 'lm-studio-chat',
  label: 'LM Studio, chat completions',
  provider: 'lmstudio',
  wire: 'openai-chat',
  models: ['qwen3.8-27b'],
  rules: [
    {
      id: 'response-format',
      statement: '`response_format.type` must be `json_schema` or `text`; `json_object` is refused.',
      source: issue(189),
      refuses: ({ body }) =>
        asObject(asObject(body).response_format).type === 'json_object'
          ? "'response_format.type' must be 'json_schema' or 'text'"
          : null,
      examples: { refused: [{ body: { response_format: { type: 'json_object' } } }] },
    },
    toolChoiceIsWord({
      source: issue(670),
      message: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    }),
    imagesAsBytes({
      source: { ...issue(1120), checked: '2026-11-29' },
      message: "Invalid 'content': 'url' field must be a base64 encoded image.",
    }),
    systemFirst({
      source: issue(2298),
      message: 'Error rendering prompt with jinja template: "System message must be at the beginning."',
      status: 500,
    }),
    contextOf({
      ...{ id: 'context', mostTokens: 4_096, status: 500, source: issue(2205) },
      message: (tokens) =>
        `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${tokens}>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input`,
    }),
  ],
  envelope: (error) => ({ error }),
  says: {
    '/models': { object: 'list', data: [{ id: 'qwen3.8-27b', object: 'model', owned_by: 'organization_owner' }] },
  },
};

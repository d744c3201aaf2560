import type { StrictUpstream } from '../rule.ts';
import { contextOf, systemFirst } from './rules.ts';

const CHECKED = '2026-11-28';

/** SGLang has no provider of its own: its channels are `openai-compatible`. */
export const sglangChat: StrictUpstream = {
  name: 'sglang-chat',
  label: 'SGLang, chat completions',
  provider: 'openai-compatible',
  server: 'sglang',
  wire: 'openai-chat',
  models: ['Qwen/Qwen3.6-27B'],
  rules: [
    systemFirst({
      source: { url: 'https://github.com/vllm-project/vllm/issues/41114', checked: CHECKED },
      message: 'System message must be at the beginning.',
    }),
    contextOf({
      ...{ id: 'context', mostTokens: 32_768 },
      source: { url: 'https://github.com/QwenLM/Qwen3/issues/1321', checked: CHECKED },
      message: (tokens) => `The input (${tokens} tokens) is longer than the model's context length (32768 tokens).`,
    }),
  ],
  envelope: (message, { status = 400 }) => ({
    object: 'error',
    message,
    type: 'BadRequestError',
    param: null,
    code: status,
  }),
  says: { '/get_model_info': { model_path: 'Qwen/Qwen3.6-27B', is_generation: true } },
};

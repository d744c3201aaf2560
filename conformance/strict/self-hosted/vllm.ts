import type { Rule, StrictUpstream } from '../rule.ts';
import { knownRoles, toolTypes } from '../shared/chat-rules.ts';
import { contextOf, noImages, noTools, systemFirst } from './rules.ts';

const CHECKED = '2026-11-28';
const source = (url: string) => ({ url, checked: CHECKED });
const QWEN = { label: 'Qwen', models: /^Qwen\// };
/** The server was started without a tool parser for them, and they do not accept images. */
const PLAIN = { label: 'Text models without a tool parser', models: /^meta-llama\// };

function envelope(message: string, { status = 400 }: Rule): object {
  return { error: { message, type: 'BadRequestError', param: null, code: status } };
}

export const vllmChat: StrictUpstream = {
  name: 'vllm-chat',
  label: 'vLLM, chat completions',
  provider: 'vllm',
  wire: 'openai-chat',
  models: ['Qwen/Qwen3.6-27B', 'meta-llama/Llama-3-8B'],
  rules: [
    systemFirst({
      source: source('https://github.com/vllm-project/vllm/issues/41114'),
      message: 'System message must be at the beginning.',
      family: QWEN,
    }),
    knownRoles(
      { source: { ...source('https://github.com/1CatAI/1Cat-vLLM/issues/493'), checked: '2026-11-29' }, family: QWEN },
      ['system', 'user', 'assistant', 'tool'],
      () => 'Unexpected message role.',
    ),
    toolTypes(
      { source: { ...source('https://github.com/JiuliNuoyi/CodexRosetta/pull/1'), checked: '2026-11-29' } },
      ['function'],
      (_, index) => `'function' is a required property, expected an object - 'tools.${index}'`,
    ),
    noTools({
      source: source('https://github.com/vllm-project/vllm/issues/9986'),
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      family: PLAIN,
    }),
    noImages({
      source: source('https://github.com/studio-dots-ai/dots.ocr/issues/26'),
      message: 'meta-llama/Llama-3-8B is not a multimodal model',
      family: PLAIN,
    }),
    contextOf({
      ...{ id: 'context', mostTokens: 32_768, source: source('https://github.com/vllm-project/vllm/issues/20409') },
      message: (tokens) =>
        `This model's maximum context length is 32768 tokens. However, your request has ${tokens} input tokens.`,
    }),
  ],
  envelope,
  says: {
    '/models': {
      object: 'list',
      data: ['Qwen/Qwen3.6-27B', 'meta-llama/Llama-3-8B'].map((id) => ({ id, object: 'model', owned_by: 'vllm' })),
    },
    '/version': { version: '0.19.0' },
  },
};

import type { StrictUpstream } from '../rule.ts';
import { imagesAsBytes, noTools, systemFirst } from './rules.ts';

const CHECKED = '2026-11-28';
const source = (url: string) => ({ url, checked: CHECKED });

export const ollamaChat: StrictUpstream = {
  name: 'ollama-chat',
  label: 'Ollama, chat completions',
  provider: 'ollama',
  wire: 'openai-chat',
  models: ['qwen3.8:27b', 'gemma3:4b'],
  rules: [
    noTools({
      source: source('https://github.com/louisho5/picobot/issues/6'),
      message: 'registry.ollama.ai/library/gemma3:4b does not support tools',
      family: { label: 'Gemma 3', models: /^gemma3:/ },
    }),
    imagesAsBytes({
      source: {
        url: 'https://github.com/ollama/ollama/blob/main/docs/api/openai-compatibility.mdx',
        checked: '2026-11-29',
      },
      message: 'invalid image input',
    }),
    systemFirst({
      source: source('https://github.com/ollama/ollama/issues/17774'),
      message: 'system message must be at the beginning',
      status: 500,
      family: { label: 'Qwen 3.8', models: /^qwen3\.8:/ },
    }),
  ],
  envelope: (message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
  says: { '/models': { object: 'list', data: [{ id: 'gemma3:4b', object: 'model', owned_by: 'library' }] } },
};

import type { Rule, StrictUpstream } from '../rule.ts';
import { contextOf, noImages, noParts, systemFirst } from './rules.ts';

const CHECKED = '2026-11-28';
const source = (url: string) => ({ url, checked: CHECKED });

/** The type of the error for a long prompt depends on where the server detects it. */
function envelope(message: string, { status = 400, id }: Rule): object {
  const type =
    id === 'context' ? 'exceed_context_size_error' : status === 500 ? 'server_error' : 'invalid_request_error';
  return { error: { code: status, message, type } };
}

export const llamacppChat: StrictUpstream = {
  name: 'llamacpp-chat',
  label: 'llama.cpp server, chat completions',
  provider: 'llamacpp',
  wire: 'openai-chat',
  models: ['Qwen3.8-27B-Q4_K_M', 'gemma-3-4b-it'],
  rules: [
    noParts(['video_url'], {
      source: source('recordings/llamacpp/chat/009-video-part-is-refused.json'),
      message: 'unsupported content[].type',
    }),
    noImages({
      source: source('recordings/llamacpp/chat/007-image-without-mmproj.json'),
      message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      status: 500,
    }),
    systemFirst({
      source: source('https://github.com/nathaninline/ajean/issues/26'),
      message:
        "While executing CallExpression … raise_exception('System message must be at the beginning.') Error: Jinja Exception: System message must be at the beginning.",
      status: 500,
    }),
    contextOf({
      ...{
        id: 'context-while-working',
        mostTokens: 4_096,
        status: 500,
        message: () => 'Context size has been exceeded.',
      },
      source: source('https://github.com/ggml-org/llama.cpp/issues/19774'),
      family: { label: 'With a cache shared with other requests', models: /^gemma-/ },
    }),
    contextOf({
      ...{
        id: 'context',
        mostTokens: 4_096,
        source: source('recordings/llamacpp/chat/002-context-overflow-streaming.json'),
      },
      message: (tokens) =>
        `request (${tokens} tokens) exceeds the available context size (4096 tokens), try increasing it`,
      family: { label: 'With its own cache', models: /^Qwen/ },
    }),
  ],
  envelope,
  says: {
    '/props': { default_generation_settings: { n_ctx: 4_096 }, total_slots: 1, chat_template: '{{ messages }}' },
  },
};

import type { StrictUpstream } from '../rule.ts';
import {
  answeredResults,
  called,
  callsOf,
  checkedOn,
  contentTypes,
  conversation,
  knownRoles,
  refusedMembers,
  requiredReasoning,
  systemFirst,
  USER,
} from '../shared/chat-rules.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';

/* Hosts of open models, whose rules are mostly those of the models' templates. */

const QWEN = { label: 'Qwen', models: /qwen/i };
const template = 'System message must be at the beginning.';
const MISTRAL = { label: 'Mistral', models: /[Mm]istral|Devstral/ };
const roles = ['system', 'user', 'assistant', 'tool'];

export const fireworks: StrictUpstream = {
  name: 'fireworks',
  label: 'Fireworks, chat completions',
  provider: 'fireworks',
  wire: 'openai-chat',
  models: ['accounts/fireworks/models/qwen3p8-27b', 'accounts/fireworks/models/glm-5p3'],
  rules: [
    refusedMembers(
      'extra-inputs',
      { source: checkedOn('https://github.com/web-infra-dev/midscene/issues/1322') },
      { vl_high_resolution_images: true, enable_thinking: true },
      (member) => `Extra inputs are not permitted, field: '${member}'`,
    ),
    systemFirst({ source: checkedOn('https://github.com/vllm-project/vllm/pull/46976'), family: QWEN }, template),
  ],
  envelope: openaiEnvelope,
};

export const together: StrictUpstream = {
  name: 'together',
  label: 'Together, chat completions',
  provider: 'together',
  wire: 'openai-chat',
  models: ['Qwen/Qwen3.8-27B', 'zai-org/GLM-5.3'],
  rules: [
    knownRoles(
      { source: checkedOn('specs/together.openapi.yaml') },
      [...roles, 'function'],
      () => 'Input validation error',
    ),
    contentTypes(
      { source: checkedOn('specs/together.openapi.yaml') },
      ['text', 'image_url', 'video_url', 'audio_url', 'input_audio'],
      () => 'Input validation error',
    ),
    systemFirst({ source: checkedOn('https://github.com/vllm-project/vllm/pull/46976'), family: QWEN }, template),
  ],
  envelope: openaiEnvelope,
};

export const openrouter: StrictUpstream = {
  name: 'openrouter',
  label: 'OpenRouter, chat completions',
  provider: 'openrouter',
  wire: 'openai-chat',
  models: ['qwen/qwen3.8-27b', 'openai/gpt-5.5', 'mistralai/mistral-small'],
  rules: [
    systemFirst({ source: checkedOn('https://github.com/vllm-project/vllm/pull/46976'), family: QWEN }, template),
    answeredResults(
      { source: checkedOn('https://github.com/charmbracelet/crush/issues/279'), family: MISTRAL },
      "Unexpected role 'user' after role 'tool'",
    ),
  ],
  envelope: (message) => ({ error: { message: 'Provider returned error', code: 400, metadata: { raw: message } } }),
};

export const nvidia: StrictUpstream = {
  name: 'nvidia',
  label: 'NVIDIA API catalog, chat completions',
  provider: 'nvidia',
  wire: 'openai-chat',
  models: ['qwen/qwen3.5-397b-a17b', 'nvidia/nemotron-3-ultra', 'mistralai/mistral-small-4-119b-2603'],
  rules: [
    systemFirst({ source: checkedOn('https://github.com/looplj/axonhub/issues/1664'), family: QWEN }, template),
    answeredResults(
      { source: checkedOn('https://github.com/NousResearch/hermes-agent/issues/20154'), family: MISTRAL },
      "Unexpected role 'user' after role 'tool'",
    ),
  ],
  envelope: openaiEnvelope,
};

/** A server behind `openai-compatible` that serves a model with a strict template, such as vLLM with Qwen. */
export const openModelServer: StrictUpstream = {
  name: 'open-model-server',
  label: 'Any OpenAI-compatible server, with models that have strict templates',
  provider: 'openai-compatible',
  wire: 'openai-chat',
  models: [
    ...['Qwen/Qwen3.8-27B', 'mistralai/Devstral-Small-2-24B', 'deepseek-ai/deepseek-v4-pro', 'llama-3.3-70b'],
    'openai/gpt-5-mini',
  ],
  rules: [
    refusedMembers(
      'max-tokens',
      {
        source: checkedOn('recordings/openai/chat/190-reasoning-model-legacy-parameter-error.json'),
        family: { label: 'OpenAI’s models that reason, through a proxy', models: /\/gpt-5/ },
      },
      { max_tokens: 64 },
      () =>
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    knownRoles(
      { source: checkedOn('https://github.com/ogx-ai/ogx/issues/6069'), family: QWEN },
      roles,
      (role) => `Unexpected message role: ${role}`,
    ),
    systemFirst({ source: checkedOn('https://github.com/nashsu/llm_wiki/issues/45'), family: QWEN }, template),
    answeredResults(
      {
        source: checkedOn('https://github.com/aliou/pi-neuralwatt/issues/12'),
        family: MISTRAL,
      },
      "Unexpected role 'user' after role 'tool'",
    ),
    requiredReasoning(
      {
        source: checkedOn('https://github.com/nowledge-co/nowledge-mem/issues/36'),
        family: { label: 'DeepSeek V4', models: /deepseek-v4/ },
      },
      'reasoning_content',
      (message) => callsOf(message).length > 0,
      () => 'The `reasoning_content` in the thinking mode must be passed back to the API.',
      {
        refused: [conversation(USER, ...called())],
        accepted: [conversation(USER, ...called('call_0001', { reasoning_content: '' }))],
      },
    ),
  ],
  envelope: (message) => ({ error: { message, type: 'BadRequestError', param: null, code: 400 } }),
};

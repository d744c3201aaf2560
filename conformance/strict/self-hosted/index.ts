import type { StrictUpstream } from '../rule.ts';
import { llamacppChat } from './llamacpp.ts';
import { lmStudioChat } from './lmstudio.ts';
import { ollamaChat } from './ollama.ts';
import { sglangChat } from './sglang.ts';
import { vllmChat } from './vllm.ts';

export const selfHostedUpstreams: readonly StrictUpstream[] = [
  ...[vllmChat, sglangChat, llamacppChat, lmStudioChat, ollamaChat],
];

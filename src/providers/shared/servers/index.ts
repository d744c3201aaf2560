import { LLAMA_CPP } from './llamacpp.ts';
import { LM_STUDIO } from './lmstudio.ts';
import { OLLAMA } from './ollama.ts';
import type { ServerFamily } from './server-family.ts';
import { SGLANG } from './sglang.ts';
import { TEI } from './tei.ts';
import { VLLM } from './vllm.ts';

/** In the order in which their signs are checked. */
export const SERVER_FAMILIES: readonly ServerFamily[] = [VLLM, SGLANG, LLAMA_CPP, LM_STUDIO, OLLAMA, TEI];

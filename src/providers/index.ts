import { alibaba } from './alibaba/manifest.ts';
import { anthropic } from './anthropic/manifest.ts';
import { azureOpenai } from './azure-openai/manifest.ts';
import { bedrock } from './bedrock/manifest.ts';
import { blackForestLabs } from './black-forest-labs/manifest.ts';
import { brave } from './brave/manifest.ts';
import { cerebras } from './cerebras/manifest.ts';
import { cohere } from './cohere/manifest.ts';
import { deepgram } from './deepgram/manifest.ts';
import { deepseek } from './deepseek/manifest.ts';
import { elevenlabs } from './elevenlabs/manifest.ts';
import { exa } from './exa/manifest.ts';
import { fal } from './fal/manifest.ts';
import { fireworks } from './fireworks/manifest.ts';
import { githubModels } from './github-models/manifest.ts';
import { google } from './google/manifest.ts';
import { groq } from './groq/manifest.ts';
import { huggingface } from './huggingface/manifest.ts';
import { ideogram } from './ideogram/manifest.ts';
import { jina } from './jina/manifest.ts';
import { kling } from './kling/manifest.ts';
import { llamacpp } from './llamacpp/manifest.ts';
import { lmstudio } from './lmstudio/manifest.ts';
import { local } from './local/manifest.ts';
import { luma } from './luma/manifest.ts';
import type { ProviderManifest } from './manifest.ts';
import { meshy } from './meshy/manifest.ts';
import { minimax } from './minimax/manifest.ts';
import { mistral } from './mistral/manifest.ts';
import { moonshot } from './moonshot/manifest.ts';
import { nvidia } from './nvidia/manifest.ts';
import { ollama } from './ollama/manifest.ts';
import { openai } from './openai/manifest.ts';
import { openaiCompatible } from './openai-compatible/manifest.ts';
import { openrouter } from './openrouter/manifest.ts';
import { perplexity } from './perplexity/manifest.ts';
import { recraft } from './recraft/manifest.ts';
import { replicate } from './replicate/manifest.ts';
import { runway } from './runway/manifest.ts';
import { sambanova } from './sambanova/manifest.ts';
import { sandbox } from './sandbox/manifest.ts';
import { searxng } from './searxng/manifest.ts';
import { stability } from './stability/manifest.ts';
import { suno } from './suno/manifest.ts';
import { tavily } from './tavily/manifest.ts';
import { tei } from './tei/manifest.ts';
import { together } from './together/manifest.ts';
import { tripo } from './tripo/manifest.ts';
import { tripoV2 } from './tripo-v2/manifest.ts';
import { vercel } from './vercel/manifest.ts';
import { vertex } from './vertex/manifest.ts';
import { vidu } from './vidu/manifest.ts';
import { vllm } from './vllm/manifest.ts';
import { volcengine } from './volcengine/manifest.ts';
import { voyage } from './voyage/manifest.ts';
import { xai } from './xai/manifest.ts';
import { zai } from './zai/manifest.ts';

const all: readonly ProviderManifest[] = [
  alibaba,
  anthropic,
  azureOpenai,
  bedrock,
  blackForestLabs,
  brave,
  cerebras,
  cohere,
  deepgram,
  deepseek,
  elevenlabs,
  exa,
  fal,
  fireworks,
  githubModels,
  google,
  groq,
  huggingface,
  ideogram,
  jina,
  kling,
  llamacpp,
  lmstudio,
  local,
  meshy,
  luma,
  minimax,
  mistral,
  moonshot,
  nvidia,
  ollama,
  openai,
  openaiCompatible,
  openrouter,
  perplexity,
  recraft,
  replicate,
  runway,
  sambanova,
  sandbox,
  searxng,
  stability,
  suno,
  tavily,
  tei,
  together,
  tripo,
  tripoV2,
  vercel,
  vertex,
  vidu,
  vllm,
  volcengine,
  voyage,
  xai,
  zai,
];

/** All providers that the product knows, by name. */
export const providers: ReadonlyMap<string, ProviderManifest> = new Map(
  all.map((manifest) => [manifest.name, manifest]),
);

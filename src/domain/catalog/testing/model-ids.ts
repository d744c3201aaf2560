/**
 * Ids of a gateway with many models: those of the shipped catalog on one day, and older ones that people still use. Fixed, so
 * that the suggestions for a misspelling do not change with the catalog.
 */
export const MODEL_IDS: readonly string[] = `
DeepSeek-V3.1 DeepSeek-V3.2 Meta-Llama-3.3-70B-Instruct MiniMax-M1 MiniMax-M2.1 MiniMax-M2.5 MiniMax-M2.5-highspeed
MiniMax-M2.7 MiniMax-M2.7-highspeed MiniMax-M3 MiniMax-Text-01 Qwen/Qwen3.5-397B-A17B Qwen/Qwen3.7-Max abab6.5s-chat
accounts/fireworks/models/deepseek-v4-flash-0731 accounts/fireworks/models/glm-5p3
accounts/fireworks/models/gpt-oss-120b accounts/fireworks/models/kimi-k3 accounts/fireworks/models/minimax-m3
accounts/fireworks/models/qwen3p8-max all-minilm-l6-v2 amazon-translate amazon.nova-lite-v1:0 amazon.nova-micro-v1:0
amazon.nova-pro-v1:0 anthropic/claude-haiku-4.5 anthropic/claude-opus-4.8 anthropic/claude-opus-5.5
anthropic/claude-sonnet-5.5 aura-2-thalia-en aya-expanse-32b baichuan4-turbo bge-large-en-v1.5 bge-m3
bge-reranker-v2-m3 chatgpt-4o-latest claude-3-5-haiku-20241022 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219
claude-3-haiku-20240307 claude-3-opus-20240229 claude-fable-5 claude-haiku-4-5 claude-haiku-4-5@20251001
claude-haiku-5-5 claude-opus-4-1 claude-opus-4-5 claude-opus-4-6 claude-opus-4-8 claude-opus-5 claude-opus-5-5
claude-sonnet-4-20250514 claude-sonnet-4-5 claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5
codellama-34b-instruct codestral-embed codestral-latest codex-mini-latest cogvideox-3 cogview-4 command-a-03-2025
command-a-plus-05-2026 command-a-reasoning-08-2025 command-a-translate-08-2025 command-a-vision-07-2025
command-light command-r command-r-08-2024 command-r-plus command-r-plus-08-2024 command-r7b-12-2024 dall-e-2
dall-e-3 dbrx-instruct deepl-translate deepseek-ai/DeepSeek-V4.1-Flash deepseek-chat deepseek-coder deepseek-flash
deepseek-r1 deepseek-r1-distill-llama-70b deepseek-reasoner deepseek-v3 deepseek-v4-flash deepseek-v4-pro
deepseek/DeepSeek-V3-0324 deepseek/deepseek-v4.1-flash devstral-medium-latest doubao-1.5-pro-32k doubao-seed-1.6
eleven_flash_v2_5 eleven_multilingual_v2 eleven_turbo_v2_5 eleven_v3 embed-english-v3.0 embed-multilingual-v3.0
embed-v4.0 ernie-4.5-turbo-128k flux-1.1-pro flux-1.1-pro-ultra flux-2-pro flux-dev flux-kontext-max
flux-kontext-pro flux-schnell gemini-1.5-flash gemini-1.5-pro gemini-2.0-flash gemini-2.0-flash-lite
gemini-2.5-flash gemini-2.5-flash-image gemini-2.5-flash-lite gemini-2.5-flash-preview-tts gemini-2.5-pro
gemini-2.5-pro-preview-tts gemini-3-flash-preview gemini-3-pro-preview gemini-3.1-pro-preview gemini-3.5-flash-lite
gemini-3.6-flash gemini-3.8-flash gemini-embedding-001 gemini-live-2.5-flash-preview gemma-3-12b-it gemma-3-27b-it
gemma-3n-e4b-it gemma-4-31B-it glm-4-flash glm-4-plus glm-4.5 glm-4.5-air glm-4.5-flash glm-4.5v glm-4.6 glm-4.7
glm-4.7-flash glm-5.1 glm-5.2 glm-5.3 glm-5.3-flash glm-5.3-flashx glm-z1-air google-translate-v3
google/gemini-2.5-flash google/gemini-3.8-flash google/gemma-4-31B-it gpt-3.5-turbo gpt-3.5-turbo-instruct gpt-4
gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-4o gpt-4o-2024-08-06 gpt-4o-audio-preview
gpt-4o-mini gpt-4o-mini-2024-07-18 gpt-4o-mini-transcribe gpt-4o-mini-tts gpt-4o-realtime-preview
gpt-4o-search-preview gpt-4o-transcribe gpt-5 gpt-5-codex gpt-5-mini gpt-5-nano gpt-5.1 gpt-5.1-codex gpt-5.2
gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.5 gpt-6-luna gpt-6.1-sol gpt-6.1-terra gpt-audio gpt-image-1
gpt-image-1-mini gpt-image-2 gpt-oss-120b gpt-realtime granite-3.3-8b-instruct grok-2-1212 grok-2-image-1212 grok-3
grok-3-fast grok-3-mini grok-4 grok-4-fast-non-reasoning grok-4-fast-reasoning grok-4.20-0309-non-reasoning
grok-4.20-0309-reasoning grok-4.3 grok-4.5 grok-4.6 grok-4.7 grok-code-fast-1 groq/compound groq/compound-mini
gte-rerank-v2 hidream-i1-full hunyuan-turbos-latest hunyuan-video hunyuan3d-2.1 ideogram-v3 imagen-3.0-generate-002
imagen-4.0-fast-generate-001 imagen-4.0-generate-001 imagen-4.0-ultra-generate-001 jamba-1.5-large jamba-1.6-mini
jina-embeddings-v3 jina-embeddings-v4 jina-reranker-m0 jina-reranker-v2-base-multilingual kimi-k2 kimi-k2-thinking
kimi-k2.6 kimi-k2.7-code kimi-k2.7-code-highspeed kimi-k3 kimi-latest kling-v1.6-standard kling-v2.1-master
kokoro-82m llama-3.1-8b-instant llama-3.3-70b-versatile ltx-video luma-ray-2 lyria-002 madlad-400-10b
magistral-medium-latest magistral-small-latest meshy-5 meta-llama/Llama-3.1-8B-Instruct
meta-llama/Llama-3.3-70B-Instruct meta-llama/Llama-3.3-70B-Instruct-Turbo meta-llama/llama-3.1-405b-instruct
meta-llama/llama-3.1-8b-instruct meta-llama/llama-3.3-70b-instruct meta-llama/llama-4-maverick-17b-128e-instruct
meta-llama/llama-4-scout-17b-16e-instruct meta-llama/llama-guard-4-12b meta/Llama-3.3-70B-Instruct
microsoft/wizardlm-2-8x22b midjourney-v7 minimax-hailuo-02 minimaxai/minimax-m3 ministral-3b-2512 ministral-8b-2512
mistral-ai/mistral-medium-2505 mistral-embed mistral-large-2411 mistral-large-latest mistral-medium-latest
mistral-ocr-latest mistral-small-latest mistral-tiny mistral/mistral-large-4 mistralai/mistral-medium-3.5-128b
moonshot-v1-128k moonshot-v1-32k moonshot-v1-8k moonshotai/Kimi-K3 moonshotai/kimi-k3 music-2.0 mxbai-embed-large
nllb-200-3.3b nomic-embed-text nous-hermes-2-mixtral-8x7b-dpo nova-2 nova-3 nvidia/llama-3.1-nemotron-70b-instruct
nvidia/nemotron-3-super-120b-a12b nvidia/nemotron-3-ultra-550b-a55b nvidia/nemotron-3.5-lightning-30b-a3b o1 o1-mini
o1-pro o3 o3-deep-research o3-mini o3-pro o4-mini omni-moderation-latest open-mistral-nemo open-mixtral-8x22b
open-mixtral-8x7b openai.gpt-oss-120b-1:0 openai.gpt-oss-20b-1:0 openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4o
openai/gpt-4o-mini openai/gpt-5.4-mini openai/gpt-5.5 openai/gpt-6.1-sol openai/gpt-oss-120b openai/gpt-oss-20b
openai/text-embedding-3-small openrouter/auto perplexity/sonar phi-3.5-mini-instruct phi-4 phi-4-mini-instruct
pika-2.2 pixtral-12b-2409 pixtral-large-latest qvq-max qwen-3.8-27b qwen-flash qwen-image qwen-long qwen-max
qwen-plus qwen-turbo qwen-vl-max qwen-vl-plus qwen/qwen3.8-27b qwen2.5-72b-instruct qwen2.5-coder-32b-instruct
qwen3-235b-a22b qwen3-30b-a3b qwen3-32b qwen3-coder-flash qwen3-coder-plus qwen3-embedding-8b qwen3-max
qwen3-reranker-8b qwen3-vl-flash qwen3.8-max qwq-32b recraft-v3 rerank-2.5 rerank-2.5-lite rerank-english-v3.0
rerank-multilingual-v3.0 rerank-v3.5 rodin-gen-2 runway-gen4-turbo scribe_v1 seedance-1.0-lite seedance-1.0-pro
seedream-4.0 sonar sonar-deep-research sonar-pro sonar-reasoning sonar-reasoning-pro sora-2 sora-2-pro
spacexai/grok-4.7 speech-2.6-hd speech-2.6-turbo stable-audio-2.5 stable-diffusion-3.5-large
stable-diffusion-3.5-medium stable-diffusion-xl-1024-v1-0 stable-image-core stable-image-ultra step-2-16k suno-v4.5
suno-v5 text-embedding-004 text-embedding-3-large text-embedding-3-small text-embedding-ada-002 text-embedding-v3
text-embedding-v4 trellis tripo-v2.5 tts-1 tts-1-hd udio-v1.5 universal-2 veo-2.0-generate-001 veo-3.0-generate-001
veo-3.1-fast-generate-preview veo-3.1-generate-preview vidu-q1 voxtral-mini-latest voyage-3-large voyage-3.5
voyage-3.5-lite voyage-code-3 voyage-multilingual-2 wan2.2-i2v-plus wan2.5-t2v-preview whisper-1 whisper-large-v3
whisper-large-v3-turbo yi-large zai-org/GLM-5.3
`
  .trim()
  .split(/\s+/);

/** Two letters, and the hue of their ground in degrees. */
type Mark = readonly [letters: string, hue: number];

/** The marks of the providers, by their ids. */
export const MARKS: Readonly<Record<string, Mark>> = {
  alibaba: ['Al', 20],
  anthropic: ['An', 157],
  'azure-openai': ['Az', 295],
  bedrock: ['Be', 72],
  'black-forest-labs': ['BF', 210],
  brave: ['Bv', 106],
  cerebras: ['Ce', 347],
  cohere: ['Co', 125],
  deepgram: ['Dg', 262],
  deepseek: ['Ds', 40],
  elevenlabs: ['El', 177],
  exa: ['Ex', 243],
  fal: ['Fa', 315],
  fireworks: ['Fw', 92],
  'github-models': ['Gh', 230],
  google: ['Go', 7],
  groq: ['Gq', 145],
  huggingface: ['Hf', 282],
  ideogram: ['Id', 60],
  jina: ['Ji', 197],
  kling: ['Kl', 335],
  llamacpp: ['Lc', 112],
  lmstudio: ['Lm', 250],
  local: ['Lo', 27],
  luma: ['Lu', 165],
  meshy: ['Me', 302],
  minimax: ['Mm', 80],
  mistral: ['Mi', 217],
  moonshot: ['Mo', 355],
  nvidia: ['Nv', 132],
  ollama: ['Ol', 270],
  openai: ['Oa', 47],
  'openai-compatible': ['Oc', 185],
  openrouter: ['Or', 322],
  perplexity: ['Px', 100],
  recraft: ['Rc', 237],
  replicate: ['Rp', 15],
  runway: ['Rw', 152],
  sambanova: ['Sn', 290],
  sandbox: ['Sb', 67],
  searxng: ['Sx', 328],
  stability: ['St', 205],
  suno: ['Su', 342],
  tavily: ['Tv', 11],
  tei: ['Te', 120],
  together: ['To', 257],
  tripo: ['Tr', 35],
  'tripo-v2': ['T2', 172],
  vercel: ['Ve', 310],
  vertex: ['Vx', 87],
  vidu: ['Vi', 225],
  vllm: ['Vl', 2],
  volcengine: ['Vo', 140],
  voyage: ['Vy', 277],
  xai: ['Xa', 55],
  zai: ['Za', 192],
};

/** Returns the mark of a provider; one that is not in the table has its first letters. */
export function markOf(provider: string): Mark {
  const known = Object.hasOwn(MARKS, provider) ? MARKS[provider] : undefined;
  if (known !== undefined) return known;
  const letters = provider.replace(/[^a-z\d]/gi, '').slice(0, 2) || '?';
  const hue = [...provider].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
  return [letters.charAt(0).toUpperCase() + letters.slice(1).toLowerCase(), hue];
}

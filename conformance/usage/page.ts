import { CONVENTIONS, type Convention, type Part } from './conventions.ts';

const NAMES: Readonly<Record<string, string>> = {
  alibaba: 'Alibaba',
  anthropic: 'Anthropic',
  azure: 'Azure',
  bedrock: 'Bedrock',
  cohere: 'Cohere',
  deepseek: 'DeepSeek',
  doubleword: 'Doubleword',
  gemini: 'Gemini',
  groq: 'Groq',
  huggingface: 'Hugging Face',
  llamacpp: 'llama.cpp',
  lmstudio: 'LM Studio',
  mistral: 'Mistral',
  mistralrs: 'mistral.rs',
  moonshot: 'Moonshot',
  ollama: 'Ollama',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  perplexity: 'Perplexity',
  together: 'Together',
  venice: 'Venice',
  vertex: 'Vertex',
  writer: 'Writer',
  xai: 'xAI',
  zai: 'Z.ai',
};

const HEAD = [
  '| provider | API | prompt | cached | written to the cache | output | reasoning | notes |',
  '|---|---|---|---|---|---|---|---|',
];

/** Returns the table of docs/usage.md. */
export function usageTable(): string {
  return [...HEAD, ...CONVENTIONS.map(rowOf)].join('\n');
}

function rowOf(one: Convention): string {
  const hour = one.writtenForAnHour === undefined ? '' : `; for an hour: \`${one.writtenForAnHour}\``;
  const besides = [
    ...labelled('audio in', one.inputAudio),
    ...labelled('images in', one.inputImage),
    ...labelled('audio out', one.outputAudio),
    ...labelled('prompts of tools', one.toolPrompts),
    ...(one.note === undefined ? [] : [one.note]),
  ];
  const cells = [
    one.providers.map((name) => NAMES[name] ?? name).join(', '),
    one.api,
    `\`${one.prompt}\``,
    cellOf(one.cachedInput),
    cellOf(one.written) + hour,
    `\`${one.answer}\``,
    cellOf(one.reasoning),
    besides.join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function labelled(label: string, part: Part | undefined): readonly string[] {
  return part === undefined ? [] : [`${label}: ${cellOf(part)}`];
}

function cellOf(part: Part | undefined): string {
  if (part === undefined) return '–';
  const place = part.place === 'beside' ? '**beside**' : 'inside';
  return `${place} ${part.paths.map((path) => `\`${path}\``).join(' or ')}${part.unrecorded ? ' ¹' : ''}`;
}

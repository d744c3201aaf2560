/** A client's settings, as in docs/clients.md. */
export interface Setting {
  readonly openai: string;
  readonly anthropic: string;
  readonly gemini: string;
  readonly key: string;
  readonly model: string;
}

export type Language = 'shell' | 'python' | 'typescript' | 'toml' | 'text';

export interface Snippet {
  /** A file name or a language, shown above the code. */
  readonly title: string;
  readonly language: Language;
  readonly code: string;
}

/** Quotes a text for a shell if necessary. */
function word(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a text for Python, TypeScript and TOML, which accept JSON strings. */
const quoted = (text: string) => JSON.stringify(text);

const SNIPPETS = {
  'claude-code': ({ anthropic, key, model }) => [
    shell(`export ANTHROPIC_BASE_URL=${word(anthropic)}
export ANTHROPIC_API_KEY=${word(key)}
claude --model ${word(model)}`),
  ],
  codex: ({ openai, key, model }) => [
    {
      title: '~/.codex/config.toml',
      language: 'toml',
      code: `model = ${quoted(model)}
model_provider = "switchyard"

[model_providers.switchyard]
name = "Switchyard"
base_url = ${quoted(openai)}
env_key = "SWITCHYARD_KEY"
wire_api = "responses"`,
    },
    shell(`export SWITCHYARD_KEY=${word(key)}
codex`),
  ],
  'gemini-cli': ({ gemini, key, model }) => [
    shell(`export GOOGLE_GEMINI_BASE_URL=${word(gemini)}
export GEMINI_API_KEY=${word(key)}
gemini -m ${word(model)}`),
  ],
  cursor: ({ openai, key, model }) => [
    {
      title: 'Settings › Models › API Keys',
      language: 'text',
      code: `OpenAI API Key:           ${key}
Override OpenAI Base URL: ${openai}
Add a custom model:       ${model}`,
    },
  ],
  openai: ({ openai, key, model }) => [
    python(`# pip install openai
from openai import OpenAI

client = OpenAI(
    base_url=${quoted(openai)},
    api_key=${quoted(key)},
)
answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`),
    typescript(`// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(openai)},
  apiKey: ${quoted(key)},
});
const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.choices[0].message.content);`),
  ],
  anthropic: ({ anthropic, key, model }) => [
    python(`# pip install anthropic
from anthropic import Anthropic

client = Anthropic(
    base_url=${quoted(anthropic)},
    api_key=${quoted(key)},
)
answer = client.messages.create(
    model=${quoted(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.content[0].text)`),
    typescript(`// npm install @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: ${quoted(anthropic)},
  apiKey: ${quoted(key)},
});
const answer = await client.messages.create({
  model: ${quoted(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.content[0].text);`),
  ],
  google: ({ gemini, key, model }) => [
    python(`# pip install google-genai
from google import genai
from google.genai import types

client = genai.Client(
    api_key=${quoted(key)},
    http_options=types.HttpOptions(base_url=${quoted(gemini)}),
)
answer = client.models.generate_content(
    model=${quoted(model)},
    contents="Hello!",
)
print(answer.text)`),
    typescript(`// npm install @google/genai
import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: ${quoted(key)},
  httpOptions: { baseUrl: ${quoted(gemini)} },
});
const answer = await client.models.generateContent({
  model: ${quoted(model)},
  contents: 'Hello!',
});
console.log(answer.text);`),
  ],
  curl: ({ openai, key, model }) => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
    return [
      shell(`curl ${word(`${openai}/chat/completions`)} \\
  -H ${word(`Authorization: Bearer ${key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${word(body)}`),
    ];
  },
} satisfies Readonly<Record<string, (setting: Setting) => readonly Snippet[]>>;

export type ClientId = keyof typeof SNIPPETS;

export const CLIENTS = Object.keys(SNIPPETS) as readonly ClientId[];

/** Returns the code that makes a client use this gateway. */
export function snippetsFor(client: ClientId, setting: Setting): readonly Snippet[] {
  return SNIPPETS[client](setting);
}

function shell(code: string): Snippet {
  return { title: 'Shell', language: 'shell', code };
}

function python(code: string): Snippet {
  return { title: 'Python', language: 'python', code };
}

function typescript(code: string): Snippet {
  return { title: 'TypeScript', language: 'typescript', code };
}

import type { Call } from '../wire/call.ts';
import { geminiArguments, members } from './arguments.ts';
import { isStream } from './curl.ts';
import { OPENAI_METHODS } from './known.ts';
import { literal, Raw, wrapped } from './literal.ts';
import type { BaseUrls } from './snippet.ts';

const KEY = `os.environ["SWITCHYARD_API_KEY"]`;

export function python(call: Call, urls: BaseUrls): string {
  if (call.path.startsWith('/v1beta/')) return gemini(call, urls);
  if (call.path === '/v1/messages') return anthropic(call, urls);
  return openai(call, urls);
}

function text(value: unknown): string {
  return literal(value, 'python');
}

function named(given: Readonly<Record<string, unknown>>): string {
  const items = Object.entries(given).map(([name, value]) => `${name}=${literal(value, 'python', '  ')}`);
  return wrapped('(', items, ')', '');
}

function openai(call: Call, urls: BaseUrls): string {
  const head = `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url=${text(urls.openai)}, api_key=${KEY})\n`;
  const all = members(call, (name) => `open(${text(name)}, "rb")`);
  const method = OPENAI_METHODS[call.path];
  if (method === undefined) {
    // The SDK has no method for it, but its client supports any path, with retries and errors.
    const given = { cast_to: new Raw('object'), body: all };
    return `${head}result = client.post(${text(call.path.slice(3))}, ${named(given).slice(1)}\nprint(result)\n`;
  }
  const own = Object.entries(all).filter(([name]) => method.known.has(name));
  const others = Object.entries(all).filter(([name]) => !method.known.has(name));
  const given = {
    ...Object.fromEntries(own),
    ...(others.length > 0 && { extra_body: Object.fromEntries(others) }),
    ...(call.headers && { extra_headers: call.headers }),
  };
  return `${head}result = client.${method.name}${named(given)}\n${openaiEnd(call)}`;
}

function openaiEnd(call: Call): string {
  if (call.path === '/v1/audio/speech') return 'result.write_to_file("speech")\n';
  if (!isStream(call)) return 'print(result)\n';
  if (call.path === '/v1/responses')
    return 'for event in result:\n    if event.type == "response.output_text.delta":\n        print(event.delta, end="", flush=True)\n';
  return 'for chunk in result:\n    if chunk.choices and chunk.choices[0].delta.content:\n        print(chunk.choices[0].delta.content, end="", flush=True)\n';
}

function anthropic(call: Call, urls: BaseUrls): string {
  const { 'anthropic-version': _, ...headers } = call.headers ?? {};
  const given = { ...members(call, String), ...(Object.keys(headers).length > 0 && { extra_headers: headers }) };
  return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${text(urls.anthropic)}, api_key=${KEY})
for event in client.messages.create${named(given)}:
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)
`;
}

function gemini(call: Call, urls: BaseUrls): string {
  return `import os
from google import genai

client = genai.Client(api_key=${KEY}, http_options={"base_url": ${text(urls.gemini)}, "api_version": "v1beta"})
for chunk in client.models.generate_content_stream${named(geminiArguments(call))}:
    print(chunk.text or "", end="", flush=True)
`;
}

import type { Call } from '../wire/call.ts';
import { shortened } from './literal.ts';
import type { BaseUrls } from './snippet.ts';

export function curl(call: Call, { anthropic: origin }: BaseUrls): string {
  const lines = [`curl -sS${isStream(call) ? ' -N' : ''} ${shell(origin + call.path)}`];
  lines.push(`-H "Authorization: Bearer $SWITCHYARD_API_KEY"`);
  for (const [name, value] of Object.entries(call.headers ?? {})) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if ('json' in call.body) {
    lines.push(`-H 'Content-Type: application/json'`);
    lines.push(`-d ${shell(JSON.stringify(shortened(call.body.json), null, 2))}`);
  } else {
    for (const [name, value] of call.body.form) {
      lines.push(
        typeof value === 'string'
          ? `--form-string ${shell(`${name}=${value}`)}`
          : `-F ${shell(`${name}=@${quotedName(value.name)}`)}`,
      );
    }
  }
  if (call.path === '/v1/audio/speech') lines.push('-o speech');
  return lines.join(' \\\n  ');
}

export function isStream(call: Call): boolean {
  return call.path.includes(':stream') || ('json' in call.body && call.body.json.stream === true);
}

/** Quotes a name, since curl interprets commas and semicolons. */
function quotedName(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}

/** Quotes a text for a shell with single quotes, within which nothing is interpreted. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

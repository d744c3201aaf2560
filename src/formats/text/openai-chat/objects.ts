import { isRecord } from '../../shared/json/record.ts';
import type { ObjectNaming } from '../provider-state.ts';
import { NamedObjects, texts } from '../shared/named-objects.ts';

function named(body: Readonly<Record<string, unknown>>) {
  const objects = new NamedObjects();
  if (!Array.isArray(body.messages)) return objects.found;
  for (let index = 0; index < body.messages.length; index++) {
    const message: unknown = body.messages[index];
    if (!isRecord(message)) continue;
    const path = `messages[${index}]`;
    if (isRecord(message.audio)) objects.id(message.audio.id, `${path}.audio.id`);
    if (typeof message.content === 'object') objects.content(message.content, `${path}.content`);
  }
  return objects.found;
}

/** Returns whether the answer may be spoken: only then does it have an id that a later request can refer to. */
function mayIssue({ audio, modalities }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(audio) || (Array.isArray(modalities) && modalities.includes('audio'));
}

/** Returns the issued ids; a whole answer has `message` objects, a stream chunk has `delta` objects. */
function issued(answer: unknown): readonly string[] {
  if (!isRecord(answer) || !Array.isArray(answer.choices)) return [];
  return answer.choices.filter(isRecord).flatMap(({ message, delta }) => {
    const said = isRecord(message) ? message : delta;
    return isRecord(said) && isRecord(said.audio) ? texts(said.audio.id) : [];
  });
}

/** Provider-side objects that a chat request can refer to: files, and the audio of earlier answers. */
export const objects: ObjectNaming = { named, mayIssue, issued };

import type { ClientFormat } from '../readers/index.ts';
import { asArray, asObject } from '../shared/json.ts';
import { leavesOf } from './json-leaves.ts';
import type { TargetFormat } from './targets.ts';

type Turn = 'user' | 'assistant';
type Speaker = Turn | 'instructions';

/**
 * Returns who speaks in each turn. Tool results count as the user's, calls and reasoning as the assistant's, and
 * consecutive entries of one side are one turn. Instructions at the beginning are omitted, since formats have them in
 * different places; those in the middle count as `midwayInstructions`. An entry whose content is all lost is no turn.
 */
export function turnsOf(
  format: ClientFormat | TargetFormat,
  body: Readonly<Record<string, unknown>>,
  midwayInstructions: 'none' | 'user',
  isLost: (path: string) => boolean = () => false,
): readonly Turn[] {
  const entries = asArray(listOf(format, body));
  const turns = speakersOf(format, body).flatMap((speaker, index, all): Turn[] => {
    if (!saysSomething(entries[index], `${LISTS[format] ?? 'messages'}[${index}]`, isLost)) return [];
    if (speaker !== 'instructions') return [speaker];
    return midwayInstructions === 'user' && isMidway(all, index) ? ['user'] : [];
  });
  return turns.filter((turn, index) => turn !== turns[index - 1]);
}

/** Returns whether the entry at the path (`messages[9].role`) is an instruction in the middle of the conversation. */
export function isMidwayInstruction(
  format: ClientFormat,
  body: Readonly<Record<string, unknown>>,
  path: string,
): boolean {
  const index = Number(/\[(\d+)\]/.exec(path)?.[1] ?? -1);
  const speakers = speakersOf(format, body);
  return speakers[index] === 'instructions' && isMidway(speakers, index);
}

function isMidway(speakers: readonly Speaker[], index: number): boolean {
  return speakers.slice(0, index).some((speaker) => speaker !== 'instructions');
}

const LISTS: Readonly<Partial<Record<ClientFormat | TargetFormat, string>>> = {
  gemini: 'contents',
  'openai-responses': 'input',
};

/** Members that only classify an entry. */
const LABELS: ReadonlySet<string> = new Set(['role', 'type', 'id', 'status', 'thought']);

/** Even an empty tool result counts, since it reports that the tool has run. */
function saysSomething(entry: unknown, path: string, isLost: (path: string) => boolean): boolean {
  if (['tool', 'function'].includes(String(asObject(entry).role)) && !isLost(path)) return true;
  return leavesOf(entry, path).some((leaf) => !LABELS.has(leaf.key) && !isLost(leaf.path));
}

function speakersOf(format: ClientFormat | TargetFormat, body: Readonly<Record<string, unknown>>): readonly Speaker[] {
  return asArray(listOf(format, body)).map((entry) => speakerOf(asObject(entry)));
}

function listOf(format: ClientFormat | TargetFormat, body: Readonly<Record<string, unknown>>): unknown {
  if (format === 'gemini') return body.contents;
  if (format !== 'openai-responses') return body.messages;
  return typeof body.input === 'string' ? [{ role: 'user' }] : body.input;
}

function speakerOf({ role, type }: Readonly<Record<string, unknown>>): Speaker {
  switch (role) {
    case 'assistant':
    case 'model':
      return 'assistant';
    case 'system':
    case 'developer':
      return 'instructions';
    case undefined:
      // Items of Responses without a role; Gemini takes contents without one as the user's.
      return typeof type !== 'string' || /_output$|_response$/.test(type) ? 'user' : 'assistant';
    default:
      return 'user';
  }
}

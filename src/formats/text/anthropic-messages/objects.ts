import { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ObjectNaming, UpstreamKeeping } from '../provider-state.ts';
import { NamedObjects, texts } from '../shared/named-objects.ts';

type Json = Readonly<Record<string, unknown>>;

/** With this error code the SDK begins a new thread with the whole conversation. */
const THREAD_NOT_FOUND = { error_code: 'thread_not_found' };

function named(body: Json) {
  const objects = new NamedObjects();
  if (isRecord(body.container)) inContainer(objects, body.container);
  else objects.id(body.container, 'container');
  const previous = isRecord(body.thread) ? body.thread.previous_message_id : null;
  if (typeof previous === 'string' && previous !== '') {
    objects.found.push({ id: previous, path: 'thread.previous_message_id', whenMissing: THREAD_NOT_FOUND });
  }
  if (!Array.isArray(body.messages)) return objects.found;
  for (let index = 0; index < body.messages.length; index++) {
    const message: unknown = body.messages[index];
    if (!isRecord(message) || typeof message.content !== 'object') continue;
    // Objects that the model's own tools made are mentioned in assistant turns, but nothing reads them from there.
    if (message.role !== 'assistant') objects.content(message.content, `messages[${index}].content`);
  }
  return objects.found;
}

function inContainer(objects: NamedObjects, { id, skills }: Json): void {
  objects.id(id, 'container.id');
  if (!Array.isArray(skills)) return;
  for (const [index, skill] of skills.entries()) {
    if (isRecord(skill) && skill.type !== 'anthropic')
      objects.id(skill.skill_id, `container.skills[${index}].skill_id`);
  }
}

function mayIssue({ container, tools, thread }: Json): boolean {
  const runsCode = (tool: unknown) =>
    isRecord(tool) && /^(?:code_execution|bash_code|text_editor_code)/.test(String(tool.type));
  return container !== undefined || isRecord(thread) || (Array.isArray(tools) && tools.some(runsCode));
}

/** Returns the ids in a whole answer or in one event of a stream. */
function issued(answer: unknown): readonly string[] {
  if (!isRecord(answer)) return [];
  const message = isRecord(answer.message) ? answer.message : answer;
  const delta = isRecord(answer.delta) ? answer.delta : {};
  const containers = [message.container, delta.container].filter(isRecord).flatMap(({ id }) => texts(id));
  const blocks = Array.isArray(message.content) ? message.content : [answer.content_block];
  // A thread is continued from one of its messages.
  const messages = message.type === 'message' ? texts(message.id) : [];
  return [...messages, ...containers, ...blocks.filter(isRecord).flatMap(filesOf)];
}

/** Returns the files that a code execution has created. */
function filesOf({ type, content }: Json): string[] {
  if (!String(type).endsWith('code_execution_tool_result') || !isRecord(content) || !Array.isArray(content.content))
    return [];
  return content.content.filter(isRecord).flatMap(({ file_id }) => texts(file_id));
}

/**
 * Provider-side objects that a message request can refer to: files, containers, skills, the message that a thread continues
 * from.
 */
export const objects: ObjectNaming = { named, mayIssue, issued };

/**
 * Threads (`thread`: `create`, or `continue` from a message): Anthropic stores the conversation, and a request contains only
 * the new turns. The SDKs (TypeScript from 1.12 on) read `error.details`. With `unsupportedRequestBehavior:
 * 'continue_unthreaded'` they send the whole conversation without a thread.
 */
export const keeping: UpstreamKeeping = {
  wants: ({ body }) => isRecord(body.thread),
  unsupported: new Failure('invalid_request', {
    kind: 'loss_refused',
    retry: 'other-target',
    message: 'No channel of this model stores threads; only the Anthropic API does.',
    param: 'thread',
    hint: 'Send the whole conversation in `messages`, without `thread`.',
    upstreamDetails: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } },
  }),
};

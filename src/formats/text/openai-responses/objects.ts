import { isRecord } from '../../shared/json/record.ts';
import type { ObjectNaming } from '../provider-state.ts';
import { NamedObjects, texts } from '../shared/named-objects.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the named objects without `previous_response_id`, because the gateway continues its own stored responses. */
function named(body: Json) {
  const objects = new NamedObjects();
  if (isRecord(body.conversation)) objects.id(body.conversation.id, 'conversation.id');
  else objects.id(body.conversation, 'conversation');
  if (isRecord(body.prompt)) objects.id(body.prompt.id, 'prompt.id');
  if (Array.isArray(body.tools)) inTools(objects, body.tools, 'tools');
  if (Array.isArray(body.input)) {
    for (let index = 0; index < body.input.length; index++) {
      const item: unknown = body.input[index];
      if (isRecord(item)) inItem(objects, item, `input[${index}]`);
    }
  }
  return objects.found;
}

function inItem(objects: NamedObjects, item: Json, path: string): void {
  if (typeof item.content === 'object') objects.content(item.content, `${path}.content`);
  if (typeof item.output === 'object') objects.content(item.output, `${path}.output`);
  if (isReference(item) && typeof item.id === 'string' && item.id !== '') {
    const { id } = item;
    objects.found.push({ id, path: `${path}.id`, missing: `Item with id '${id.slice(0, 100)}' not found.` });
  }
  // A provider that has stored the item looks it up by its id, even if there is also a summary.
  else if (item.type === 'reasoning' && !item.encrypted_content) {
    const isAlone = isEmpty(item.summary) && isEmpty(item.content);
    objects.optionalId(item.id, `${path}.id`, isAlone ? 'alone' : 'shown');
  }
  if (item.container_id !== undefined) objects.id(item.container_id, `${path}.container_id`);
  if (item.approval_request_id !== undefined) objects.id(item.approval_request_id, `${path}.approval_request_id`);
  if (isRecord(item.environment)) inEnvironment(objects, item.environment, `${path}.environment`);
  if (Array.isArray(item.tools)) inTools(objects, item.tools, `${path}.tools`);
}

/** Returns whether an item lacks its content, so that the provider has to look it up. */
function isReference({ type, role, result }: Json): boolean {
  if (type === 'item_reference') return true;
  if (typeof type !== 'string') return role === undefined;
  return type === 'image_generation_call' && !result;
}

function isEmpty(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}

function inTools(objects: NamedObjects, tools: readonly unknown[], path: string): void {
  for (let index = 0; index < tools.length; index++) {
    const tool: unknown = tools[index];
    if (!isRecord(tool) || tool.type === 'function') continue;
    const at = `${path}[${index}]`;
    objects.ids(tool.vector_store_ids, `${at}.vector_store_ids`);
    objects.ids(tool.collection_ids, `${at}.collection_ids`);
    if (isRecord(tool.container)) objects.ids(tool.container.file_ids, `${at}.container.file_ids`);
    else objects.id(tool.container, `${at}.container`);
    if (isRecord(tool.input_image_mask)) objects.content([tool.input_image_mask], `${at}.input_image_mask`);
    if (isRecord(tool.environment)) inEnvironment(objects, tool.environment, `${at}.environment`);
    objects.id(tool.tunnel_id, `${at}.tunnel_id`);
  }
}

function inEnvironment(objects: NamedObjects, environment: Json, path: string): void {
  objects.id(environment.container_id, `${path}.container_id`);
  objects.ids(environment.file_ids, `${path}.file_ids`);
  if (!Array.isArray(environment.skills)) return;
  for (const [index, skill] of environment.skills.entries()) {
    if (isRecord(skill)) objects.id(skill.skill_id, `${path}.skills[${index}].skill_id`);
  }
}

function mayIssue({ store, tools }: Json): boolean {
  return store !== false || (Array.isArray(tools) && tools.some((tool) => isRecord(tool) && tool.type !== 'function'));
}

/**
 * Returns the ids of items that the provider itself wrote. An answer repeats the request's metadata and tools, which may contain
 * any id that a client has put there.
 */
function issued(answer: unknown): readonly string[] {
  if (!isRecord(answer) || !Array.isArray(answer.output)) return [];
  return [...new Set(answer.output.filter(isRecord).flatMap(ofItem))];
}

function ofItem(item: Json): string[] {
  const blocks = Array.isArray(item.content) ? item.content.filter(isRecord) : [];
  const annotations = blocks.flatMap(({ annotations }) =>
    Array.isArray(annotations) ? annotations.filter(isRecord) : [],
  );
  const outputs = Array.isArray(item.outputs) ? item.outputs.filter(isRecord) : [];
  const places = [...annotations, ...outputs];
  return [
    ...texts(item.id, item.container_id),
    ...places.flatMap(({ file_id, container_id }) => texts(file_id, container_id)),
  ];
}

/**
 * Provider-side objects that a response request can refer to: stored items, conversations and prompts, files, vector stores,
 * containers.
 */
export const objects: ObjectNaming = { named, mayIssue, issued };
